import {
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  ModifySubscriptionRequest,
  MonitoringMode,
  RepublishRequest,
  SetPublishingModeRequest,
  StatusCodes,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  faultOf,
  Harness,
  isKeepAlive,
  type Publish,
  publishes,
  reported,
  settle,
  statusChangeOf,
  valuesOf,
} from './harness.ts';

describe('Publish', () => {
  it('is refused with BadNoSubscription without a Subscription', async () => {
    const publish = await new Harness().publish();
    expect(publish.errorCode).toBe(StatusCodes.BadNoSubscription);
    expect(publish.wasParked).toBe(false);
  });

  it('waits for the end of the publishing cycle and then carries the first value', async () => {
    const harness = new Harness();
    harness.source.add('a').set(7);
    const id = harness.subscribe();
    harness.monitor(id, 'a', { handle: 42 });
    const publish = await harness.publish();
    expect(publish.wasParked).toBe(true);
    await harness.advance(99);
    expect(publish.isSettled).toBe(false);
    await harness.advance(1);
    expect(reported(publish)).toMatchObject([{ handle: 42, value: 7 }]);
    expect(publish.body).toMatchObject({ subscriptionId: id, availableSequenceNumbers: [1], moreNotifications: false, results: [] });
    expect(publish.body?.notificationMessage.sequenceNumber).toBe(1);
    expect(publish.body?.notificationMessage.publishTime.equals(harness.runtime.clock.utcNow())).toBe(true);
  });

  it('that comes late is answered at once, unparked', async () => {
    const harness = new Harness();
    harness.source.add('a').set(7);
    harness.monitor(harness.subscribe(), 'a');
    await harness.advance(100);
    const publish = await harness.publish();
    expect(valuesOf(publish)).toEqual([7]);
    expect(publish.wasParked).toBe(false);
  });

  it('answers in order of arrival: golden sequence of two cycles', async () => {
    const harness = new Harness();
    const a = harness.source.add('a');
    const id = harness.subscribe({ keepAlive: 2 });
    harness.monitor(id, 'a');
    const queue = await publishes(harness, 5);
    const log: string[] = [];
    for (let cycle = 1; cycle <= 6; cycle++) {
      if (cycle === 2 || cycle === 6) a.set(cycle);
      await harness.advance(100);
      for (const publish of queue.filter(({ isSettled }) => isSettled)) {
        queue.splice(queue.indexOf(publish), 1);
        const what = isKeepAlive(publish) ? 'keepAlive' : valuesOf(publish).join();
        log.push(
          `${cycle}: #${publish.body?.notificationMessage.sequenceNumber} ${what} [${publish.body?.availableSequenceNumbers?.join() ?? ''}]`,
        );
      }
    }
    expect(log).toEqual(['1: #1 0 [1]', '2: #2 2 [1,2]', '4: #3 keepAlive [1,2]', '6: #3 6 [1,2,3]']);
    expect(queue).toHaveLength(1);
  });

  it('one too many answers the oldest with BadTooManyPublishRequests', async () => {
    const harness = new Harness({ maxPublishRequestsPerSession: 3 });
    harness.subscribe();
    const [first, ...others] = await publishes(harness, 4);
    expect(first?.errorCode).toBe(StatusCodes.BadTooManyPublishRequests);
    expect(others.map(({ isSettled }) => isSettled)).toEqual([false, false, false]);
    expect(harness.manager.totals.queuedPublishRequests).toBe(3);
  });

  it('leaves the queue when it is aborted, and its place goes to the next', async () => {
    const harness = new Harness();
    harness.source.add('a');
    harness.monitor(harness.subscribe(), 'a');
    const [first, second] = await publishes(harness, 2);
    first?.abort.abort();
    await settle();
    expect(first?.errorCode).toBe(StatusCodes.BadTimeout);
    expect(harness.manager.totals.queuedPublishRequests).toBe(1);
    await harness.advance(100);
    expect(valuesOf(second as Publish)).toEqual([0]);
  });

  it('acknowledges with a result for each number', async () => {
    const harness = new Harness();
    const a = harness.source.add('a');
    const id = harness.subscribe();
    harness.monitor(id, 'a');
    await harness.advance(100);
    await harness.publish();
    a.set(1);
    const publish = await harness.publish(harness.session, [
      [id, 1],
      [id, 1],
      [id, 99],
      [id + 1, 1],
    ]);
    await harness.advance(100);
    expect(publish.body?.results).toEqual([
      StatusCodes.Good,
      StatusCodes.BadSequenceNumberUnknown,
      StatusCodes.BadSequenceNumberUnknown,
      StatusCodes.BadSubscriptionIdInvalid,
    ]);
    expect(publish.body?.availableSequenceNumbers).toEqual([2]);
  });

  it('splits by maxNotificationsPerPublish, flags what follows and sends it without waiting for a cycle', async () => {
    const harness = new Harness();
    const id = harness.subscribe({ max: 2 });
    for (let i = 0; i < 5; i++) {
      harness.source.add(`n${i}`).set(i);
      harness.monitor(id, `n${i}`, { handle: i });
    }
    const parked = await publishes(harness, 2);
    await harness.advance(100);
    const late = await harness.publish();
    const all = [...parked, late];
    expect(all.map((publish) => valuesOf(publish))).toEqual([[0, 1], [2, 3], [4]]);
    expect(all.map(({ body }) => body?.moreNotifications)).toEqual([true, true, false]);
    expect(late.wasParked).toBe(false);
  });

  it('lets items take turns when a message cannot hold all', async () => {
    const harness = new Harness();
    const id = harness.subscribe({ max: 2 });
    const busy = harness.source.add('busy');
    harness.source.add('quiet');
    harness.monitor(id, 'busy', { handle: 1, queue: 10 });
    harness.monitor(id, 'quiet', { handle: 2 });
    for (let i = 1; i < 6; i++) busy.set(i);
    await harness.advance(100);
    const answers = await publishes(harness, 2);
    expect(answers.map((publish) => reported(publish).map(({ handle }) => handle))).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('first keep-alive comes at the end of the first cycle, also with publishing disabled', async () => {
    const harness = new Harness();
    harness.subscribe({ enabled: false, keepAlive: 5 });
    const publish = await harness.publish();
    await harness.advance(100);
    expect(isKeepAlive(publish)).toBe(true);
    expect(publish.body?.notificationMessage.sequenceNumber).toBe(1);
  });

  it('ends every waiting request with BadNoSubscription when the last Subscription is deleted', async () => {
    const harness = new Harness();
    const id = harness.subscribe();
    const waiting = await publishes(harness, 3);
    harness.manager.deleteSubscriptions(harness.session, DeleteSubscriptionsRequest.create({ subscriptionIds: [id] }));
    await settle();
    expect(waiting.map(({ errorCode }) => errorCode)).toEqual(Array(3).fill(StatusCodes.BadNoSubscription));
    expect(harness.manager.totals).toEqual({
      subscriptions: 0,
      monitoredItems: 0,
      queuedPublishRequests: 0,
      sessions: 0,
      samplingGroups: 0,
    });
    expect(harness.runtime.clock.pendingTimers).toBe(0);
  });

  it('is answered by a keep-alive when the late values were deleted', async () => {
    const harness = new Harness();
    harness.source.add('a');
    const id = harness.subscribe();
    const itemId = harness.monitor(id, 'a');
    await harness.advance(100);
    harness.manager.deleteMonitoredItems(
      harness.session,
      DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [itemId] }),
    );
    expect(isKeepAlive(await harness.publish())).toBe(true);
  });
});

