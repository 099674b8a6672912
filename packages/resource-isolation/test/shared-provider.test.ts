import { describe, expect, it } from 'vitest';
import type { Lease, Refusal, RequestLeases } from '../src/index.ts';
import { SharedResourceIsolationProvider, Stage, stageNames } from '../src/index.ts';

const totals = {
  Connection: 4,
  Handshake: 4,
  ReassemblyBytes: 1_000,
  RequestQueue: 3,
  RequestQueueBytes: 300,
  ParkedRequest: 1,
  RequestExecution: 2,
  SessionEstablishment: 1,
};

function granted<T extends Lease | RequestLeases>(answer: T | Refusal): T {
  if (answer.kind !== 'lease') throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer;
}

function expectNothingInUse(provider: SharedResourceIsolationProvider): void {
  for (let stage = 0; stage < stageNames.length; stage++) expect(provider.getUsage(stage as Stage), stageNames[stage]).toBe(0);
  expect(provider.trackedOwnerCount).toBe(0);
}

describe('SharedResourceIsolationProvider', () => {
  it('BX-05 numbers what it refuses and tells of it, with the owner', () => {
    const told: unknown[] = [];
    const provider = new SharedResourceIsolationProvider({ totals, onRefused: (...args) => void told.push(args) });
    const owner = provider.classifyIngress('10.0.0.1');
    const refusals = [provider.tryAcquire(Stage.SessionEstablishment, owner, 2), provider.tryAdmitRequest(owner, 301, false)];
    expect(refusals).toMatchObject([
      { id: 1, stage: Stage.SessionEstablishment },
      { id: 2, stage: Stage.RequestQueueBytes },
    ]);
    expect(told).toEqual(refusals.map((refusal) => [refusal, owner, false]));
  });

  it('calls who waits for execution when there is room again after a refusal, and not otherwise', () => {
    const provider = new SharedResourceIsolationProvider({ totals });
    const owner = provider.classifyIngress('10.0.0.1');
    let calls = 0;
    const watch = provider.onCapacity(() => calls++);
    const leases = [1, 2].map(() => granted(provider.tryAcquire(Stage.RequestExecution, owner, 1)));
    leases[0]?.[Symbol.dispose]();
    expect(calls).toBe(0);
    provider.tryAcquire(Stage.RequestExecution, owner, 2);
    leases[1]?.[Symbol.dispose]();
    expect(calls).toBe(1);
    watch[Symbol.dispose]();
    provider.tryAcquire(Stage.RequestExecution, owner, 3);
    granted(provider.tryAcquire(Stage.RequestExecution, owner, 1))[Symbol.dispose]();
    expect([calls, provider.getUsage(Stage.RequestExecution)]).toEqual([1, 0]);
  });

  it('grants up to the total of a stage and refuses the next with the stage, usage and limit', () => {
    const provider = new SharedResourceIsolationProvider({ totals });
    const owner = provider.classifyIngress('10.0.0.1');
    const leases = [1, 2].map(() => granted(provider.tryAcquire(Stage.RequestExecution, owner, 1)));
    expect(provider.tryAcquire(Stage.RequestExecution, owner, 1)).toEqual({
      kind: 'refusal',
      id: 1,
      stage: Stage.RequestExecution,
      reason: 'Capacity',
      usage: 2,
      limit: 2,
    });
    for (const lease of leases) lease[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('credits a lease once however often it is disposed', () => {
    const provider = new SharedResourceIsolationProvider({ totals });
    const owner = provider.classifyIngress('10.0.0.1');
    const kept = granted(provider.tryAcquire(Stage.ReassemblyBytes, owner, 400));
    const lease = granted(provider.tryAcquire(Stage.ReassemblyBytes, owner, 300));
    lease[Symbol.dispose]();
    lease[Symbol.dispose]();
    expect(provider.getUsage(Stage.ReassemblyBytes)).toBe(400);
    expect(provider.trackedOwnerCount).toBe(1);
    kept[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it.each([
    ['RequestQueue', { ...totals, RequestQueue: 1 }],
    ['RequestQueueBytes', { ...totals, RequestQueueBytes: 199 }],
    ['ParkedRequest', totals],
  ] as const)('a request refused by %s leaves nothing of it behind', (stageName, stageTotals) => {
    const provider = new SharedResourceIsolationProvider({ totals: stageTotals });
    const first = granted(provider.tryAdmitRequest(provider.classifyIngress('a'), 100, true));
    const before = stageNames.map((_, stage) => provider.getUsage(stage as Stage));
    const refusal = provider.tryAdmitRequest(provider.classifyIngress('b'), 100, true);
    expect(refusal).toMatchObject({ kind: 'refusal', stage: Stage[stageName], reason: 'Capacity' });
    expect(stageNames.map((_, stage) => provider.getUsage(stage as Stage))).toEqual(before);
    expect(provider.trackedOwnerCount).toBe(1);
    for (const lease of [first.parked, first.bytes, first.queue]) lease?.[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('charges no ParkedRequest slot for a request that may not park', () => {
    const provider = new SharedResourceIsolationProvider({ totals });
    const leases = granted(provider.tryAdmitRequest(provider.classifyIngress('a'), 100, false));
    expect(leases.parked).toBeUndefined();
    expect(provider.getUsage(Stage.ParkedRequest)).toBe(0);
  });

  it('refuses a new owner when the owner table is full, and takes it once another owner left', () => {
    const provider = new SharedResourceIsolationProvider({ totals, maxTrackedOwners: 2 });
    const a = granted(provider.tryAcquire(Stage.Connection, provider.classifyIngress('a'), 1));
    granted(provider.tryAcquire(Stage.Connection, provider.classifyIngress('b'), 1));
    expect(provider.tryAcquire(Stage.Connection, provider.classifyIngress('c'), 1)).toMatchObject({
      reason: 'OwnerTableFull',
      usage: 2,
      limit: 2,
    });
    expect(provider.tryAdmitRequest(provider.classifyIngress('c'), 1, false)).toMatchObject({ reason: 'OwnerTableFull' });
    granted(provider.tryAcquire(Stage.Connection, provider.classifyIngress('b'), 1));
    a[Symbol.dispose]();
    granted(provider.tryAcquire(Stage.Connection, provider.classifyIngress('c'), 1));
    expect(provider.trackedOwnerCount).toBe(2);
  });

  it('names an owner by user, else application, else address', () => {
    const provider = new SharedResourceIsolationProvider({ totals });
    const address = {
      address: '::1',
      applicationThumbprint: undefined,
      applicationUri: undefined,
      userName: undefined,
      hasActivatedSession: false,
    };
    expect(provider.classify(address).key).toBe(provider.classifyIngress('::1').key);
    const application = { ...address, applicationThumbprint: 'AA' };
    expect(provider.classify(application).key).toBe('application:AA');
    expect(provider.classify({ ...application, userName: 'ann', hasActivatedSession: true }).key).toBe('user:ann');
  });

  it('refuses options and amounts that are no integers >= 1', () => {
    expect(() => new SharedResourceIsolationProvider({ totals: { ...totals, Handshake: 0 } })).toThrow('totals.Handshake');
    expect(() => new SharedResourceIsolationProvider({ totals, maxTrackedOwners: 0.5 })).toThrow('maxTrackedOwners');
    const provider = new SharedResourceIsolationProvider({ totals });
    expect(() => provider.tryAcquire(Stage.Connection, provider.classifyIngress('a'), 0)).toThrow(RangeError);
    expect(() => provider.tryAdmitRequest(provider.classifyIngress('a'), -1, false)).toThrow(RangeError);
  });
});
