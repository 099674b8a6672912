import { DefaultResourceIsolationProvider, type Refusal, Stage } from '@bulkhead/resource-isolation';
import { describe, expect, it } from 'vitest';
import { resolveServerOptions, type ServerOptions } from '../src/index.ts';
import { RefusalLog } from '../src/isolation/refusal-log.ts';
import type { ServerIsolation } from '../src/isolation/server-isolation.ts';
import { createIsolation } from '../src/isolation.ts';
import { ownerOf, START_UNIX_MS, TestRuntime } from './harness.ts';

const refusal: Refusal & { id: number } = { kind: 'refusal', stage: Stage.Connection, reason: 'Capacity', usage: 9, limit: 10, id: 1 };

function isolate(runtime: TestRuntime, options: Partial<ServerOptions>): ServerIsolation {
  const given = { applicationName: 'Test', ...options };
  return createIsolation(resolveServerOptions(given), given, runtime, () => []);
}

describe('the ring of refusals', () => {
  it('BX-05 keeps the last 1,024 and counts all', () => {
    const runtime = new TestRuntime();
    const log = new RefusalLog(runtime.clock, runtime.log);
    for (let id = 1; id <= 3000; id++) log.note({ ...refusal, id }, ownerOf('a'), false);
    const entries = log.entries();
    expect(entries).toHaveLength(1024);
    expect([entries[0]?.id, entries.at(-1)?.id]).toEqual([1977, 3000]);
    expect(log.count(Stage.Connection, 'Capacity')).toBe(3000);
    expect(log.count(Stage.Connection, 'OwnerLimit')).toBe(0);
  });

  it('BX-05 has what a Balanced server refused: which limit, how full, when, to whom', () => {
    const runtime = new TestRuntime();
    const isolation = isolate(runtime, { resourceIsolation: { stages: [{ stage: 'SessionEstablishment', ownerHardLimit: 2 }] } });
    const { provider } = isolation;
    const owner = provider.classifyIngress('10.0.0.1');
    const leases = [1, 2].map(() => provider.tryAcquire(Stage.SessionEstablishment, owner, 1));
    runtime.nowMs = 1234;
    expect(provider.tryAcquire(Stage.SessionEstablishment, owner, 1)).toMatchObject({ kind: 'refusal', reason: 'OwnerLimit' });
    const [entry] = isolation.refusals();
    expect(entry).toMatchObject({
      stage: 'SessionEstablishment',
      reason: 'OwnerLimit',
      usage: 2,
      limit: 2,
      ownerKey: owner.key,
      isShadow: false,
    });
    expect(entry?.at).toEqual(new Date(START_UNIX_MS + 1234));
    expect(isolation.refusalCount(Stage.SessionEstablishment, 'OwnerLimit')).toBe(1);
    expect(isolation.owners()).toMatchObject([{ key: owner.key, refusalCount: 1, usage: { SessionEstablishment: 2, Connection: 0 } }]);
    for (const lease of leases) if (lease.kind === 'lease') lease[Symbol.dispose]();
    expect(isolation.owners()).toEqual([]);
  });

  it('BX-05 tells one owner’s entries from those of others', () => {
    const runtime = new TestRuntime();
    const isolation = isolate(runtime, { resourceIsolation: { stages: [{ stage: 'SessionEstablishment', ownerHardLimit: 1 }] } });
    const { provider } = isolation;
    for (const address of ['10.0.0.1', '10.0.0.2']) {
      const owner = provider.classifyIngress(address);
      provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
      provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
    }
    expect(isolation.refusals()).toHaveLength(2);
    expect(isolation.refusals(provider.classifyIngress('10.0.0.2').key).map(({ ownerKey }) => ownerKey)).toEqual(['address:10.0.0.2']);
    expect(isolation.refusals('address:10.0.0.3')).toEqual([]);
  });

  it('BX-05 keeps an owner’s last entries however often others are refused, of a bounded number of owners', () => {
    const runtime = new TestRuntime();
    const log = new RefusalLog(runtime.clock, runtime.log);
    log.note({ ...refusal, id: 1 }, ownerOf('quiet'), false);
    for (let id = 2; id <= 5000; id++) log.note({ ...refusal, id }, ownerOf('noisy'), false);
    expect(log.entries().some(({ ownerKey }) => ownerKey === 'quiet')).toBe(false);
    expect(log.entries('quiet').map(({ id }) => id)).toEqual([1]);
    expect(log.entries('noisy').map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, at) => 4969 + at));
    for (let at = 0; at < 255; at++) log.note(refusal, ownerOf(`other ${at}`), false);
    expect(log.entries('quiet')).toHaveLength(0);
    expect(log.entries('noisy')).toHaveLength(32);
  });

  it('BX-05 has no request that only waits until it can run', () => {
    const runtime = new TestRuntime();
    const isolation = isolate(runtime, {});
    const { provider } = isolation;
    const owner = provider.classifyIngress('10.0.0.1');
    for (let at = 0; at < 98; at++) provider.tryAcquire(Stage.RequestExecution, owner, 1);
    expect(isolation.refusalCount(Stage.RequestExecution, 'Capacity')).toBe(1);
    expect(isolation.refusals()).toEqual([]);
    expect(isolation.refusals(owner.key)).toEqual([]);
    expect(runtime.events('isolation.refused')).toEqual([]);
  });

  it('BX-05 writes some of a storm to the log and says how many it left out', () => {
    const runtime = new TestRuntime();
    const log = new RefusalLog(runtime.clock, runtime.log);
    for (let id = 1; id <= 1000; id++) log.note({ ...refusal, id }, ownerOf('a'), false);
    const lines = runtime.events('isolation.refused');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines[0]).toMatchObject({ id: 1, stage: 'Connection', reason: 'Capacity', usage: 9, limit: 10, ownerKey: 'a' });
    runtime.nowMs += 10_000;
    log.note({ ...refusal, id: 1001 }, ownerOf('a'), false);
    const last = runtime.events('isolation.refused').at(-1);
    expect(last).toMatchObject({ id: 1001, unwritten: 1000 - lines.length });
    expect(runtime.logged.every(({ level }) => level === 'warn')).toBe(true);
  });

  it('BX-06 marks what shadow mode let through, and counts it apart', () => {
    const runtime = new TestRuntime();
    const isolation = isolate(runtime, { resourceIsolation: { stages: [{ stage: 'RequestExecution', ownerHardLimit: 1, shadow: true }] } });
    const { provider } = isolation;
    const owner = provider.classifyIngress('10.0.0.1');
    const answers = [1, 2, 3].map(() => provider.tryAcquire(Stage.RequestExecution, owner, 1).kind);
    expect(answers).toEqual(['lease', 'lease', 'lease']);
    expect(isolation.shadowRefusals).toBe(2);
    expect(isolation.refusalCount(Stage.RequestExecution, 'OwnerLimit')).toBe(0);
    expect(isolation.refusals()).toMatchObject([
      { isShadow: true, reason: 'OwnerLimit', usage: 1, limit: 1 },
      { isShadow: true, reason: 'OwnerLimit', usage: 2, limit: 1 },
    ]);
    expect(runtime.events('isolation.wouldRefuse')).toHaveLength(2);
    expect(runtime.events('isolation.refused')).toHaveLength(0);
  });

  it('counts what a DefaultResourceIsolationProvider of the host refused', () => {
    const plan = isolate(new TestRuntime(), {}).plan;
    if (plan === undefined) throw new Error('no plan');
    const own = new DefaultResourceIsolationProvider({ plan });
    const isolation = isolate(new TestRuntime(), { resourceIsolationProvider: own });
    const owner = own.classifyIngress('10.0.0.1');
    for (let at = 0; at < 201; at++) isolation.provider.tryAcquire(Stage.Connection, owner, 1);
    expect(isolation.refusalCount(Stage.Connection, 'Capacity')).toBe(201 - plan.getStage('Connection').shared);
  });
});
