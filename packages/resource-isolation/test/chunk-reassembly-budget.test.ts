import { describe, expect, it } from 'vitest';
import {
  ChunkReassemblyBudget,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type Refusal,
  RefusalIds,
  type ResourceIsolationProvider,
  type SharedResourceIsolationOptions,
  SharedResourceIsolationProvider,
  Stage,
  withReassemblyBudget,
} from '../src/index.ts';
import { anonymous, createProvider, disposeAll, expectNothingInUse, granted, MiB, smallLimits, take } from './fixtures.ts';

const stage = Stage.ReassemblyBytes;

describe('ChunkReassemblyBudget', () => {
  it.each([
    [0, 1024 * MiB],
    [1, 64 * MiB],
    [2 * MiB, 64 * MiB],
    [4 * MiB, 64 * MiB],
    [4 * MiB + 1, 64 * MiB + 16],
    [64 * MiB, 1024 * MiB],
    [200 * MiB, 1024 * MiB],
    [256 * MiB + 1, 1024 * MiB + 4],
  ])('CB-02 the default for messages of %d bytes is %d', (maxMessageSize, maxBytes) => {
    expect(ChunkReassemblyBudget.defaultMaxBytes(maxMessageSize)).toBe(maxBytes);
  });

  it('CB-06 channels without a Session reserve only while usage stays within their threshold, half by default', () => {
    const budget = new ChunkReassemblyBudget(101);
    expect(budget.maxBytesWithoutSession).toBe(50);
    expect(budget.tryReserve(50, false)).toBe(true);
    expect(budget.tryReserve(1, false)).toBe(false);
    expect(budget.tryReserve(51, true)).toBe(true);
    expect(budget.tryReserve(1, true)).toBe(false);
    budget.release(52);
    expect(budget.tryReserve(1, false)).toBe(true);
    budget.release(50);
    expect(budget.usedBytes).toBe(0);
    expect(() => budget.release(1)).toThrow(RangeError);
    expect(() => budget.tryReserve(0, true)).toThrow(RangeError);
  });

  it('CB-07 checks both limits at once', () => {
    for (const maxBytes of [0, -1, 1.5, Number.NaN]) expect(() => new ChunkReassemblyBudget(maxBytes)).toThrow('maxBytes');
    for (const sessionless of [0, 101, 0.5]) expect(() => new ChunkReassemblyBudget(100, sessionless)).toThrow('maxBytesWithoutSession');
    expect(new ChunkReassemblyBudget(100, 100).maxBytesWithoutSession).toBe(100);
  });

  it('CB-07 one budget bounds several providers together', () => {
    const reassemblyBudget = new ChunkReassemblyBudget(2_000);
    const options = { mode: 'FairShare' } as const;
    const [a, b] = [createProvider(options, { reassemblyBudget }), createProvider(options, { reassemblyBudget })];
    const leases = take(a, stage, 'a', 3, 500);
    expect(b.tryAcquire(stage, b.classifyIngress('b'), 501)).toEqual({
      kind: 'refusal',
      id: 1,
      stage,
      reason: 'Capacity',
      usage: 1_500,
      limit: 2_000,
    });
    expectNothingInUse(b);
    leases.push(...take(b, stage, 'b', 1, 500));
    expect(reassemblyBudget.usedBytes).toBe(2_000);
    disposeAll(leases);
    disposeAll(leases);
    expect(reassemblyBudget.usedBytes).toBe(0);
    for (const provider of [a, b]) expectNothingInUse(provider);
  });
});

function sharedOnly(options: Partial<SharedResourceIsolationOptions> = {}): SharedResourceIsolationProvider {
  const some = 10;
  return new SharedResourceIsolationProvider({
    ...options,
    totals: {
      Connection: some,
      Handshake: some,
      ReassemblyBytes: 1_000,
      RequestQueue: some,
      RequestQueueBytes: 1_000,
      ParkedRequest: some,
      RequestExecution: some,
      SessionEstablishment: some,
    },
  });
}