describe('publishing order', () => {
  it('gives the only request to the highest priority of those due at one instant', async () => {
    const harness = new Harness();
    harness.source.add('a');
    const ids = [1, 200, 5].map((priority) => harness.subscribe({ priority }));
    for (const id of ids) harness.monitor(id, 'a');
    const first = await harness.publish();
    await harness.advance(100);
    expect(first.body?.subscriptionId).toBe(ids[1]);
    const next = await publishes(harness, 2);
    expect(next.map(({ body }) => body?.subscriptionId)).toEqual([ids[2], ids[0]]);
  });

  it('gives the next request to the one that has waited longest among equals', async () => {
    const harness = new Harness();
    harness.source.add('a');
    const slow = harness.subscribe({ interval: 300 });
    const fast = harness.subscribe({ interval: 200 });
    for (const id of [slow, fast]) harness.monitor(id, 'a');
    await harness.advance(300);
    const answers = await publishes(harness, 2);
    expect(answers.map(({ body }) => body?.subscriptionId)).toEqual([fast, slow]);
  });

  it('starves none of 250 Subscriptions with 10 requests per cycle: nobody is answered twice before all were once', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const ids = Array.from({ length: 250 }, () => harness.subscribe());
    for (const id of ids) harness.monitor(id, 'a');
    const answers: number[] = [];
    for (let cycle = 0; cycle < 50; cycle++) {
      const batch = await publishes(harness, 10);
      node.set(cycle + 1);
      await harness.advance(100);
      answers.push(...batch.map(({ body }) => body?.subscriptionId ?? -1));
    }
    expect(answers).toHaveLength(500);
    expect(new Set(answers.slice(0, 250)).size).toBe(250);
    expect(answers.slice(250)).toEqual(answers.slice(0, 250));
  });

  it('lets one with more Notifications wait its turn behind its siblings', async () => {
    const harness = new Harness();
    const big = harness.subscribe({ max: 1 });
    const small = harness.subscribe();
    for (let i = 0; i < 3; i++) harness.source.add(`n${i}`);
    for (let i = 0; i < 3; i++) harness.monitor(big, `n${i}`);
    harness.monitor(small, 'n0');
    await harness.advance(100);
    const answers = await publishes(harness, 4);
    const order = answers.map(({ body }) => (body?.subscriptionId === big ? 'big' : 'small'));
    expect(order.filter((who) => who === 'small')).toHaveLength(1);
    expect(order.indexOf('small')).toBeLessThan(2);
  });

  it('counts waiting anew after what was left to report was deleted', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const split = harness.subscribe({ max: 1, keepAlive: 100, lifetime: 300 });
    const itemIds = [harness.monitor(split, 'a'), harness.monitor(split, 'a')];
    await harness.advance(100);
    expect((await harness.publish()).body?.moreNotifications).toBe(true);
    const remove = DeleteMonitoredItemsRequest.create({ subscriptionId: split, monitoredItemIds: [itemIds[1]!] });
    harness.manager.deleteMonitoredItems(harness.session, remove);
    await harness.advance(50);
    const other = harness.subscribe({ interval: 100, keepAlive: 100, lifetime: 300 });
    harness.monitor(other, 'a');
    await harness.advance(100);
    node.set(1);
    await harness.advance(100);
    const answers = await publishes(harness, 2);
    expect(answers.map(({ body }) => body?.subscriptionId)).toEqual([other, split]);
  });

  it('never lets a newer request overtake an older one when a value turns up after a deletion', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const id = harness.subscribe({ max: 1 });
    const itemIds = [harness.monitor(id, 'a'), harness.monitor(id, 'a')];
    await harness.advance(100);
    await harness.publish();
    const remove = DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [itemIds[1]!] });
    harness.manager.deleteMonitoredItems(harness.session, remove);
    const older = await harness.publish();
    expect(older.wasParked).toBe(true);
    node.set(5);
    const newer = await harness.publish();
    expect(newer.isSettled).toBe(false);
    await harness.advance(100);
    expect(valuesOf(older)).toEqual([5]);
    expect(newer.isSettled).toBe(false);
  });

  it('serves a low priority that has waited for a keep-alive time before a high one that has not', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const high = harness.subscribe({ priority: 9, keepAlive: 3 });
    const low = harness.subscribe({ priority: 1, keepAlive: 3 });
    for (const id of [high, low]) harness.monitor(id, 'a');
    const order: string[] = [];
    for (let cycle = 1; cycle <= 12; cycle++) {
      node.set(cycle);
      await harness.advance(100);
      order.push((await harness.publish()).body?.subscriptionId === high ? 'H' : 'l');
    }
    expect(order.join('')).toBe('HHHlHHHlHHHl');
  });
});

