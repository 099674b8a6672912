import {
  ChunkReassemblyBudget,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type ResourceIsolationClassifier,
  Stage,
} from '@bulkhead/resource-isolation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MiB, planServer, resolveServerOptions, type ServerOptions } from '../src/index.ts';
import type { ServerIsolation } from '../src/isolation/server-isolation.ts';
import { createIsolation } from '../src/isolation.ts';
import { ownerOf, TestRuntime } from './harness.ts';

const name = { applicationName: 'Test' };

function isolate(options: Partial<ServerOptions> = {}, runtime = new TestRuntime()): ServerIsolation {
  const given = { ...name, ...options };
  return createIsolation(resolveServerOptions(given), given, runtime, () => []);
}

afterEach(() => void vi.restoreAllMocks());

describe('the isolation of a server', () => {
  it('RI-01 is Balanced unless another mode is named', () => {
    expect(isolate().plan?.mode).toBe('Balanced');
    expect(isolate({ resourceIsolation: {} }).plan?.mode).toBe('Balanced');
    expect(isolate({ resourceIsolation: { mode: 'FairShare' } }).plan?.mode).toBe('FairShare');
    expect(isolate({ resourceIsolation: { mode: 'SharedOnly' } }).plan).toBeUndefined();
  });

  it('RI-16 RI-17 comes to the stated figures for the stated options', () => {
    const isolation = isolate({
      maxSessionCount: 100,
      maxChannelCount: 103,
      maxConcurrentRequests: 100,
      maxQueuedRequestCount: 100,
      maxMessageSize: 4 * MiB,
      maxBufferSize: 65_536,
      rateLimits: { maxConcurrentSessionEstablishment: 64 },
      chunkReassemblyBudget: new ChunkReassemblyBudget(64 * MiB),
    });
    const [connection, handshake, reassembly, , , , execution, establishment] = isolation.usage();
    expect(connection).toMatchObject({ stage: 'Connection', unit: 'count', used: 0, total: 103, shared: 101, bootstrap: 1, reconnect: 1 });
    expect(handshake).toMatchObject({ stage: 'Handshake', total: 103 });
    expect(reassembly).toMatchObject({ total: 67_108_864, shared: 33_030_144, bootstrap: 17_039_360, reconnect: 17_039_360 });
    expect(execution).toMatchObject({ stage: 'RequestExecution', total: 100, shared: 97 });
    expect(establishment).toMatchObject({ stage: 'SessionEstablishment', total: 64, shared: 62 });
  });

  it('RI-16 runs and queues at least 100 requests, in modes with a plan', () => {
    const plan = planServer({ ...name, maxConcurrentRequests: 10, maxQueuedRequestCount: 10 });
    expect(plan.getStage('RequestExecution').total).toBe(100);
    expect(plan.getStage('RequestQueue').shared).toBe(100);
    expect(planServer({ ...name, maxConcurrentRequests: 250 }).getStage('RequestExecution').total).toBe(250);
  });

  it('RI-18 plans 10,003 queued requests for 10,000, and as many Publish requests that wait', () => {
    const plan = planServer({ ...name, maxQueuedRequestCount: 10_000 });
    expect(plan.getStage('RequestQueue')).toMatchObject({ total: 10_003, shared: 10_000 });
    expect(plan.getStage('ParkedRequest').shared).toBe(10_000);
  });

  it.each([1, 4, 16, 64, 80])('CB-02 fits messages of %i MiB without being told of a budget', (size) => {
    const maxMessageSize = size * MiB;
    const plan = planServer({ ...name, maxMessageSize });
    expect(plan.getStage('ReassemblyBytes').total).toBe(ChunkReassemblyBudget.defaultMaxBytes(maxMessageSize));
    expect(plan.getStage('ReassemblyBytes').shared).toBeGreaterThanOrEqual(plan.maxRetainedMessageBytes);
  });

  it('RI-14 can be planned for mode SharedOnly too, though such a server does without', () => {
    expect(planServer({ ...name, resourceIsolation: { mode: 'SharedOnly' } }).getStage('Connection')).toMatchObject({
      total: 200,
      shared: 200,
    });
    const narrow = { ...name, maxSessionCount: 10, maxChannelCount: 11 };
    expect(isolate({ ...narrow, resourceIsolation: { mode: 'SharedOnly' } }).plan).toBeUndefined();
    expect(() => planServer(narrow)).toThrow(/maxChannelCount/u);
  });

  it('RL-02 limits Session establishment unless that is turned off, and in modes with a plan even then', () => {
    const establishment = (options: Partial<ServerOptions>) => isolate(options).usage()[Stage.SessionEstablishment]?.total;
    const rateLimits = { maxConcurrentSessionEstablishment: 5 };
    const shared = { resourceIsolation: { mode: 'SharedOnly' }, maxConcurrentRequests: 70 } as const;
    expect(establishment({ ...shared, rateLimits })).toBe(5);
    for (const off of [{ enabled: false }, { sessionRateLimitEnabled: false }]) {
      expect(establishment({ ...shared, rateLimits: { ...rateLimits, ...off } })).toBe(70);
      expect(establishment({ rateLimits: { ...rateLimits, ...off } })).toBe(5);
    }
  });

  it('tells usage and limits in mode SharedOnly as well', () => {
    const isolation = isolate({ resourceIsolation: { mode: 'SharedOnly' }, maxQueuedRequestCount: 7 });
    const leases = isolation.provider.tryAdmitRequest(ownerOf('a'), 100, false);
    expect(isolation.usage()[Stage.RequestQueue]).toMatchObject({ used: 1, total: 7, shared: 7, bootstrap: 0, ownerHardLimit: 7 });
    expect(isolation.trackedOwnerCount).toBe(1);
    if (leases.kind === 'lease') leases.queue[Symbol.dispose]();
    expect(isolation.usage()[Stage.RequestQueue]?.used).toBe(0);
  });
});