describe('withReassemblyBudget', () => {
  it('CB-06 without own classification the threshold holds, and any activated Session lifts it', () => {
    const budget = new ChunkReassemblyBudget(100, 40);
    const provider = withReassemblyBudget(sharedOnly(), budget);
    const lease = granted(provider.tryAcquire(stage, provider.classify(anonymous), 40));
    expect(provider.tryAcquire(stage, provider.classify(anonymous), 1)).toMatchObject({ reason: 'Capacity', usage: 40, limit: 40 });
    const activated = provider.classify({ ...anonymous, hasActivatedSession: true });
    const rest = granted(provider.tryAcquire(stage, activated, 60));
    expect(provider.tryAcquire(stage, activated, 1)).toMatchObject({ reason: 'Capacity', usage: 100, limit: 100 });
    expect(provider.getUsage(stage)).toBe(100);
    disposeAll([lease, rest, lease]);
    expect(budget.usedBytes).toBe(0);
    expectNothingInUse(provider);
  });

  it('BX-05 refusals of the provider and of the budget have ids of one row, and both are told', () => {
    const told: number[] = [];
    const common = { refusalIds: new RefusalIds(), onRefused: ({ id }: Refusal) => void told.push(id) };
    const provider = withReassemblyBudget(sharedOnly(common), new ChunkReassemblyBudget(100, 40), common);
    const owner = provider.classify(anonymous);
    const answers = [41, 2_000, 41].map((amount) => provider.tryAcquire(stage, owner, amount));
    expect(answers.map((answer) => (answer as Refusal).id)).toEqual([1, 2, 3]);
    expect(told).toEqual([1, 2, 3]);
  });

  it('forwards what the provider inside knows of channels, capacity and its plan', () => {
    const asked: unknown[] = [];
    const plan = createRuntimePlan(smallLimits);
    const inner: ResourceIsolationProvider = new DefaultResourceIsolationProvider({ plan });
    inner.classifyOn = (...args) => {
      asked.push(args);
      return { key: 'k', ownerClass: 'Shared', weight: 1 };
    };
    inner.channelClosed = (channel) => void asked.push(channel);
    const provider = withReassemblyBudget(inner, new ChunkReassemblyBudget(2_000));
    const [channel, activation] = [{}, {}];
    expect(provider.classifyOn?.(channel, activation, anonymous).key).toBe('k');
    provider.channelClosed?.(channel);
    expect(asked).toEqual([[channel, activation, anonymous], channel]);
    expect(provider.plan).toBe(plan);
    expect(provider.onCapacity === undefined).toBe(false);
    const silent: ResourceIsolationProvider = Object.assign(Object.create(sharedOnly()) as ResourceIsolationProvider, {
      onCapacity: undefined,
    });
    expect(withReassemblyBudget(silent, new ChunkReassemblyBudget(100)).onCapacity === undefined).toBe(true);
  });

  it('RI-45 a provider that classifies reassembly replaces the threshold, never the total', () => {
    const budget = new ChunkReassemblyBudget(100, 40);
    const inner = sharedOnly();
    const own: ResourceIsolationProvider = Object.assign(Object.create(inner) as ResourceIsolationProvider, {
      replacesSessionlessRule: true,
      classify: () => ({ key: 'everybody', ownerClass: 'Shared', weight: 1 }) as const,
      tryAcquire: (...args: Parameters<ResourceIsolationProvider['tryAcquire']>) => inner.tryAcquire(...args),
    });
    const provider = withReassemblyBudget(own, budget);
    const lease = granted(provider.tryAcquire(stage, provider.classify(anonymous), 100));
    expect(provider.tryAcquire(stage, provider.classify(anonymous), 1)).toMatchObject({ reason: 'Capacity', limit: 100 });
    lease[Symbol.dispose]();
    expect([budget.usedBytes, inner.getUsage(stage)]).toEqual([0, 0]);
  });

  it('RI-45 the default provider decides by class instead of the threshold, within the total', () => {
    const reassemblyBudget = new ChunkReassemblyBudget(2_000, 1);
    const plan = createRuntimePlan({ ...smallLimits, reassemblyBudget });
    const provider = new DefaultResourceIsolationProvider({ plan, reassemblyBudget });
    expect(withReassemblyBudget(provider, reassemblyBudget)).toBe(provider);
    const leases = take(provider, stage, '10.0.0.1', 1, 1_000);
    expect(provider.tryAcquire(stage, provider.classifyIngress('10.0.0.1'), 1)).toMatchObject({
      reason: 'Capacity',
      usage: 1_000,
      limit: 1_000,
    });
    disposeAll(leases);
  });

  it('leaves the other stages to the provider', () => {
    const inner = sharedOnly();
    const provider = withReassemblyBudget(inner, new ChunkReassemblyBudget(1));
    const owner = provider.classify({ ...anonymous, hasActivatedSession: true });
    expect(owner.key).toBe('address:10.0.0.1');
    const request = granted(provider.tryAdmitRequest(owner, 500, true));
    expect([inner.getUsage(Stage.RequestQueueBytes), provider.trackedOwnerCount]).toEqual([500, 1]);
    for (const lease of [request.queue, request.bytes, request.parked]) lease?.[Symbol.dispose]();
    provider.onCapacity?.(() => {})[Symbol.dispose]();
    expectNothingInUse(provider);
  });
});