describe('lifetime', () => {
  it('ends in a StatusChangeNotification BadTimeout, then BadNoSubscription', async () => {
    const harness = new Harness();
    harness.source.add('a');
    const id = harness.subscribe({ keepAlive: 2, lifetime: 6 });
    harness.monitor(id, 'a');
    await harness.advance(599);
    expect(harness.manager.totals.subscriptions).toBe(1);
    await harness.advance(1);
    expect(harness.manager.totals).toMatchObject({ subscriptions: 0, monitoredItems: 0 });
    const told = await harness.publish();
    expect(told.body?.subscriptionId).toBe(id);
    expect(statusChangeOf(told)).toBe(StatusCodes.BadTimeout);
    expect((await harness.publish()).errorCode).toBe(StatusCodes.BadNoSubscription);
    expect(harness.manager.totals.sessions).toBe(0);
    expect(harness.runtime.clock.pendingTimers).toBe(0);
  });

  it('goes on while a Publish request waits, while the client publishes, and while it uses the SubscriptionId', async () => {
    const harness = new Harness();
    const id = harness.subscribe({ keepAlive: 2, lifetime: 6 });
    await publishes(harness, 4);
    await harness.advance(700);
    expect(harness.manager.totals.subscriptions).toBe(1);
    for (let i = 0; i < 5; i++) {
      await harness.advance(500);
      harness.manager.setPublishingMode(
        harness.session,
        SetPublishingModeRequest.create({ publishingEnabled: true, subscriptionIds: [id] }),
      );
    }
    expect(harness.manager.totals.subscriptions).toBe(1);
  });

  it('does not end a Subscription whose siblings take all the requests', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const ids = Array.from({ length: 20 }, () => harness.subscribe({ keepAlive: 1, lifetime: 3 }));
    for (const id of ids) harness.monitor(id, 'a');
    for (let cycle = 1; cycle < 60; cycle++) {
      node.set(cycle);
      await harness.publish();
      await harness.advance(100);
    }
    expect(harness.manager.totals.subscriptions).toBe(20);
  });
});