describe('what the host gives', () => {
  const withDispose = (provider: DefaultResourceIsolationProvider) => ({ provider, dispose: vi.spyOn(provider, Symbol.dispose) });
  const ownProvider = () => new DefaultResourceIsolationProvider({ plan: createRuntimePlan(resolveServerOptions(name)) });

  it.each([undefined, 'SharedOnly', 'Balanced'] as const)(
    'RI-12 a provider goes before mode %s and is not ended with the server',
    (mode) => {
      const { provider, dispose } = withDispose(ownProvider());
      const asked = vi.spyOn(provider, 'tryAcquire');
      const isolation = isolate({ resourceIsolationProvider: provider, ...(mode === undefined ? {} : { resourceIsolation: { mode } }) });
      const lease = isolation.provider.tryAcquire(Stage.Connection, provider.classifyIngress('10.0.0.1'), 1);
      expect(lease.kind).toBe('lease');
      expect(asked).toHaveBeenCalledOnce();
      expect(isolation.plan).toBe(provider.plan);
      isolation[Symbol.dispose]();
      expect(dispose).not.toHaveBeenCalled();
    },
  );

  it('RI-12 a provider makes planning unnecessary: options that fit no plan are fine', () => {
    const options = { maxSessionCount: 10, maxChannelCount: 11, resourceIsolation: { mode: 'Balanced' } as const };
    expect(() => isolate(options)).toThrow(/maxChannelCount/u);
    expect(() => isolate({ ...options, resourceIsolationProvider: ownProvider() })).not.toThrow();
  });

  it('RI-12 nothing means a provider of the server, which ends with it', () => {
    const dispose = vi.spyOn(DefaultResourceIsolationProvider.prototype, Symbol.dispose);
    const isolation = isolate();
    expect(dispose).not.toHaveBeenCalled();
    isolation[Symbol.dispose]();
    expect(dispose).toHaveBeenCalledOnce();
  });

  it('RI-12 a classifier is asked and not ended with the server', () => {
    const dispose = vi.fn();
    const classifyIngress: ResourceIsolationClassifier['classifyIngress'] = () => ({ key: 'gateway', ownerClass: 'Bootstrap' });
    const classifier = { classifyIngress, [Symbol.dispose]: dispose };
    const isolation = isolate({ resourceIsolationClassifier: classifier });
    expect(isolation.provider.classifyIngress('10.0.0.1')).toMatchObject({ key: 'gateway', ownerClass: 'Bootstrap' });
    isolation[Symbol.dispose]();
    expect(dispose).not.toHaveBeenCalled();
  });
});

describe('the deadline for starting up', () => {
  const modes: readonly Partial<ServerOptions>[] = [
    {},
    { resourceIsolation: { mode: 'SharedOnly' } },
    { resourceIsolationProvider: new DefaultResourceIsolationProvider({ plan: createRuntimePlan(resolveServerOptions(name)) }) },
  ];

  it.each(modes)('RI-15 is checked first, whoever isolates (%#)', (options) => {
    for (const handshakeTimeoutMs of [0, -1, 120_001, Number.NaN]) {
      expect(() => resolveServerOptions({ ...name, ...options, handshakeTimeoutMs })).toThrow(/handshakeTimeoutMs/u);
      // Even if it was changed since the options were read.
      const resolved = { ...resolveServerOptions({ ...name, ...options }), handshakeTimeoutMs };
      const planned = vi.spyOn(DefaultResourceIsolationProvider.prototype, 'getUsage');
      expect(() => createIsolation(resolved, { ...name, ...options }, new TestRuntime(), () => [])).toThrow(/handshakeTimeoutMs/u);
      expect(planned).not.toHaveBeenCalled();
    }
  });

  it('RI-15 may stand in either place, and must not contradict itself', () => {
    const resolve = (options: Partial<ServerOptions>) => resolveServerOptions({ ...name, ...options }).handshakeTimeoutMs;
    expect(resolve({})).toBe(120_000);
    expect(resolve({ resourceIsolation: { mode: 'SharedOnly', handshakeTimeoutMs: 30_000 } })).toBe(30_000);
    expect(resolve({ handshakeTimeoutMs: 5000 })).toBe(5000);
    expect(() => resolve({ resourceIsolation: { handshakeTimeoutMs: 0 } })).toThrow(/resourceIsolation\.handshakeTimeoutMs/u);
    expect(() => resolve({ handshakeTimeoutMs: 5000, resourceIsolation: { handshakeTimeoutMs: 5001 } })).toThrow(/handshakeTimeoutMs/u);
  });
});
