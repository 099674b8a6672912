import { describe, expect, it } from 'vitest';
import { ChunkReassemblyBudget, createPlan, createRuntimePlan, describePlan, Stage, stageNames } from '../src/index.ts';
import { exampleLimits, MiB } from './fixtures.ts';

describe('createRuntimePlan', () => {
  it('RI-17 the documented example has the documented figures', () => {
    const plan = createRuntimePlan(exampleLimits);
    expect(plan.mode).toBe('Balanced');
    expect(plan.getStage('Connection')).toMatchObject({ total: 103, shared: 101, bootstrap: 1, reconnect: 1, control: 0, trusted: 0 });
    expect(plan.getStage('ReassemblyBytes')).toMatchObject({
      total: 67_108_864,
      shared: 33_030_144,
      bootstrap: 17_039_360,
      reconnect: 17_039_360,
      control: 0,
    });
  });

  it('RI-16 every total follows from its server limit, with floors inside but for the queue of decoded requests', () => {
    const plan = createRuntimePlan({ ...exampleLimits, maxConcurrentRequests: 250, maxQueuedRequestCount: 400, maxParkedRequestCount: 70 });
    const figures = Object.fromEntries(plan.stages.map(({ stage, total, shared }) => [stageNames[stage], [total, shared]]));
    expect(figures).toEqual({
      Connection: [103, 101],
      Handshake: [103, 101],
      ReassemblyBytes: [64 * MiB, 31.5 * MiB],
      RequestQueue: [403, 400],
      RequestQueueBytes: [4 * MiB * (400 + 250 + 70 + 3), 4 * MiB * (400 + 250 + 70)],
      ParkedRequest: [73, 70],
      RequestExecution: [250, 247],
      SessionEstablishment: [64, 62],
    });
  });

  it('RI-16 fewer than 100 execution and queue slots are 100, and a non-positive establishment limit is its default', () => {
    const plan = createRuntimePlan({
      ...exampleLimits,
      maxConcurrentRequests: 1,
      maxQueuedRequestCount: 0,
      maxConcurrentSessionEstablishment: -1,
    });
    expect(plan.getStage('RequestExecution').total).toBe(100);
    expect(plan.getStage('RequestQueue').shared).toBe(100);
    expect(plan.getStage('SessionEstablishment').total).toBe(128);
  });

  it('RI-18 10,000 queued requests are shared and the total holds the three floors besides', () => {
    expect(createRuntimePlan({ ...exampleLimits, maxQueuedRequestCount: 10_000 }).getStage('RequestQueue')).toMatchObject({
      total: 10_003,
      shared: 10_000,
    });
    const fairShare = createRuntimePlan({ ...exampleLimits, maxQueuedRequestCount: 10_000 }, { mode: 'FairShare' });
    expect(fairShare.getStage('RequestQueue')).toMatchObject({ total: 10_000, shared: 10_000 });
  });

  it('RI-19 each reserve of RequestQueueBytes is one maximum message', () => {
    const { bootstrap, reconnect, control, shared } = createRuntimePlan({ ...exampleLimits, maxParkedRequestCount: 50 }).getStage(
      Stage.RequestQueueBytes,
    );
    expect([bootstrap, reconnect, control]).toEqual([4 * MiB, 4 * MiB, 4 * MiB]);
    expect(shared).toBe(4 * MiB * (100 + 100 + 50));
  });

  it('a retained message is bounded by four times the message and one buffer', () => {
    expect(createRuntimePlan(exampleLimits).maxRetainedMessageBytes).toBe(16.25 * MiB);
    const own = createRuntimePlan(exampleLimits, { maxRetainedMessageBytes: 5 * MiB });
    expect(own.getStage('ReassemblyBytes')).toMatchObject({ bootstrap: 5 * MiB, reconnect: 5 * MiB, shared: 54 * MiB });
  });

  it('RI-14 SharedOnly gets a finite plan without reserves, checked like the others', () => {
    const plan = createRuntimePlan(exampleLimits, { mode: 'SharedOnly' });
    for (const { total, shared, bootstrap, reconnect, control, trusted } of plan.stages) {
      expect(Number.isSafeInteger(total)).toBe(true);
      expect([shared, bootstrap, reconnect, control, trusted]).toEqual([total, 0, 0, 0, 0]);
    }
    expect(() => createRuntimePlan({ ...exampleLimits, maxMessageSize: 0 }, { mode: 'SharedOnly' })).toThrow('maxMessageSize');
  });

  it('RI-14 createPlan sizes ReassemblyBytes and knows no other stage', () => {
    const { maxRetainedMessageBytes, reassembly } = createPlan({ maxMessageSize: 4 * MiB, maxBufferSize: 65_536 });
    expect(maxRetainedMessageBytes).toBe(17_039_360);
    expect(reassembly).toEqual(createRuntimePlan(exampleLimits).getStage('ReassemblyBytes'));
    expect(() =>
      createPlan({ maxMessageSize: 4 * MiB, maxBufferSize: 65_536, reassemblyBudget: new ChunkReassemblyBudget(48 * MiB) }),
    ).toThrow('reassemblyBudget.maxBytes');
  });

  it('a trusted owner has one operation or message at every stage it does not name, and nobody else gets that', () => {
    const plan = createRuntimePlan(
      { ...exampleLimits, maxChannelCount: 104, reassemblyBudget: new ChunkReassemblyBudget(128 * MiB) },
      {
        mode: 'TrustedReservations',
        defaultWeight: 2,
        trustedOwners: [{ key: 'plant-control', weight: 4, reservations: [{ stage: 'RequestExecution', reserved: 2, hardLimit: 8 }] }],
      },
    );
    expect(plan.getStage('Connection')).toMatchObject({ total: 104, shared: 101, trusted: 1 });
    expect(plan.getStage('RequestExecution')).toMatchObject({ total: 100, shared: 95, trusted: 2 });
    expect(plan.getStage('RequestQueue')).toMatchObject({ total: 104, shared: 100, trusted: 1 });
    expect(plan.trustedOwners[0]).toMatchObject({ key: 'plant-control', weight: 4 });
    expect(plan.trustedOwners[0]?.reserved).toEqual([1, 1, 17_039_360, 1, 4 * MiB, 1, 2, 1]);
    expect(plan.trustedOwners[0]?.hardLimits[Stage.RequestExecution]).toBe(8);
    expect(plan.trustedOwners[0]?.hardLimits[Stage.Connection]).toBe(102);
  });

  it('RI-24 a plan is inspected without a server, by stage number or name', () => {
    const plan = createRuntimePlan(exampleLimits, { stages: [{ stage: 'RequestExecution', ownerHardLimit: 8, capacity: 50 }] });
    expect(plan.getStage(Stage.RequestExecution)).toBe(plan.getStage('RequestExecution'));
    expect(plan.getStage('RequestExecution')).toMatchObject({ total: 50, shared: 47, ownerHardLimit: 8, keptForIdleOwners: 5 });
    expect(plan.getStage('Connection').ownerHardLimit).toBe(103);
  });

  it('describes each stage by its name, unit and limits, and no owner', () => {
    const rows = describePlan(
      createRuntimePlan(
        { ...exampleLimits, maxChannelCount: 200, reassemblyBudget: new ChunkReassemblyBudget(128 * MiB) },
        { mode: 'TrustedReservations', trustedOwners: [{ key: 'secret-plant' }] },
      ),
    );
    expect(rows.map(({ stage }) => stage)).toEqual(stageNames);
    expect(rows.filter(({ unit }) => unit === 'bytes').map(({ stage }) => stage)).toEqual(['ReassemblyBytes', 'RequestQueueBytes']);
    expect(rows[0]).toEqual({
      stage: 'Connection',
      unit: 'count',
      total: 200,
      shared: 197,
      bootstrap: 1,
      reconnect: 1,
      control: 0,
      trusted: 1,
      keptForIdleOwners: 0,
      ownerHardLimit: 200,
      shadow: false,
    });
    expect(JSON.stringify(rows)).not.toContain('secret-plant');
  });
});
