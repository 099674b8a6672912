import { describe, expect, it } from 'vitest';
import {
  ChunkReassemblyBudget,
  checkHandshakeTimeout,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type ResourceIsolationOptions,
  ResourceIsolationOptionsError,
  type ServerLimits,
} from '../src/index.ts';
import { exampleLimits, MiB } from './fixtures.ts';

function pathOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof ResourceIsolationOptionsError) {
      expect(error.message.startsWith(`${error.path}: `)).toBe(true);
      return error.path;
    }
    throw error;
  }
  return 'valid';
}

/** Where a plan goes wrong. Takes what types forbid too, since it may come from JSON. */
function faultOf(options: object, limits: Partial<ServerLimits> = {}): string {
  return pathOf(() => createRuntimePlan({ ...exampleLimits, ...limits }, options as ResourceIsolationOptions));
}

const roomy: Partial<ServerLimits> = { maxChannelCount: 200, reassemblyBudget: new ChunkReassemblyBudget(128 * MiB) };
const trusted = (owner: object, more: object = {}): object => ({
  mode: 'TrustedReservations',
  trustedOwners: [{ key: 'a', ...owner }],
  ...more,
});

describe('createRuntimePlan refuses', () => {
  it.each(['maxSessionCount', 'maxChannelCount', 'maxMessageSize', 'maxBufferSize'] as const)(
    'RI-13 a %s that is not finite and positive',
    (name) => {
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(faultOf({}, { [name]: value })).toBe(name);
    },
  );

  it('RI-13 a capacity above the total that follows from the server', () => {
    expect(faultOf({ stages: [{ stage: 'Connection', capacity: 103 }] })).toBe('valid');
    expect(faultOf({ stages: [{ stage: 'Connection', capacity: 104 }] })).toBe('stages[0].capacity');
    expect(faultOf({ stages: [{ stage: 'RequestQueue', capacity: 103 }] })).toBe('valid');
    expect(faultOf({ stages: [{ stage: 'RequestQueue', capacity: 104 }] })).toBe('stages[0].capacity');
    expect(faultOf({ stages: [{ stage: 'Handshake', capacity: 0 }] })).toBe('stages[0].capacity');
  });

  it('RI-13 reserves that leave no shared operation or message', () => {
    expect(faultOf({ stages: [{ stage: 'RequestExecution', capacity: 4 }] })).toBe('valid');
    expect(faultOf({ stages: [{ stage: 'RequestExecution', capacity: 3 }] })).toBe('stages[0].capacity');
    expect(faultOf({ stages: [{ stage: 'RequestQueueBytes', capacity: 16 * MiB }] })).toBe('valid');
    expect(faultOf({ stages: [{ stage: 'RequestQueueBytes', capacity: 16 * MiB - 1 }] })).toBe('stages[0].capacity');
    const needed = 3 * 17_039_360;
    expect(faultOf({}, { reassemblyBudget: new ChunkReassemblyBudget(needed) })).toBe('valid');
    expect(faultOf({}, { reassemblyBudget: new ChunkReassemblyBudget(needed - 1) })).toBe('reassemblyBudget.maxBytes');
    expect(faultOf({ mode: 'FairShare' }, { reassemblyBudget: new ChunkReassemblyBudget(17_039_359) })).toBe('reassemblyBudget.maxBytes');
  });

  it('RI-13 a non-zero reserve that holds less than one operation or message', () => {
    const stage = 'ReassemblyBytes';
    expect(faultOf({ stages: [{ stage, bootstrapReserved: 17_039_360 }] })).toBe('valid');
    expect(faultOf({ stages: [{ stage, bootstrapReserved: 17_039_359 }] })).toBe('stages[0].bootstrapReserved');
    expect(faultOf({ stages: [{ stage: 'RequestQueueBytes', controlReserved: 4 * MiB - 1 }] })).toBe('stages[0].controlReserved');
    expect(faultOf({ stages: [{ stage: 'Handshake', reconnectReserved: -1 }] })).toBe('stages[0].reconnectReserved');
    expect(faultOf({ stages: [{ stage: 'Handshake', reconnectReserved: 0.5 }] })).toBe('stages[0].reconnectReserved');
    const reservations = [{ stage, reserved: 1 }];
    expect(faultOf(trusted({ reservations }), roomy)).toBe('trustedOwners[0].reservations[0].reserved');
  });

  it('RI-13 hard limits that do not fit', () => {
    const stage = 'RequestExecution';
    for (const keptForIdleOwners of [0, 1, 96])
      expect(faultOf({ stages: [{ stage: 'RequestExecution', keptForIdleOwners }] })).toBe('valid');
    for (const keptForIdleOwners of [-1, 97, 1.5]) {
      expect(faultOf({ stages: [{ stage: 'RequestExecution', keptForIdleOwners }] })).toBe('stages[0].keptForIdleOwners');
    }
    expect(faultOf({ mode: 'FairShare', stages: [{ stage: 'RequestExecution', keptForIdleOwners: 1 }] })).toBe(
      'stages[0].keptForIdleOwners',
    );
    expect(faultOf({ stages: [{ stage: 'RequestQueue', keptForIdleOwners: 1 }] })).toBe('stages[0].keptForIdleOwners');
    for (const ownerHardLimit of [1, 100]) expect(faultOf({ stages: [{ stage, ownerHardLimit }] })).toBe('valid');
    for (const ownerHardLimit of [0, 101, 1.5]) expect(faultOf({ stages: [{ stage, ownerHardLimit }] })).toBe('stages[0].ownerHardLimit');
    expect(faultOf({ stages: [{ stage, capacity: 50, ownerHardLimit: 51 }] })).toBe('stages[0].ownerHardLimit');
    expect(faultOf({ stages: [{ stage: 'RequestQueueBytes', ownerHardLimit: 4 * MiB - 1 }] })).toBe('stages[0].ownerHardLimit');
    const limited = (hardLimit: number): object => trusted({ reservations: [{ stage, reserved: 5, hardLimit }] });
    expect(faultOf(limited(5), roomy)).toBe('valid');
    expect(faultOf(limited(4), roomy)).toBe('trustedOwners[0].reservations[0].hardLimit');
    expect(faultOf(limited(101), roomy)).toBe('trustedOwners[0].reservations[0].hardLimit');
  });

  it('RI-13 accounting bounds that are not positive, and an owner table without room for every class', () => {
    for (const name of ['maxTrackedOwners', 'maxOwnerKeyLength', 'defaultWeight', 'maxRetainedMessageBytes']) {
      for (const value of [0, -1, Number.NaN]) expect(faultOf({ [name]: value })).toBe(name);
    }
    expect(faultOf({ maxTrackedOwners: 4 })).toBe('valid');
    expect(faultOf({ maxTrackedOwners: 3 })).toBe('maxTrackedOwners');
    expect(faultOf({ mode: 'FairShare', maxTrackedOwners: 1 })).toBe('valid');
    expect(faultOf(trusted({}, { maxTrackedOwners: 5 }), roomy)).toBe('valid');
    expect(faultOf(trusted({}, { maxTrackedOwners: 4 }), roomy)).toBe('maxTrackedOwners');
  });

  it('RI-13 doubled stages and owner keys, and unknown ones', () => {
    expect(faultOf({ stages: [{ stage: 'Connection' }, { stage: 'Connection' }] })).toBe('stages[1].stage');
    expect(faultOf({ stages: [{ stage: 'Sockets' }] })).toBe('stages[0].stage');
    const twice = { mode: 'TrustedReservations', trustedOwners: [{ key: 'a' }, { key: 'a' }] };
    expect(faultOf(twice, roomy)).toBe('trustedOwners[1].key');
    const stage = 'Connection';
    const reservations = [
      { stage, reserved: 1 },
      { stage, reserved: 1 },
    ];
    expect(faultOf(trusted({ reservations }), roomy)).toBe('trustedOwners[0].reservations[1].stage');
    expect(faultOf(trusted({ key: '' }), roomy)).toBe('trustedOwners[0].key');
    expect(faultOf(trusted({ key: 'abc' }, { maxOwnerKeyLength: 2 }), roomy)).toBe('trustedOwners[0].key');
    expect(faultOf(trusted({ weight: 0 }), roomy)).toBe('trustedOwners[0].weight');
    expect(faultOf({ mode: 'Balance' })).toBe('mode');
  });

  it('RI-13 what overflows exact integers', () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(faultOf({ mode: 'FairShare' }, { maxQueuedRequestCount: most })).toBe('maxMessageSize');
    expect(faultOf({}, { maxMessageSize: most })).not.toBe('valid');
    expect(faultOf({ stages: [{ stage: 'RequestQueue', bootstrapReserved: most }] })).toBe('maxQueuedRequestCount');
  });

  it('RI-21 less shared Connection capacity than sessions and one', () => {
    expect(faultOf({}, { maxChannelCount: 101 })).toBe('maxChannelCount');
    expect(faultOf({}, { maxChannelCount: 102 })).toBe('maxChannelCount');
    expect(faultOf({}, { maxChannelCount: 103 })).toBe('valid');
    expect(faultOf({ mode: 'FairShare' }, { maxChannelCount: 101 })).toBe('valid');
    expect(faultOf({ mode: 'FairShare' }, { maxChannelCount: 100 })).toBe('maxChannelCount');
    expect(faultOf(trusted({}), { ...roomy, maxChannelCount: 103 })).toBe('maxChannelCount');
    expect(faultOf(trusted({}), { ...roomy, maxChannelCount: 104 })).toBe('valid');
    expect(faultOf({ stages: [{ stage: 'Connection', capacity: 102 }] }, { maxChannelCount: 200 })).toBe('stages[0].capacity');
    expect(() => createRuntimePlan({ ...exampleLimits, maxChannelCount: 101 })).toThrow(/at least 103 \(2 reserved/u);
  });

  it('RI-03 reserves and trusted owners in FairShare', () => {
    for (const name of ['bootstrapReserved', 'reconnectReserved', 'controlReserved']) {
      const stages = [{ stage: 'RequestQueue', [name]: 1 }];
      expect(faultOf({ mode: 'FairShare', stages })).toBe(`stages[0].${name}`);
      expect(faultOf({ mode: 'FairShare', stages: [{ stage: 'RequestQueue', [name]: 0 }] })).toBe('valid');
    }
    for (const name of ['bootstrapReservedBytes', 'reconnectReservedBytes']) {
      expect(faultOf({ mode: 'FairShare', [name]: 32 * MiB })).toBe(name);
    }
    for (const mode of ['FairShare', 'Balanced', 'SharedOnly'])
      expect(faultOf({ mode, trustedOwners: [{ key: 'a' }] })).toBe('trustedOwners');
  });

  it('RI-04 a control reserve where requests are not decoded', () => {
    for (const stage of ['Connection', 'Handshake', 'ReassemblyBytes', 'SessionEstablishment']) {
      expect(faultOf({ stages: [{ stage, controlReserved: 1 }] })).toBe('stages[0].controlReserved');
    }
    for (const stage of ['RequestQueue', 'ParkedRequest', 'RequestExecution']) {
      expect(faultOf({ stages: [{ stage, controlReserved: 2 }] })).toBe('valid');
    }
  });

  it('RI-05 TrustedReservations without an owner, or without a classifier', () => {
    expect(faultOf({ mode: 'TrustedReservations', trustedOwners: [] }, roomy)).toBe('trustedOwners');
    const plan = createRuntimePlan({ ...exampleLimits, ...roomy }, { mode: 'TrustedReservations', trustedOwners: [{ key: 'a' }] });
    expect(pathOf(() => new DefaultResourceIsolationProvider({ plan }))).toBe('classifier');
    expect(pathOf(() => new DefaultResourceIsolationProvider({ plan, classifier: {} }))).toBe('valid');
  });

  it('RI-22 top-level byte reserves below one message, while a stage may give its reserves up', () => {
    for (const name of ['bootstrapReservedBytes', 'reconnectReservedBytes']) {
      expect(faultOf({ [name]: 17_039_360 })).toBe('valid');
      expect(faultOf({ [name]: 17_039_359 })).toBe(name);
      expect(faultOf({ [name]: 0 })).toBe(name);
    }
    const plan = createRuntimePlan(
      { ...exampleLimits, ...roomy },
      {
        mode: 'TrustedReservations',
        reconnectReservedBytes: 20 * MiB,
        stages: [
          { stage: 'ReassemblyBytes', bootstrapReserved: 0 },
          { stage: 'RequestQueue', bootstrapReserved: 0, reconnectReserved: 0, controlReserved: 0 },
        ],
        trustedOwners: [{ key: 'a', reservations: [{ stage: 'RequestQueue', reserved: 0 }] }],
      },
    );
    expect(plan.getStage('ReassemblyBytes')).toMatchObject({ bootstrap: 0, reconnect: 20 * MiB });
    expect(plan.getStage('RequestQueue')).toMatchObject({ bootstrap: 0, reconnect: 0, control: 0, trusted: 0, total: 100 });
  });

  it('RI-15 a handshake timeout that is not positive or longer than two minutes, whatever the mode', () => {
    for (const handshakeTimeoutMs of [0, -1, 120_001, Number.NaN]) {
      expect(pathOf(() => checkHandshakeTimeout({ handshakeTimeoutMs }))).toBe('handshakeTimeoutMs');
      for (const mode of ['SharedOnly', 'Balanced']) expect(faultOf({ mode, handshakeTimeoutMs })).toBe('handshakeTimeoutMs');
    }
    expect([checkHandshakeTimeout({}), checkHandshakeTimeout({ handshakeTimeoutMs: 1 })]).toEqual([120_000, 1]);
  });

  it('RI-10 nothing but what its defaults say when no option is given', () => {
    expect(createRuntimePlan(exampleLimits)).toMatchObject({
      mode: 'Balanced',
      maxTrackedOwners: 4_096,
      defaultWeight: 1,
      handshakeTimeoutMs: 120_000,
      ipv6PrefixLength: 64,
      trustedOwners: [],
    });
  });

  it('a budget that holds less than the plan promises', () => {
    const plan = createRuntimePlan(exampleLimits);
    const reassemblyBudget = new ChunkReassemblyBudget(64 * MiB - 1);
    expect(pathOf(() => new DefaultResourceIsolationProvider({ plan, reassemblyBudget }))).toBe('reassemblyBudget.maxBytes');
  });
});