describe('revision of Subscription parameters', () => {
  it.each([
    { wish: { interval: 0 }, interval: 10, keepAlive: 10, lifetime: 30 },
    { wish: { interval: -5 }, interval: 10, keepAlive: 10, lifetime: 30 },
    { wish: { interval: Number.NaN }, interval: 10, keepAlive: 10, lifetime: 30 },
    { wish: { interval: 1e12 }, interval: 600_000, keepAlive: 2, lifetime: 6 },
    { wish: { keepAlive: 0 }, interval: 100, keepAlive: 10, lifetime: 30 },
    { wish: { keepAlive: 10, lifetime: 1 }, interval: 100, keepAlive: 10, lifetime: 30 },
    { wish: { keepAlive: 10, lifetime: 100 }, interval: 100, keepAlive: 10, lifetime: 100 },
    { wish: { keepAlive: 0xffffffff, lifetime: 0xffffffff }, interval: 100, keepAlive: 10_000, lifetime: 36_000 },
  ])('of $wish gives $interval ms, $keepAlive, $lifetime', ({ wish, interval, keepAlive, lifetime }) => {
    const harness = new Harness();
    const diagnostics = harness.manager.diagnostics(harness.subscribe(wish));
    expect(diagnostics).toMatchObject({ publishingInterval: interval, maxKeepAliveCount: keepAlive, maxLifetimeCount: lifetime });
  });

  it('applies a modified interval to the cycle under way', async () => {
    const harness = new Harness();
    harness.source.add('a');
    const id = harness.subscribe({ interval: 1000 });
    harness.monitor(id, 'a');
    const publish = await harness.publish();
    await harness.advance(30);
    const response = harness.manager.modifySubscription(
      harness.session,
      ModifySubscriptionRequest.create({ subscriptionId: id, requestedPublishingInterval: 50 }),
    );
    expect(response.revisedPublishingInterval).toBe(50);
    await harness.advance(19);
    expect(publish.isSettled).toBe(false);
    await harness.advance(1);
    expect(publish.isSettled).toBe(true);
  });

  it('leaves cycles out after a stall instead of catching them up', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    harness.monitor(harness.subscribe({ keepAlive: 1 }), 'a');
    const waiting = await publishes(harness, 10);
    node.set(1);
    // One late timer run: the clock jumps, the timer fires once.
    const due = harness.runtime.clock.nextTimerMs as number;
    const jump = harness.runtime.clock.nowMs.bind(harness.runtime.clock);
    harness.runtime.clock.nowMs = () => jump() + 5_000;
    harness.runtime.clock.advance(due);
    await settle();
    expect(waiting.filter(({ isSettled }) => isSettled)).toHaveLength(1);
  });
});

