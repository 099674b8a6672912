import { Server as NetServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { createRuntimePlan, type ResourceIsolationOptions, type ResourceIsolationPlan } from '@bulkhead/resource-isolation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MiB, OptionsError, resolveServerOptions, type ServerRateLimitOptions } from '../src/index.ts';
import { createConnectionRate } from '../src/rate-limits/connection-rate.ts';
import { createTcpListener } from '../src/tcp-endpoint.ts';
import type { ServerParts } from '../src/wiring.ts';
import { ownerOf, TestRuntime } from './harness.ts';

const name = { applicationName: 'Test' };
const limitsOf = (rateLimits: ServerRateLimitOptions = {}) => resolveServerOptions({ ...name, rateLimits }).rateLimits;

function planOf(options: ResourceIsolationOptions): ResourceIsolationPlan {
  return createRuntimePlan({ ...resolveServerOptions(name), maxChannelCount: 300, reassemblyBudget: { maxBytes: 256 * MiB } }, options);
}

const trusted: ResourceIsolationOptions = { mode: 'TrustedReservations', trustedOwners: [{ key: 'plant' }, { key: 'lab' }] };

/** How many of `attempts` connections get in at once. */
function admitted(
  options: ServerRateLimitOptions,
  plan: ResourceIsolationPlan | undefined,
  attempts: number,
  owner = ownerOf('a'),
): number {
  const gate = createConnectionRate(limitsOf(options), plan, undefined);
  let count = 0;
  for (let at = 0; at < attempts; at++) if (gate === undefined || gate.tryAdmit(0, owner)) count++;
  return count;
}

function pathOfError(make: () => unknown): string | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    if (error instanceof OptionsError) return `${error.path} ${error.message}`;
    throw error;
  }
}

afterEach(() => void vi.restoreAllMocks());

describe('rate limits', () => {
  it('RL-01 have these defaults', () => {
    expect(limitsOf()).toEqual({
      enabled: true,
      listenBacklog: 512,
      connectionRateLimitEnabled: true,
      connectionsPerSecond: 500,
      connectionBurst: 1000,
      sessionRateLimitEnabled: true,
      maxConcurrentSessionEstablishment: Math.max(availableParallelism() * 8, 128),
      sessionEstablishmentQueueLimit: 0,
    });
    for (const maxConcurrentSessionEstablishment of [0, -5]) {
      expect(limitsOf({ maxConcurrentSessionEstablishment }).maxConcurrentSessionEstablishment).toBeGreaterThanOrEqual(128);
    }
  });

  it('RL-02 are on by default and can be turned off, all together or for connections alone', () => {
    expect(admitted({}, undefined, 5000)).toBe(1000);
    expect(admitted({ enabled: false }, undefined, 5000)).toBe(5000);
    expect(admitted({ connectionRateLimitEnabled: false }, undefined, 5000)).toBe(5000);
    expect(admitted({ sessionRateLimitEnabled: false }, undefined, 5000)).toBe(1000);
  });

  it('RL-09 leave everything to a provider that is given, even when they are turned off or could not fit', () => {
    const asked: string[] = [];
    const connections = { tryAdmit: (_nowMs: number, owner: { readonly key: string }) => asked.push(owner.key) > 1 };
    for (const options of [{}, { enabled: false }, { connectionBurst: 1 }]) {
      expect(createConnectionRate(limitsOf(options), planOf({}), { connections })).toBe(connections);
    }
    expect(asked).toEqual([]);
  });

  it('RL-04 tell the operating system how many connections to keep', async () => {
    const listen = vi.spyOn(NetServer.prototype, 'listen');
    for (const [rateLimits, backlog] of [
      [{}, 512],
      [{ listenBacklog: 77 }, 77],
      [{ listenBacklog: 77, enabled: false }, 77],
    ] as const) {
      const options = resolveServerOptions({ ...name, port: 0, rateLimits });
      const connections = { accept: () => undefined };
      const listener = createTcpListener(options, { connections, runtime: new TestRuntime() } as unknown as ServerParts);
      await listener.listen();
      expect(listen.mock.lastCall?.[0]).toMatchObject({ backlog });
      await listener.close();
    }
  });

  it('RI-15 are not listened with if the deadline for starting up went wrong since', () => {
    const options = { ...resolveServerOptions(name), handshakeTimeoutMs: 120_001 };
    expect(() => createTcpListener(options, {} as ServerParts)).toThrow(/handshakeTimeoutMs/u);
  });
});

describe('tokens that are kept', () => {
  it('RL-13 are one each for Bootstrap, Reconnect and every trusted owner, of burst and of rate; Control has none', () => {
    const options = { connectionsPerSecond: 10, connectionBurst: 10 };
    for (const [plan, reserved] of [
      [planOf({}), 2],
      [planOf(trusted), 4],
    ] as const) {
      const gate = createConnectionRate(limitsOf(options), plan, undefined);
      if (gate === undefined) throw new Error('no gate');
      const count = (nowMs: number, owner = ownerOf('a')): number => {
        let granted = 0;
        while (gate.tryAdmit(nowMs, owner)) granted++;
        return granted;
      };
      for (const nowMs of [0, 1000]) {
        expect(count(nowMs)).toBe(10 - reserved);
        expect(count(nowMs, ownerOf('c', 'Control'))).toBe(0);
        expect(count(nowMs, ownerOf('b', 'Bootstrap'))).toBe(1);
        expect(count(nowMs, ownerOf('r', 'Reconnect'))).toBe(1);
        for (const key of ['plant', 'lab']) expect(count(nowMs, ownerOf(key, 'Trusted'))).toBe(reserved === 4 ? 1 : 0);
      }
    }
  });

  it('RL-13 go first for protected callers, who may have shared ones after', () => {
    expect(admitted({ connectionBurst: 10 }, planOf({}), 100, ownerOf('b', 'Bootstrap'))).toBe(9);
    expect(admitted({ connectionBurst: 10 }, planOf(trusted), 100, ownerOf('plant', 'Trusted'))).toBe(7);
  });

  it('RL-13 have to leave one shared token in both totals, or the server does not start', () => {
    const make = (options: ServerRateLimitOptions, plan: ResourceIsolationPlan) => () =>
      createConnectionRate(limitsOf(options), plan, undefined);
    expect(pathOfError(make({ connectionsPerSecond: 2 }, planOf({})))).toMatch(/^rateLimits\.connectionsPerSecond .*at least 3/u);
    expect(pathOfError(make({ connectionBurst: 2 }, planOf({})))).toMatch(/^rateLimits\.connectionBurst .*at least 3/u);
    expect(pathOfError(make({ connectionBurst: 4 }, planOf(trusted)))).toMatch(/^rateLimits\.connectionBurst .*at least 5/u);
    expect(pathOfError(make({ connectionsPerSecond: 3, connectionBurst: 3 }, planOf({})))).toBeUndefined();
    expect(pathOfError(make({ connectionBurst: 2, enabled: false }, planOf({})))).toBeUndefined();
  });

  it('RL-13 are none in modes FairShare and SharedOnly', () => {
    const options = { connectionsPerSecond: 1, connectionBurst: 2 };
    expect(admitted(options, planOf({ mode: 'FairShare' }), 10)).toBe(2);
    expect(admitted(options, undefined, 10)).toBe(2);
    expect(admitted(options, undefined, 10, ownerOf('b', 'Bootstrap'))).toBe(2);
  });
});
