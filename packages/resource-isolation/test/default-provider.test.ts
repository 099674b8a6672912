import { describe, expect, it } from 'vitest';
import { ArrayCounters, type Counters, type Refusal, Stage, stageNames, type TrustedReservationsOptions } from '../src/index.ts';
import {
  anonymous,
  createProvider,
  disposeAll,
  exampleLimits,
  expectNothingInUse,
  granted,
  MapClassifier,
  smallLimits,
  take,
} from './fixtures.ts';

const { Connection, ReassemblyBytes, RequestExecution, RequestQueue, RequestQueueBytes, ParkedRequest } = Stage;

const gateway = new MapClassifier({
  start: { key: 'start', ownerClass: 'Bootstrap' },
  start2: { key: 'start2', ownerClass: 'Bootstrap' },
  back: { key: 'back', ownerClass: 'Reconnect' },
  control: { key: 'control', ownerClass: 'Control' },
  plant: { key: 'plant', ownerClass: 'Trusted' },
  stranger: { key: 'nobody', ownerClass: 'Trusted' },
});

/** 10 execution slots, 2 of them the plant's and 3 for the classes. */
const trustedOptions: TrustedReservationsOptions = {
  mode: 'TrustedReservations',
  stages: [
    { stage: 'RequestExecution', capacity: 10 },
    { stage: 'ReassemblyBytes', bootstrapReserved: 0, reconnectReserved: 0 },
  ],
  trustedOwners: [{ key: 'plant', weight: 4, reservations: [{ stage: 'RequestExecution', reserved: 2, hardLimit: 6 }] }],
};

/** So that one owner may use all that is shared beside others too. */
const nothingKeptForIdleOwners = { stages: [{ stage: 'RequestExecution', keptForIdleOwners: 0 }] } as const;

