import type { ClientSession } from 'node-opcua';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import {
  collect,
  deleteSubscriptions,
  type HandledValue,
  monitor,
  publish,
  raw,
  setPublishingMode,
  statusChangeOf,
  subscribe,
  valuesOf,
  variable,
} from '../support/publishing.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const WRITABLE = 'ns=2;s=Bench.Writable';
const OTHER = 'ns=2;s=Bench.Double.7';
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;

beforeAll(async () => {
  server = await startReferenceTestServer({ subscriptionLimits: { maxPublishRequestsPerSession: 5 } });
  clients = await ForeignClients.create();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

beforeEach(async () => {
  session = await clients.session(server.endpointUrl);
});
afterEach(() => clients.disconnect());

function set(nodeId: string, ...values: number[]): void {
  for (const value of values) variable(server.server, nodeId).setValue(value);
}

function numbers(values: readonly HandledValue[]): number[] {
  return values.map(({ value }) => value.value.value);
}

/** Publishes until a value came that is the last one. */
function collectUntil(last: number): Promise<HandledValue[]> {
  return collect(session, (values) => values.at(-1)?.value.value.value === last);
}

describe('publishing', () => {
  it('is as often as each subscription wants', async () => {
    const fast = await subscribe(session, 50);
    const slow = await subscribe(session, 400);
    for (const id of [fast, slow]) await monitor(session, id, [{ nodeId: 'ns=2;s=Counter.10ms', queueSize: 1000 }]);
    const counts = new Map([fast, slow].map((id) => [id, 0]));
    const values = new Map<number, number[]>([fast, slow].map((id) => [id, []]));
    const endMs = performance.now() + 1700;
    let acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
    while (performance.now() < endMs) {
      const { subscriptionId, notificationMessage } = await publish(session, acknowledgements);
      acknowledgements = [{ subscriptionId, sequenceNumber: notificationMessage.sequenceNumber }];
      counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1);
      values.get(subscriptionId)?.push(...numbers(valuesOf(notificationMessage)));
    }
    expect(counts.get(fast)).toBeGreaterThan(10);
    expect(counts.get(slow)).toBeGreaterThanOrEqual(3);
    expect(counts.get(slow)).toBeLessThanOrEqual(6);
    for (const list of values.values()) expect(list).toEqual([...new Set(list)].sort((a, b) => a - b));
  });

  it('splits what is more than a message may hold, and says that there is more', async () => {
    const subscriptionId = await subscribe(session, 50, { maxNotificationsPerPublish: 3 });
    const nodeIds = Array.from({ length: 8 }, (_, i) => `ns=2;s=Bench.Double.${100 + i}`);
    await monitor(
      session,
      subscriptionId,
      nodeIds.map((nodeId) => ({ nodeId })),
    );
    const messages = [await publish(session), await publish(session), await publish(session)];
    expect(messages.map(({ notificationMessage }) => valuesOf(notificationMessage).length)).toEqual([3, 3, 2]);
    expect(messages.map(({ moreNotifications }) => moreNotifications)).toEqual([true, true, false]);
    expect(messages.map(({ notificationMessage }) => notificationMessage.sequenceNumber)).toEqual([1, 2, 3]);
  });

  it('shows a sign of life when there is nothing to say, with the number that comes next', async () => {
    const subscriptionId = await subscribe(session, 50, { keepAlive: 3, lifetime: 100 });
    const first = await publish(session);
    const before = performance.now();
    const second = await publish(session);
    const waitedMs = performance.now() - before;
    for (const { notificationMessage } of [first, second]) {
      expect(notificationMessage.sequenceNumber).toBe(1);
      expect(notificationMessage.notificationData ?? []).toEqual([]);
    }
    expect(waitedMs).toBeGreaterThan(100);
    expect(waitedMs).toBeLessThan(1000);
    await monitor(session, subscriptionId, [{ nodeId: WRITABLE }]);
    const third = await publish(session);
    expect([third.notificationMessage.sequenceNumber, valuesOf(third.notificationMessage).length]).toEqual([1, 1]);
  });

  it('can be switched off and on, and meanwhile only signs of life come', async () => {
    set(WRITABLE, 0);
    const subscriptionId = await subscribe(session, 50, { keepAlive: 2, lifetime: 100, publishingEnabled: false });
    await monitor(session, subscriptionId, [{ nodeId: WRITABLE }]);
    set(WRITABLE, 1);
    expect(valuesOf((await publish(session)).notificationMessage)).toEqual([]);
    const setPublishing = async (publishingEnabled: boolean): Promise<unknown> => {
      const { results } = await setPublishingMode(session, publishingEnabled, [subscriptionId, 4711]);
      return results?.map(({ name }) => name);
    };
    expect(await setPublishing(true)).toEqual(['Good', 'BadSubscriptionIdInvalid']);
    expect(numbers(await collectUntil(1))).toEqual([0, 1]);
    await setPublishing(false);
    set(WRITABLE, 2);
    expect(valuesOf((await publish(session)).notificationMessage)).toEqual([]);
  });

  it('can be made slower and faster', async () => {
    const subscriptionId = await subscribe(session, 10_000, { keepAlive: 1, lifetime: 100 });
    const revised = await raw(session).modifySubscription({
      subscriptionId,
      requestedPublishingInterval: 50,
      requestedMaxKeepAliveCount: 2,
      requestedLifetimeCount: 1,
    });
    expect([revised.revisedPublishingInterval, revised.revisedMaxKeepAliveCount]).toEqual([50, 2]);
    expect(revised.revisedLifetimeCount).toBeGreaterThanOrEqual(6);
    const before = performance.now();
    await publish(session);
    await publish(session);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  it('refuses what is too much or for nothing', async () => {
    await expect(publish(session)).rejects.toThrow('BadNoSubscription');
    await subscribe(session, 1000);
    const refused: string[] = [];
    const waiting = Array.from({ length: 8 }, () => publish(session).catch((error: Error) => void refused.push(error.message)));
    await vi.waitFor(() => expect(refused.filter((message) => message.includes('BadTooManyPublishRequests'))).toHaveLength(3));
    await clients.disconnect();
    await Promise.all(waiting);
  });
});

describe('the end of a subscription', () => {
  it('comes when nobody publishes, and is told to who does so later', async () => {
    const dead = await subscribe(session, 50, { keepAlive: 1, lifetime: 3 });
    await vi.waitFor(() => expect(server.server.counts.subscriptions).toBe(0));
    const alive = await subscribe(session, 50, { keepAlive: 2, lifetime: 1000 });
    const { subscriptionId, notificationMessage } = await publish(session);
    expect([subscriptionId, statusChangeOf(notificationMessage)]).toEqual([dead, 'BadTimeout']);
    expect((await publish(session)).subscriptionId).toBe(alive);
  });

  it('takes its items with it, and an item can be deleted alone', async () => {
    const subscriptionId = await subscribe(session);
    const items = await monitor(session, subscriptionId, [{ nodeId: WRITABLE }, { nodeId: OTHER }, { nodeId: 'ns=2;s=Nothing' }]);
    expect(items.map(({ status }) => status)).toEqual(['Good', 'Good', 'BadNodeIdUnknown']);
    expect(server.server.counts.monitoredItems).toBe(2);
    const { results } = await raw(session).deleteMonitoredItems({ subscriptionId, monitoredItemIds: [items[0]?.id ?? 0, 4711] });
    expect(results?.map(({ name }) => name)).toEqual(['Good', 'BadMonitoredItemIdInvalid']);
    expect(server.server.counts.monitoredItems).toBe(1);
    const deleted = await deleteSubscriptions(session, [subscriptionId, 4711]);
    expect(deleted.results?.map(({ name }) => name)).toEqual(['Good', 'BadSubscriptionIdInvalid']);
    expect([server.server.counts.subscriptions, server.server.counts.monitoredItems]).toEqual([0, 0]);
  });
});
