import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManagedSession, type ManagedSessionEvent, type MonitoredItem, ReconnectPolicy } from '@bulkhead/client';
import { NodeId } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, introduce, type TestClient, urlOf } from './support.ts';

const VALUE = 'ns=1;s=Value';
/** 200 in the full size. */
const SESSIONS = Number(process.env['BULKHEAD_RESTART_SESSIONS'] ?? 40);
const BACK_WITHIN_MS = 60_000;
const TEST_WITHIN_MS = BACK_WITHIN_MS + 30_000;

interface Subscriber {
  readonly session: ManagedSession;
  readonly item: MonitoredItem;
  readonly events: ManagedSessionEvent[];
}

function startServer(folder: string, port: number, value: number): Promise<TestServer> {
  return startTestServer(
    (space) => void space.addVariable({ browseName: 'Value', nodeId: NodeId.string(1, 'Value'), dataType: 'Double', value }),
    { port, maxSessionCount: SESSIONS, pki: { folder } },
  );
}

async function subscribe(client: TestClient, endpointUrl: string): Promise<Subscriber> {
  const events: ManagedSessionEvent[] = [];
  const session = await ManagedSession.connect({
    application: client.application,
    endpointUrl,
    security: { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' },
    reconnectPolicy: new ReconnectPolicy({ initialDelayMs: 100, maxDelayMs: 2000 }),
    onEvent: (event) => events.push(event),
  });
  const subscription = await session.subscribe({ publishingIntervalMs: 100 });
  return { session, events, item: await subscription.monitor(VALUE, { samplingIntervalMs: 0, queueSize: 100 }) };
}

async function takeUntil(item: MonitoredItem, last: number): Promise<number[]> {
  const values: number[] = [];
  for await (const { value } of item) {
    values.push(value?.value as number);
    if (value?.value === last) break;
  }
  return values;
}

describe(`${SESSIONS} subscribed managed sessions`, () => {
  it('get every value that the server still held after all their connections were cut', { timeout: TEST_WITHIN_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-restart-'));
    const test = await startServer(folder, 0, 0);
    const client = createTestClient();
    await introduce(client, test);
    const proxy = await CuttableProxy.start(test.port);
    const subscribers = await Promise.all(Array.from({ length: SESSIONS }, () => subscribe(client, proxy.endpointUrl)));
    for (const { item } of subscribers) expect(await takeUntil(item, 0)).toEqual([0]);
    const node = variable(test.server, VALUE);

    // Lost on the way: only Republish can bring these.
    proxy.holdBack();
    for (let value = 1; value <= 5; value++) node.setValue(value);
    while (test.server.counts.parkedRequests > 0) await new Promise((resolve) => setImmediate(resolve));
    proxy.cut();
    for (let value = 6; value <= 10; value++) node.setValue(value);
    proxy.mend();
    const cutMs = performance.now();
    const expected = Array.from({ length: 10 }, (_, index) => index + 1);
    for (const { item } of subscribers) expect(await takeUntil(item, 10)).toEqual(expected);
    expect(performance.now() - cutMs).toBeLessThan(BACK_WITHIN_MS);
    for (const { session, events } of subscribers) {
      expect([...session.subscriptions].map(({ lostMessages }) => lostMessages)).toEqual([0]);
      expect(events.filter(({ kind }) => kind === 'subscriptionRecreated')).toEqual([]);
    }
    await Promise.all(subscribers.map(({ session }) => session.close()));
    await proxy.close();
    await client.end();
    await test.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are all back within a minute after the server began anew, with its present value', { timeout: TEST_WITHIN_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-restart-'));
    const first = await startServer(folder, 0, 0);
    const client = createTestClient();
    await introduce(client, first);
    const subscribers = await Promise.all(Array.from({ length: SESSIONS }, () => subscribe(client, urlOf(first))));
    for (const { item } of subscribers) expect(await takeUntil(item, 0)).toEqual([0]);

    await first.server.stop();
    const second = await startServer(folder, first.port, 1);
    const startedMs = performance.now();
    for (const { item } of subscribers) expect(await takeUntil(item, 1)).toEqual([1]);
    variable(second.server, VALUE).setValue(2);
    for (const { item } of subscribers) expect(await takeUntil(item, 2)).toEqual([2]);
    expect(performance.now() - startedMs).toBeLessThan(BACK_WITHIN_MS);
    expect(second.server.counts).toMatchObject({ sessions: SESSIONS, subscriptions: SESSIONS });
    expect(subscribers.every(({ session }) => session.state === 'connected')).toBe(true);
    await Promise.all(subscribers.map(({ session }) => session.close()));
    await client.end();
    await second.end();
    rmSync(folder, { recursive: true, force: true });
  });
});
