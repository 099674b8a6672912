import { type ClientSession, ClientSubscription, type DataValue, TimestampsToReturn } from 'node-opcua';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { encrypted, ForeignClients, putCertificate, unsecured } from '../support/foreign-clients.ts';
import { monitor, nextEvent, publish, republish, statusChangeOf, subscribe, transfer, valuesOf, variable } from '../support/publishing.ts';
import { type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';

const NODE = 'ns=2;s=Bench.Writable';
const SESSION_TIMEOUT_MS = 1000;
let server: ReferenceTestServer;
let clients: ForeignClients;
let proxy: CuttableProxy;

beforeAll(async () => {
  clients = await ForeignClients.create();
});
afterAll(() => clients.end());

beforeEach(async () => {
  server = await startReferenceTestServer({ minSessionTimeoutMs: 500 });
  putCertificate(clients.certificate, trustedFolder(server));
  proxy = await CuttableProxy.start(server.port);
});
afterEach(async () => {
  await clients.disconnect();
  await proxy.close();
  await server.end();
});

function session(through: { endpointUrl: string }, options = encrypted): Promise<ClientSession> {
  return clients.session(through.endpointUrl, { requestedSessionTimeout: SESSION_TIMEOUT_MS, ...options });
}

function set(value: number): void {
  variable(server.server, NODE).setValue(value);
}

describe('a Subscription whose connection was cut', () => {
  it('goes to another session of the same client, with what was not acknowledged', async () => {
    const first = await session(proxy);
    const subscriptionId = await subscribe(first);
    await monitor(first, subscriptionId, [{ nodeId: NODE }]);
    const received = await publish(first);
    const lost = publish(first).catch(() => undefined);
    await vi.waitFor(() => expect(server.server.counts.parkedRequests).toBe(1));
    proxy.holdBack();
    set(1);
    await vi.waitFor(() => expect(server.server.counts.parkedRequests).toBe(0));
    proxy.cut();
    await lost;
    const second = await session(server);
    const results = await transfer(second, [subscriptionId], false);
    expect(results[0]?.statusCode.name).toBe('Good');
    const available = [...(results[0]?.availableSequenceNumbers ?? [])];
    expect(available).toContain(received.notificationMessage.sequenceNumber);
    expect(available).toHaveLength(2);
    const messages = await Promise.all(available.map((number) => republish(second, subscriptionId, number)));
    const values = messages.flatMap(({ notificationMessage }) => valuesOf(notificationMessage).map(({ value }) => value.value.value));
    expect(values).toEqual([0, 1]);
    set(2);
    const next = await publish(
      second,
      available.map((sequenceNumber) => ({ subscriptionId, sequenceNumber })),
    );
    expect(next.results?.map(({ name }) => name)).toEqual(['Good', 'Good']);
    expect(valuesOf(next.notificationMessage).map(({ value }) => value.value.value)).toEqual([2]);
    await expect(republish(second, subscriptionId, available[0] ?? 0)).rejects.toThrow('BadMessageNotAvailable');
  });

  it('can be transferred after its session has timed out, with initial values', async () => {
    const first = await session(proxy, { ...encrypted, requestedSessionTimeout: 500 });
    const subscriptionId = await subscribe(first);
    await monitor(first, subscriptionId, [{ nodeId: NODE }]);
    await publish(first);
    proxy.cut();
    await vi.waitFor(() => expect(server.server.counts.sessions).toBe(0), { timeout: 5000 });
    expect(server.server.counts.subscriptions).toBe(1);
    set(5);
    const second = await session(server);
    const results = await transfer(second, [subscriptionId], true);
    expect(results[0]?.statusCode.name).toBe('Good');
    const { notificationMessage } = await publish(second);
    expect(valuesOf(notificationMessage).at(-1)?.value.value.value).toBe(5);
  });

  it('tells the session that had it, when that still publishes', async () => {
    const [first, second] = [await session(server), await session(server)];
    const subscriptionId = await subscribe(first);
    await monitor(first, subscriptionId, [{ nodeId: NODE }]);
    const { subscriptionId: published } = await publish(first);
    expect(published).toBe(subscriptionId);
    const parked = publish(first);
    await transfer(second, [subscriptionId], true);
    expect(statusChangeOf((await parked).notificationMessage)).toBe('GoodSubscriptionTransferred');
    expect(valuesOf((await publish(second)).notificationMessage)).toHaveLength(1);
    await expect(publish(first)).rejects.toThrow('BadNoSubscription');
  });

  it('isn’t given to an anonymous client without security, nor does an unknown one exist', async () => {
    const [first, stranger] = [await session(server), await session(server, unsecured)];
    const subscriptionId = await subscribe(first);
    const results = await transfer(stranger, [subscriptionId, 4711], false);
    expect(results.map(({ statusCode }) => statusCode.name)).toEqual(['BadUserAccessDenied', 'BadSubscriptionIdInvalid']);
    await expect(republish(stranger, subscriptionId, 1)).rejects.toThrow('BadSubscriptionIdInvalid');
  });
});

describe('a foreign client that reconnects by itself', () => {
  it('loses no value of a cut connection, and gets none twice', async () => {
    const client = await clients.connect(proxy.endpointUrl, {
      ...encrypted,
      requestedSessionTimeout: 20_000,
      connectionStrategy: { maxRetry: -1, initialDelay: 50, maxDelay: 200 },
    });
    const reconnecting = await client.createSession();
    const subscription = ClientSubscription.create(reconnecting, {
      requestedPublishingInterval: 50,
      requestedMaxKeepAliveCount: 4,
      publishingEnabled: true,
    });
    await nextEvent(subscription, 'started');
    const group = await subscription.monitorItems(
      [{ nodeId: NODE, attributeId: 13 }],
      { samplingInterval: 0, queueSize: 1000 },
      TimestampsToReturn.Both,
    );
    const seen: number[] = [];
    group.on('changed', (_item, dataValue: DataValue) => void seen.push(dataValue.value.value));
    let last = 0;
    const writing = setInterval(() => set(++last), 10);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(20), { timeout: 5000 });
    proxy.holdBack();
    await vi.waitFor(() => expect(server.server.counts.parkedRequests).toBe(0), { timeout: 5000 });
    proxy.cut();
    const reconnected = nextEvent(client, 'connection_reestablished');
    proxy.mend();
    await reconnected;
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(150), { timeout: 10_000 });
    clearInterval(writing);
    await vi.waitFor(() => expect(seen.at(-1)).toBe(last), { timeout: 5000 });
    expect(seen).toEqual(Array.from({ length: last - (seen[0] ?? 0) + 1 }, (_, i) => (seen[0] ?? 0) + i));
    await subscription.terminate();
  });
});
