import { ManagedSession, type ManagedSessionEvent, type MonitoredItem, ReconnectPolicy } from '@bulkhead/client';
import type { ServerOptions } from '@bulkhead/opcua';
import { NodeId, StatusCodes, Variant } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, introduce, type TestClient, urlOf } from './support.ts';

const VALUE = 'ns=1;s=Value';
const reconnectPolicy = new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 100 });

function startServer(port = 0, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  return startTestServer(
    (space) => {
      space.addVariable({ browseName: 'Value', nodeId: NodeId.string(1, 'Value'), dataType: 'Double', value: 0, writable: true });
    },
    { port, ...options },
  );
}

/** Takes values until one of them is `last`. */
async function takeUntil(item: MonitoredItem, last: number): Promise<number[]> {
  const values: number[] = [];
  for await (const { value } of item) {
    values.push(value?.value as number);
    if (value?.value === last) break;
  }
  return values;
}

function until(events: ManagedSessionEvent[], isMet: (event: ManagedSessionEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const push = events.push.bind(events);
    events.push = (...added) => {
      const length = push(...added);
      if (added.some(isMet)) resolve();
      return length;
    };
  });
}

describe('a managed session', () => {
  let test: TestServer;
  let client: TestClient;
  let proxy: CuttableProxy;

  beforeAll(async () => {
    test = await startServer();
    client = createTestClient();
    await introduce(client, test);
    proxy = await CuttableProxy.start(test.port);
  });

  afterAll(async () => {
    await proxy.close();
    await client.end();
    await test.end();
  });

  it('goes on with the same Session after its connection was cut, and gives every value of its Subscription', async () => {
    const events: ManagedSessionEvent[] = [];
    await using session = await ManagedSession.connect({
      application: client.application,
      endpointUrl: proxy.endpointUrl,
      reconnectPolicy,
      onEvent: (event) => events.push(event),
    });
    const { sessionId } = session;
    const subscription = await session.subscribe({ publishingIntervalMs: 50 });
    const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0, queueSize: 100 });
    const node = variable(test.server, VALUE);
    expect(await takeUntil(item, 0)).toEqual([0]);

    // Messages on their way are lost with the connection; the server still has them.
    proxy.holdBack();
    for (let value = 1; value <= 5; value++) node.setValue(value);
    // Both Publish requests are answered, into the proxy.
    while (test.server.counts.parkedRequests > 0) await new Promise((resolve) => setImmediate(resolve));
    const isBack = until(events, ({ kind }) => kind === 'established');
    proxy.cut();
    for (let value = 6; value <= 10; value++) node.setValue(value);
    proxy.mend();
    await isBack;
    for (let value = 11; value <= 15; value++) node.setValue(value);
    expect(await takeUntil(item, 15)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(session.sessionId?.equals(sessionId as NodeId)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'established').at(-1)).toEqual({ kind: 'established', isSameSession: true });
    expect(subscription.lostMessages).toBe(0);
    node.setValue(0);
  });

  it('lets requests wait while it reconnects', async () => {
    await using session = await ManagedSession.connect({
      application: client.application,
      endpointUrl: proxy.endpointUrl,
      reconnectPolicy,
    });
    proxy.cut();
    const reading = session.readValue(VALUE);
    proxy.mend();
    // On its way when the connection was cut, or made after it: both are told apart by the code only.
    await reading.catch(({ statusCode }) => expect(statusCode).toBe(StatusCodes.BadConnectionClosed));
    expect((await session.readValue(VALUE)).statusCode).toBe(StatusCodes.Good);
  });

  it('ends at once with the reason when no retry can help', async () => {
    const user = { kind: 'userName', userName: 'joe', password: 'secret' } as const;
    await expect(
      ManagedSession.connect({ application: client.application, endpointUrl: urlOf(test), reconnectPolicy, user }),
    ).rejects.toMatchObject({ statusCode: StatusCodes.BadIdentityTokenRejected });
  });

  it('CL-03 waits by the same policy at a first connect as at a reconnect', async () => {
    const failures: number[] = [];
    const policy = { getNextDelay: (attempt: number) => (failures.push(attempt) < 4 ? 1 : undefined) };
    await expect(
      ManagedSession.connect({ application: client.application, endpointUrl: 'opc.tcp://127.0.0.1:1', reconnectPolicy: policy }),
    ).rejects.toMatchObject({ statusCode: StatusCodes.BadConnectionRejected });
    expect(failures).toEqual([0, 1, 2, 3]);
  });
});

describe('a managed session whose Session ended', () => {
  it('takes its Subscription over to a new one, with every value that the server kept', async () => {
    const test = await startServer(0, { minSessionTimeoutMs: 100 });
    const client = createTestClient();
    await introduce(client, test);
    const proxy = await CuttableProxy.start(test.port);
    const events: ManagedSessionEvent[] = [];
    await using session = await ManagedSession.connect({
      application: client.application,
      endpointUrl: proxy.endpointUrl,
      reconnectPolicy,
      requestedSessionTimeoutMs: 600,
      keepAliveIntervalMs: 100,
      onEvent: (event) => events.push(event),
    });
    const subscription = await session.subscribe({ publishingIntervalMs: 50, lifetimeCount: 1000 });
    const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0, queueSize: 100 });
    expect(await takeUntil(item, 0)).toEqual([0]);
    const { id } = subscription;
    proxy.cut();
    while (test.server.counts.sessions > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(test.server.counts.subscriptions).toBe(1);
    for (let value = 1; value <= 5; value++) variable(test.server, VALUE).setValue(value);
    proxy.mend();
    expect(await takeUntil(item, 5)).toEqual([1, 2, 3, 4, 5]);
    expect(events.at(-2)).toEqual({ kind: 'established', isSameSession: false });
    expect([subscription.id, subscription.lostMessages]).toEqual([id, 0]);
    await session.close();
    await proxy.close();
    await client.end();
    await test.end();
  });
});

describe('a managed session and a server that starts anew', () => {
  it.each(['None', 'SignAndEncrypt'] as const)('makes its Session and Subscription anew on the same port, mode %s', async (mode) => {
    const first = await startServer();
    const client = createTestClient();
    await introduce(client, first);
    const events: ManagedSessionEvent[] = [];
    const session = await ManagedSession.connect({
      application: client.application,
      endpointUrl: urlOf(first),
      reconnectPolicy,
      security: { mode },
      onEvent: (event) => events.push(event),
    });
    const subscription = await session.subscribe({ publishingIntervalMs: 50 });
    const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0 });
    expect(await takeUntil(item, 0)).toEqual([0]);
    const isRecreated = until(events, ({ kind }) => kind === 'subscriptionRecreated');
    await first.server.stop();
    // It has another certificate now: the session goes on trying until both sides trust each other.
    const second = await startServer(first.port);
    await introduce(client, second);
    await isRecreated;
    expect(await session.writeValue(VALUE, Variant.double(7))).toBe(StatusCodes.Good);
    expect((await takeUntil(item, 7)).at(-1)).toBe(7);
    await session.close();
    expect(session.state).toBe('closed');
    await client.end();
    await second.end();
    await first.end();
  });
});