describe('DefaultResourceIsolationProvider', () => {
  it('RI-03 FairShare: all capacity is shared and an owner may have its hard limit, no more', () => {
    const provider = createProvider({ mode: 'FairShare', stages: [{ stage: 'RequestExecution', capacity: 10, ownerHardLimit: 8 }] });
    const leases = take(provider, RequestExecution, 'a', 8);
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('a'), 1)).toEqual({
      kind: 'refusal',
      id: 1,
      stage: RequestExecution,
      reason: 'OwnerLimit',
      usage: 8,
      limit: 8,
    });
    leases.push(...take(provider, RequestExecution, 'b', 2));
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('b'), 1)).toMatchObject({
      reason: 'Capacity',
      usage: 10,
      limit: 10,
    });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-04 Balanced: ordinary callers get what is shared at every stage and never a reserve', () => {
    const provider = createProvider(nothingKeptForIdleOwners);
    const leases = stageNames.flatMap((name) => {
      const { unit, shared } = provider.plan.getStage(name);
      const owner = provider.classifyIngress('10.0.0.1');
      const all = granted(provider.tryAcquire(Stage[name], owner, shared));
      expect(provider.tryAcquire(Stage[name], owner, 1), name).toMatchObject({ reason: 'Capacity', usage: shared, limit: shared });
      const protectedOwner = createProviderOwner(provider, 'Bootstrap');
      const reserve = granted(provider.tryAcquire(Stage[name], protectedOwner, unit));
      expect(provider.tryAcquire(Stage[name], protectedOwner, 1), name).toMatchObject({ reason: 'Capacity' });
      return [all, reserve];
    });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-04 protected callers use their reserve first, then what is shared, within their hard limit', () => {
    const options = { stages: [{ stage: 'RequestExecution', capacity: 10, ownerHardLimit: 5 }] } as const;
    const provider = createProvider(options, { classifier: gateway });
    const protectedLeases = take(provider, RequestExecution, 'back', 5);
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('back'), 1)).toMatchObject({ reason: 'OwnerLimit' });
    const ordinary = [...take(provider, RequestExecution, 'a', 3)];
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('a'), 1)).toMatchObject({
      reason: 'Capacity',
      usage: 7,
      limit: 7,
    });
    // Whichever lease ends: what is left of them is in the reserve, so what they shared is free again.
    protectedLeases[0]?.[Symbol.dispose]();
    ordinary.push(...take(provider, RequestExecution, 'a', 1));
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('a'), 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll([...protectedLeases, ...ordinary]);
    expectNothingInUse(provider);
  });

  it('RI-04 Bootstrap, Reconnect and Control do not use each other’s reserve', () => {
    const provider = createProvider(nothingKeptForIdleOwners, { classifier: gateway });
    const leases = take(provider, RequestExecution, '10.0.0.1', 97);
    for (const address of ['start', 'back', 'control']) {
      leases.push(...take(provider, RequestExecution, address, 1));
      expect(provider.tryAcquire(RequestExecution, provider.classifyIngress(address), 1)).toMatchObject({
        reason: 'Capacity',
        usage: 98,
        limit: 98,
      });
    }
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('start2'), 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-05 a trusted owner’s reserve is nobody else’s, and an unknown trusted key gets nothing', () => {
    const provider = createProvider(trustedOptions, { classifier: gateway }, { ...smallLimits, maxSessionCount: 1 });
    const leases = take(provider, RequestExecution, 'a', 5);
    for (const address of ['a', 'b']) {
      expect(provider.tryAcquire(RequestExecution, provider.classifyIngress(address), 1)).toMatchObject({ reason: 'Capacity' });
    }
    leases.push(...take(provider, RequestExecution, 'start', 1));
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('start'), 1)).toMatchObject({ reason: 'Capacity' });
    leases.push(...take(provider, RequestExecution, 'plant', 2));
    expect(provider.classifyIngress('plant')).toMatchObject({ key: 'plant', ownerClass: 'Trusted', weight: 4 });
    for (const name of stageNames) {
      expect(provider.tryAcquire(Stage[name], provider.classifyIngress('stranger'), 1)).toMatchObject({ reason: 'InvalidOwner' });
    }
    expect(provider.tryAdmitRequest(provider.classifyIngress('stranger'), 1, true)).toMatchObject({ reason: 'InvalidOwner' });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-06 a trusted owner is refused at its hard limit, and at its reserve once nothing is shared', () => {
    const provider = createProvider(trustedOptions, { classifier: gateway }, { ...smallLimits, maxSessionCount: 1 });
    const plant = provider.classifyIngress('plant');
    const leases = take(provider, RequestExecution, 'plant', 6);
    expect(provider.tryAcquire(RequestExecution, plant, 1)).toMatchObject({ reason: 'OwnerLimit', usage: 6, limit: 6 });
    disposeAll(leases);
    const others = take(provider, RequestExecution, 'a', 5);
    const own = take(provider, RequestExecution, 'plant', 2);
    expect(provider.tryAcquire(RequestExecution, plant, 1)).toMatchObject({ reason: 'Capacity', usage: 7, limit: 7 });
    disposeAll([...others, ...own]);
    expectNothingInUse(provider);
  });

  it('RI-07 a lone owner may use all that is shared, and what it was granted stays its own', () => {
    const provider = createProvider();
    const leases = take(provider, RequestQueue, 'a', 100);
    const newcomer = provider.classifyIngress('b');
    expect(provider.tryAcquire(RequestQueue, newcomer, 1)).toMatchObject({ reason: 'Capacity' });
    expect(provider.getUsage(RequestQueue)).toBe(100);
    leases.pop()?.[Symbol.dispose]();
    leases.push(granted(provider.tryAcquire(RequestQueue, newcomer, 1)));
    expect(provider.getUsage(RequestQueue)).toBe(100);
    disposeAll(leases);
  });

  it('RI-07 the last eighth of what may run is for owners with nothing running, but a lone owner may use all of it', () => {
    const provider = createProvider();
    const { shared, keptForIdleOwners } = provider.plan.getStage(RequestExecution);
    expect(keptForIdleOwners).toBe(Math.floor(shared / 8));
    const alone = take(provider, RequestExecution, 'a', shared);
    disposeAll(alone);
    const other = take(provider, Connection, 'b', 1);
    const busy = take(provider, RequestExecution, 'a', shared - keptForIdleOwners);
    const more = provider.tryAcquire(RequestExecution, provider.classifyIngress('a'), 1);
    expect(more).toMatchObject({ reason: 'Capacity', usage: shared - keptForIdleOwners, limit: shared - keptForIdleOwners });
    const first = take(provider, RequestExecution, 'b', 1);
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('b'), 1)).toMatchObject({ reason: 'Capacity' });
    const newcomers = Array.from({ length: keptForIdleOwners - 1 }, (_, at) => take(provider, RequestExecution, `new${at}`, 1)).flat();
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('late'), 1)).toMatchObject({ reason: 'Capacity', limit: shared });
    disposeAll([...other, ...busy, ...first, ...newcomers]);
    expectNothingInUse(provider);
  });

  it('RI-18 ten callers keep 1,000 requests each outstanding, and the next is refused', () => {
    const provider = createProvider({}, {}, { ...exampleLimits, maxQueuedRequestCount: 10_000 });
    const leases = Array.from({ length: 10 }, (_, at) => take(provider, RequestQueue, `10.0.0.${at}`, 1_000)).flat();
    expect(provider.tryAcquire(RequestQueue, provider.classifyIngress('10.0.0.1'), 1)).toMatchObject({ reason: 'Capacity', limit: 10_000 });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('says OwnerLimit rather than Capacity when both would refuse, so that nobody is evicted for nothing', () => {
    const provider = createProvider({ mode: 'FairShare', stages: [{ stage: 'Connection', ownerHardLimit: 8 }] });
    const leases = take(provider, Connection, 'a', 8);
    expect(provider.tryAcquire(Connection, provider.classifyIngress('a'), 1)).toMatchObject({ reason: 'OwnerLimit' });
    expect(provider.tryAcquire(Connection, provider.classifyIngress('b'), 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll(leases);
  });

  it('grants exactly the rest of a byte stage and refuses one byte more', () => {
    const provider = createProvider();
    const leases = take(provider, ReassemblyBytes, 'a', 1, 999);
    expect(provider.tryAcquire(ReassemblyBytes, provider.classifyIngress('b'), 2)).toMatchObject({
      reason: 'Capacity',
      usage: 999,
      limit: 1_000,
    });
    leases.push(...take(provider, ReassemblyBytes, 'b', 1, 1));
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('gives a charge back once however often its lease is disposed, after others took its place too', () => {
    const provider = createProvider();
    const [first] = take(provider, RequestExecution, 'a', 1);
    first?.[Symbol.dispose]();
    const [second] = take(provider, RequestExecution, 'a', 1);
    first?.[Symbol.dispose]();
    expect([provider.getUsage(RequestExecution), provider.trackedOwnerCount]).toEqual([1, 1]);
    second?.[Symbol.dispose]();
    second?.[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it.each([
    ['RequestQueue', { stage: 'RequestQueue', capacity: 4 }],
    ['RequestQueueBytes', { stage: 'RequestQueueBytes', capacity: 400 }],
    ['ParkedRequest', { stage: 'ParkedRequest', capacity: 4 }],
  ] as const)('a request that %s refuses leaves nothing of it behind', (name, stage) => {
    const provider = createProvider({ stages: [stage] });
    const first = granted(provider.tryAdmitRequest(provider.classifyIngress('a'), 100, true));
    const usage = (): number[] => stageNames.map((each) => provider.getUsage(Stage[each]));
    const before = usage();
    expect(provider.tryAdmitRequest(provider.classifyIngress('b'), 100, true)).toMatchObject({ stage: Stage[name], reason: 'Capacity' });
    expect(usage()).toEqual(before);
    expect(provider.trackedOwnerCount).toBe(1);
    for (const lease of [first.parked, first.bytes, first.queue]) lease?.[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('charges a request’s bytes and its slots apart, a parked slot only if it may park', () => {
    const provider = createProvider();
    const leases = granted(provider.tryAdmitRequest(provider.classifyIngress('a'), 100, false));
    expect([RequestQueue, RequestQueueBytes, ParkedRequest].map((stage) => provider.getUsage(stage))).toEqual([1, 100, 0]);
    leases.queue[Symbol.dispose]();
    expect([RequestQueue, RequestQueueBytes].map((stage) => provider.getUsage(stage))).toEqual([0, 100]);
    leases.bytes[Symbol.dispose]();
    expect(leases.parked).toBeUndefined();
    expectNothingInUse(provider);
  });

  it('takes owners it did not make itself, and refuses impossible ones', () => {
    const provider = createProvider({ maxOwnerKeyLength: 8 });
    const lease = granted(provider.tryAcquire(Connection, { key: '12345678', ownerClass: 'Shared', weight: 1 }, 1));
    for (const key of ['', '123456789']) {
      expect(provider.tryAcquire(Connection, { key, ownerClass: 'Shared', weight: 1 }, 1)).toMatchObject({ reason: 'InvalidOwner' });
    }
    const strange = { key: 'a', ownerClass: 'Admin' as 'Shared', weight: 1 };
    expect(provider.tryAcquire(Connection, strange, 1)).toMatchObject({ reason: 'InvalidOwner' });
    lease[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('throws for amounts that are no integers >= 1', () => {
    const provider = createProvider();
    const owner = provider.classifyIngress('a');
    for (const amount of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => provider.tryAcquire(Connection, owner, amount)).toThrow(RangeError);
      expect(() => provider.tryAdmitRequest(owner, amount, false)).toThrow(RangeError);
    }
    expectNothingInUse(provider);
  });

  it('RI-24 shows the plan it works by', () => {
    const provider = createProvider();
    expect(provider.plan.getStage('Connection').shared).toBe(6);
  });

  it('counts refusals by stage and reason, and shows owners with their usage', () => {
    const refused: [Refusal['reason'], string, boolean][] = [];
    const provider = createProvider(
      { stages: [{ stage: 'Connection', ownerHardLimit: 2 }] },
      { onRefused: (refusal, owner, isShadow) => refused.push([refusal.reason, owner.key, isShadow]) },
    );
    const leases = [...take(provider, Connection, 'a', 2), ...take(provider, Connection, 'b', 2)];
    provider.tryAcquire(Connection, provider.classifyIngress('a'), 1);
    leases.push(...take(provider, Connection, 'c', 2));
    provider.tryAcquire(Connection, provider.classifyIngress('d'), 1);
    expect([provider.getRefusalCount(Connection, 'OwnerLimit'), provider.getRefusalCount(Connection, 'Capacity')]).toEqual([1, 1]);
    expect(provider.getRefusalCount(Stage.Handshake, 'Capacity')).toBe(0);
    expect(refused).toEqual([
      ['OwnerLimit', 'address:a', false],
      ['Capacity', 'address:d', false],
    ]);
    expect([...provider.ownerUsages()].map(({ key, usage, refusalCount }) => [key, usage[Connection], refusalCount])).toEqual([
      ['address:a', 2, 1],
      ['address:b', 2, 0],
      ['address:c', 2, 0],
    ]);
    disposeAll(leases);
    expect([...provider.ownerUsages()]).toEqual([]);
  });

  it('wakes the queue of decoded requests when execution was refused and has room again, and only then', () => {
    const provider = createProvider({ mode: 'FairShare', stages: [{ stage: 'RequestExecution', capacity: 2 }] });
    let calls = 0;
    const subscription = provider.onCapacity(() => calls++);
    const leases = take(provider, RequestExecution, 'a', 2);
    leases.pop()?.[Symbol.dispose]();
    leases.push(...take(provider, RequestExecution, 'a', 1));
    disposeAll(take(provider, Connection, 'a', 1));
    expect(calls).toBe(0);
    provider.tryAcquire(RequestExecution, provider.classifyIngress('b'), 1);
    expect(calls).toBe(0);
    leases.pop()?.[Symbol.dispose]();
    expect(calls).toBe(1);
    provider.tryAcquire(RequestExecution, provider.classifyIngress('b'), 2);
    subscription[Symbol.dispose]();
    subscription[Symbol.dispose]();
    disposeAll(leases);
    expect(calls).toBe(1);
    provider[Symbol.dispose]();
    provider[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('keeps all its numbers in the counters it is given', () => {
    const made: Counters[] = [];
    const allocateCounters = (length: number): Counters => {
      const counters = new ArrayCounters(length);
      made.push(counters);
      return counters;
    };
    const provider = createProvider({}, { allocateCounters });
    const before = made.length;
    const leases = Array.from({ length: 6 }, (_, at) => take(provider, Connection, `10.0.0.${at}`, 1)).flat();
    expect(before).toBeGreaterThan(0);
    expect(made.length).toBe(before + 1);
    disposeAll(leases);
    expectNothingInUse(provider);
  });
});

describe('the owner table', () => {
  it('RI-29 refuses a new owner rather than to forget one with live charges', () => {
    const provider = createProvider({ mode: 'FairShare', maxTrackedOwners: 2 });
    const [a] = take(provider, Connection, 'a', 1);
    const leases = take(provider, Connection, 'b', 1);
    expect(provider.tryAcquire(Connection, provider.classifyIngress('c'), 1)).toEqual({
      kind: 'refusal',
      id: 1,
      stage: Connection,
      reason: 'OwnerTableFull',
      usage: 2,
      limit: 2,
    });
    expect(provider.tryAdmitRequest(provider.classifyIngress('c'), 1, false)).toMatchObject({ reason: 'OwnerTableFull' });
    leases.push(...take(provider, RequestQueue, 'a', 1), ...take(provider, Connection, 'b', 1));
    a?.[Symbol.dispose]();
    expect(provider.tryAcquire(Connection, provider.classifyIngress('c'), 1)).toMatchObject({ reason: 'OwnerTableFull' });
    disposeAll(leases);
    disposeAll(take(provider, Connection, 'c', 1));
    expectNothingInUse(provider);
  });

  it('RI-29 ordinary churn leaves the entries of protected classes and trusted owners alone', () => {
    const options: TrustedReservationsOptions = { ...trustedOptions, maxTrackedOwners: 6 };
    const provider = createProvider(options, { classifier: gateway }, { ...smallLimits, maxSessionCount: 1 });
    const leases = [];
    for (let at = 0; at < 1_000; at++) {
      const answer = provider.tryAcquire(RequestQueue, provider.classifyIngress(`10.0.${at >> 8}.${at & 255}`), 1);
      if (answer.kind === 'lease') leases.push(answer);
      else expect(answer.reason).toBe('OwnerTableFull');
    }
    expect(provider.trackedOwnerCount).toBe(2);
    for (const address of ['start', 'back', 'control', 'plant']) leases.push(...take(provider, RequestQueue, address, 1));
    expect(provider.tryAcquire(RequestQueue, provider.classifyIngress('start2'), 1)).toMatchObject({ reason: 'OwnerTableFull' });
    expect(provider.trackedOwnerCount).toBe(6);
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-29 a protected class beyond its entry takes those for everybody, and gives them back', () => {
    const provider = createProvider({ maxTrackedOwners: 5 }, { classifier: gateway });
    const start = take(provider, RequestQueue, 'start', 1);
    const start2 = take(provider, RequestQueue, 'start2', 1);
    const ordinary = take(provider, RequestQueue, 'a', 1);
    expect(provider.tryAcquire(RequestQueue, provider.classifyIngress('b'), 1)).toMatchObject({ reason: 'OwnerTableFull' });
    disposeAll(start);
    ordinary.push(...take(provider, RequestQueue, 'b', 1));
    expect(provider.tryAcquire(RequestQueue, provider.classifyIngress('start'), 1)).toMatchObject({ reason: 'OwnerTableFull' });
    disposeAll([...start2, ...ordinary]);
    expectNothingInUse(provider);
  });

  it('knows an owner that comes back after hundreds of others', () => {
    const provider = createProvider({ mode: 'FairShare', maxTrackedOwners: 4 });
    const early = provider.classifyIngress('10.9.9.9');
    disposeAll([granted(provider.tryAcquire(Connection, early, 1))]);
    for (let at = 0; at < 500; at++) disposeAll(take(provider, Connection, `10.1.${at >> 8}.${at & 255}`, 2));
    const lease = granted(provider.tryAcquire(Connection, early, 1));
    expect([...provider.ownerUsages()]).toMatchObject([{ key: 'address:10.9.9.9' }]);
    lease[Symbol.dispose]();
    expectNothingInUse(provider);
  });

  it('keeps owners apart that come and go and come back, however many there are', () => {
    const provider = createProvider({ mode: 'FairShare' }, {}, { ...exampleLimits, maxQueuedRequestCount: 200 });
    const owners = Array.from({ length: 100 }, (_, at) => provider.classifyIngress(`10.1.0.${at}`));
    for (const owner of owners) disposeAll([granted(provider.tryAcquire(RequestQueue, owner, 1))]);
    const newcomers = Array.from({ length: 40 }, (_, at) => provider.classifyIngress(`10.2.0.${at}`));
    for (const all of [owners, owners.toReversed(), [...owners, ...newcomers]]) {
      const leases = all.map((owner) => granted(provider.tryAcquire(RequestQueue, owner, 1)));
      const usages = [...provider.ownerUsages()];
      expect(usages.map(({ usage }) => usage[RequestQueue])).toEqual(all.map(() => 1));
      expect(new Set(usages.map(({ key }) => key)).size).toBe(all.length);
      disposeAll(leases);
    }
    expectNothingInUse(provider);
  });

  it('forgets no owner with live charges when others come and go', () => {
    const provider = createProvider({ mode: 'FairShare', stages: [{ stage: 'RequestQueue', ownerHardLimit: 2 }] }, {}, exampleLimits);
    disposeAll(take(provider, RequestQueue, '10.9.9.9', 1));
    const live = take(provider, RequestQueue, '10.9.9.9', 1);
    for (let at = 0; at < 200; at++) disposeAll(take(provider, RequestQueue, `10.1.0.${at}`, 1));
    live.push(...take(provider, RequestQueue, '10.9.9.9', 1));
    expect(provider.tryAcquire(RequestQueue, provider.classifyIngress('10.9.9.9'), 1)).toMatchObject({ reason: 'OwnerLimit', usage: 2 });
    expect(provider.trackedOwnerCount).toBe(1);
    disposeAll(live);
    expectNothingInUse(provider);
  });

  it('needs no more memory for ten thousand owners that come and go than for those at a time', () => {
    let counters = 0;
    const allocateCounters = (length: number): Counters => {
      counters += length;
      return new ArrayCounters(length);
    };
    const provider = createProvider({}, { allocateCounters });
    for (let at = 0; at < 10_000; at++) disposeAll(take(provider, Connection, `10.${at >> 8}.0.${at & 255}`, 1));
    expect(counters).toBeLessThan(2_000);
    expectNothingInUse(provider);
  });

  it('counts one key apart in each class', () => {
    const classifier = new MapClassifier({ '10.0.0.1': { key: 'address:10.0.0.2', ownerClass: 'Reconnect' } });
    const provider = createProvider({}, { classifier });
    const leases = [...take(provider, Connection, '10.0.0.1', 1), ...take(provider, Connection, '10.0.0.2', 1)];
    expect([...provider.ownerUsages()].map(({ ownerClass }) => ownerClass)).toEqual(['Reconnect', 'Shared']);
    disposeAll(leases);
  });
});

function createProviderOwner(provider: ReturnType<typeof createProvider>, ownerClass: 'Bootstrap') {
  expect(provider.classify(anonymous).ownerClass).toBe('Shared');
  return { key: 'gateway', ownerClass, weight: 1 } as const;
}