describe('limits', () => {
  it('refuse more Subscriptions per Session and in all with BadTooManySubscriptions', () => {
    const harness = new Harness({ maxSubscriptions: 3, maxSubscriptionsPerSession: 2 });
    harness.subscribe();
    harness.subscribe();
    expect(faultOf(() => harness.subscribe())).toBe(StatusCodes.BadTooManySubscriptions);
    const other = createSession('two');
    harness.subscribe({}, other);
    expect(faultOf(() => harness.subscribe({}, other))).toBe(StatusCodes.BadTooManySubscriptions);
  });

  it('refuse empty and oversized requests', () => {
    const harness = new Harness({ maxSubscriptionsPerCall: 2 });
    const remove = (subscriptionIds: number[]) =>
      faultOf(() => harness.manager.deleteSubscriptions(harness.session, DeleteSubscriptionsRequest.create({ subscriptionIds })));
    expect(remove([])).toBe(StatusCodes.BadNothingToDo);
    expect(remove([1, 2, 3])).toBe(StatusCodes.BadTooManyOperations);
  });

  it('bound the retransmission queue: the oldest message goes', async () => {
    const harness = new Harness({ maxPublishRequestsPerSession: 2, maxRetransmissionMessages: 4 });
    const node = harness.source.add('a');
    const id = harness.subscribe();
    harness.monitor(id, 'a');
    for (let i = 1; i <= 6; i++) {
      node.set(i);
      await harness.advance(100);
      await harness.publish();
    }
    const republish = (retransmitSequenceNumber: number) =>
      harness.manager.republish(harness.session, RepublishRequest.create({ subscriptionId: id, retransmitSequenceNumber }))
        .notificationMessage.sequenceNumber;
    expect(faultOf(() => republish(2))).toBe(StatusCodes.BadMessageNotAvailable);
    expect(republish(3)).toBe(3);
    expect(faultOf(() => harness.manager.republish(harness.session, RepublishRequest.create({ subscriptionId: id + 1 })))).toBe(
      StatusCodes.BadSubscriptionIdInvalid,
    );
    expect(harness.manager.diagnostics(id)).toMatchObject({ unacknowledgedMessageCount: 4, discardedMessageCount: 2 });
    expect(harness.manager.heldValues(harness.session)).toEqual({ queued: 0, retransmission: 4 });
  });

  it('must be sensible', () => {
    expect(() => new Harness({ maxPublishRequestsPerSession: 0 })).toThrow(RangeError);
    expect(() => new Harness({ maxRetransmissionMessages: 10 })).toThrow(RangeError);
  });
});

describe('publishing mode', () => {
  it('holds back values while disabled and counts its changes', async () => {
    const harness = new Harness();
    const node = harness.source.add('a');
    const id = harness.subscribe({ keepAlive: 2 });
    harness.monitor(id, 'a', { queue: 5, mode: MonitoringMode.Reporting });
    const waiting = await publishes(harness, 3);
    const enable = (publishingEnabled: boolean) =>
      harness.manager.setPublishingMode(
        harness.session,
        SetPublishingModeRequest.create({ publishingEnabled, subscriptionIds: [id, id + 1] }),
      ).results;
    expect(enable(false)).toEqual([StatusCodes.Good, StatusCodes.BadSubscriptionIdInvalid]);
    node.set(1);
    await harness.advance(100);
    expect(isKeepAlive(waiting[0] as Publish)).toBe(true);
    enable(true);
    await harness.advance(100);
    expect(valuesOf(waiting[1] as Publish)).toEqual([0, 1]);
    expect(harness.manager.diagnostics(id)).toMatchObject({ disableCount: 1, enableCount: 1 });
  });
});
