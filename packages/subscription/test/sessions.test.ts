import type { SessionContext } from '@bulkhead/contracts';
import {
  DeleteSubscriptionsRequest,
  MessageSecurityMode,
  type MonitoringMode,
  RepublishRequest,
  type StatusCode,
  StatusCodes,
  TransferSubscriptionsRequest,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createSession, faultOf, Harness, reported, reportedIn, settle, statusChangeOf, valuesOf } from './harness.ts';

function transfer(harness: Harness, to: SessionContext, subscriptionId: number, sendInitialValues = false) {
  return harness.manager.transferSubscriptions(
    to,
    TransferSubscriptionsRequest.create({ subscriptionIds: [subscriptionId], sendInitialValues }),
  ).results?.[0];
}

/** One Subscription with items a (reporting 0) and b (sampling), first message sent to session one. */
async function started(limits: ConstructorParameters<typeof Harness>[0] = {}): Promise<{ harness: Harness; id: number }> {
  const harness = new Harness(limits);
  const id = harness.subscribe();
  harness.source.add('a');
  harness.source.add('b');
  harness.monitor(id, 'a', { handle: 1, queue: 5 });
  harness.monitor(id, 'b', { handle: 2, mode: 1 as MonitoringMode });
  await harness.advance(100);
  await harness.publish();
  return { harness, id };
}

describe('TransferSubscriptions', () => {
  it('moves the Subscription, tells the old Session and leaves the messages for Republish', async () => {
    const { harness, id } = await started();
    const waiting = [await harness.publish(), await harness.publish()];
    const two = createSession('two');
    expect(transfer(harness, two, id)).toEqual({ statusCode: StatusCodes.Good, availableSequenceNumbers: [1] });
    await settle();
    expect(waiting[0]?.body?.subscriptionId).toBe(id);
    expect(statusChangeOf(waiting[0]!)).toBe(StatusCodes.GoodSubscriptionTransferred);
    expect(waiting[1]?.errorCode).toBe(StatusCodes.BadNoSubscription);
    const { notificationMessage } = harness.manager.republish(
      two,
      RepublishRequest.create({ subscriptionId: id, retransmitSequenceNumber: 1 }),
    );
    expect(reportedIn(notificationMessage)).toMatchObject([{ handle: 1, value: 0 }]);
    expect(
      faultOf(() =>
        harness.manager.republish(harness.session, RepublishRequest.create({ subscriptionId: id, retransmitSequenceNumber: 1 })),
      ),
    ).toBe(StatusCodes.BadSubscriptionIdInvalid);
    harness.source.targets.get('a')?.set(3);
    const publish = await harness.publish(two, [[id, 1]]);
    await harness.advance(100);
    expect(valuesOf(publish)).toEqual([3]);
    expect(publish.body).toMatchObject({ results: [StatusCodes.Good], availableSequenceNumbers: [2] });
  });

  it('tells the old Session with its next Publish request when none waits', async () => {
    const { harness, id } = await started();
    transfer(harness, createSession('two'), id);
    expect(statusChangeOf(await harness.publish())).toBe(StatusCodes.GoodSubscriptionTransferred);
    expect((await harness.publish()).errorCode).toBe(StatusCodes.BadNoSubscription);
  });

  it.each([
    { sendInitialValues: true, handles: [1] },
    { sendInitialValues: false, handles: [] },
  ])('sendInitialValues $sendInitialValues repeats the reporting items $handles', async ({ sendInitialValues, handles }) => {
    const { harness, id } = await started();
    const two = createSession('two');
    transfer(harness, two, id, sendInitialValues);
    const publish = await harness.publish(two);
    await harness.advance(100);
    expect(reported(publish).map(({ handle }) => handle)).toEqual(handles);
  });

  it('sends what is queued rather than repeating an older value', async () => {
    const { harness, id } = await started();
    harness.source.targets.get('a')?.set(8);
    const two = createSession('two');
    transfer(harness, two, id, true);
    const publish = await harness.publish(two);
    await harness.advance(100);
    expect(valuesOf(publish)).toEqual([8]);
  });

  it('answers a waiting Publish request of the new Session at once when the Subscription was late', async () => {
    const { harness, id } = await started();
    harness.source.targets.get('a')?.set(8);
    await harness.advance(100);
    const two = createSession('two');
    harness.subscribe({ keepAlive: 100, lifetime: 300 }, two);
    await harness.advance(100);
    await harness.publish(two);
    const waiting = await harness.publish(two);
    expect(waiting.wasParked).toBe(true);
    transfer(harness, two, id);
    await settle();
    expect(valuesOf(waiting)).toEqual([8]);
  });

  const anonymous = {};
  const anna = { user: 'anna' };
  it.each<[string, Parameters<typeof createSession>[1], Parameters<typeof createSession>[1], StatusCode]>([
    ['the same user', anna, anna, StatusCodes.Good],
    ['the same user in another application', anna, { user: 'anna', applicationUri: 'urn:other' }, StatusCodes.Good],
    ['another user', anna, { user: 'bert' }, StatusCodes.BadUserAccessDenied],
    ['from a user to anonymous', anna, anonymous, StatusCodes.BadUserAccessDenied],
    ['from anonymous to a user', anonymous, anna, StatusCodes.BadUserAccessDenied],
    ['anonymous of the same application, signed', anonymous, { mode: MessageSecurityMode.SignAndEncrypt }, StatusCodes.Good],
    ['anonymous of the same application, unsigned', anonymous, { mode: MessageSecurityMode.None }, StatusCodes.BadUserAccessDenied],
    ['anonymous of another application', anonymous, { applicationUri: 'urn:other' }, StatusCodes.BadUserAccessDenied],
  ])('to %s', async (_name, from, to, expected) => {
    const harness = new Harness();
    const id = harness.subscribe({}, createSession('from', from));
    expect(transfer(harness, createSession('to', to), id)?.statusCode).toBe(expected);
  });

  it('between unsigned anonymous Sessions is possible where the laboratory setting allows it', () => {
    const harness = new Harness({ anonymousTransferNeedsSecurity: false });
    const id = harness.subscribe({}, createSession('from'));
    expect(transfer(harness, createSession('to', { mode: MessageSecurityMode.None }), id)?.statusCode).toBe(StatusCodes.Good);
  });

  it('refuses an unknown id, the own Subscription and a full Session', async () => {
    const { harness, id } = await started({ maxSubscriptionsPerSession: 1 });
    expect(transfer(harness, harness.session, id + 1)?.statusCode).toBe(StatusCodes.BadSubscriptionIdInvalid);
    expect(transfer(harness, harness.session, id)?.statusCode).toBe(StatusCodes.BadNothingToDo);
    const full = createSession('full');
    harness.subscribe({}, full);
    expect(transfer(harness, full, id)?.statusCode).toBe(StatusCodes.BadTooManySubscriptions);
    expect(harness.manager.diagnostics(id)).toMatchObject({ transferRequestCount: 2, transferredToSameClientCount: 0 });
  });
});

describe('closing a Session', () => {
  it('with deleteSubscriptions ends them and its Publish requests', async () => {
    const { harness } = await started();
    const waiting = await harness.publish();
    harness.manager.sessionClosed(harness.session, true);
    await settle();
    expect(waiting.errorCode).toBe(StatusCodes.BadSessionClosed);
    expect(harness.manager.totals).toEqual({
      subscriptions: 0,
      monitoredItems: 0,
      queuedPublishRequests: 0,
      sessions: 0,
      samplingGroups: 0,
    });
    expect(harness.runtime.clock.pendingTimers).toBe(0);
  });

  it('without it leaves them sampling until a transfer: no value is lost', async () => {
    const { harness, id } = await started();
    const waiting = await harness.publish();
    harness.manager.sessionClosed(harness.session, false);
    await settle();
    expect(waiting.errorCode).toBe(StatusCodes.BadSessionClosed);
    for (let i = 1; i <= 3; i++) {
      harness.source.targets.get('a')?.set(i);
      await harness.advance(100);
    }
    const two = createSession('two');
    expect(transfer(harness, two, id)?.statusCode).toBe(StatusCodes.Good);
    expect(valuesOf(await harness.publish(two))).toEqual([1, 2, 3]);
    expect(harness.manager.totals.sessions).toBe(1);
  });

  it('without it they still end with their lifetime', async () => {
    const { harness } = await started();
    harness.manager.sessionClosed(harness.session, false);
    await harness.advance(2_900);
    expect(harness.manager.totals.subscriptions).toBe(1);
    await harness.advance(200);
    expect(harness.manager.totals).toMatchObject({ subscriptions: 0, monitoredItems: 0, sessions: 0 });
    expect(harness.runtime.clock.pendingTimers).toBe(0);
  });

  it('is harmless for a Session without Subscriptions and when repeated', () => {
    const harness = new Harness();
    harness.manager.sessionClosed(harness.session, true);
    harness.manager.sessionClosed(harness.session, false);
    expect(harness.manager.totals.sessions).toBe(0);
  });
});

describe('a foreign Session', () => {
  it('can neither use nor delete a Subscription', async () => {
    const { harness, id } = await started();
    const two = createSession('two');
    expect(harness.manager.deleteSubscriptions(two, DeleteSubscriptionsRequest.create({ subscriptionIds: [id] })).results).toEqual([
      StatusCodes.BadSubscriptionIdInvalid,
    ]);
    expect(faultOf(() => harness.manager.getMonitoredItems(two, id))).toBe(StatusCodes.BadUserAccessDenied);
    expect(faultOf(() => harness.manager.resendData(two, id))).toBe(StatusCodes.BadUserAccessDenied);
    expect(faultOf(() => harness.manager.resendData(two, id + 1))).toBe(StatusCodes.BadSubscriptionIdInvalid);
    expect((await harness.publish(two, [[id, 1]])).errorCode).toBe(StatusCodes.BadNoSubscription);
  });
});

describe('methods of the Server object', () => {
  it('GetMonitoredItems lists server and client handles in one order', async () => {
    const { harness, id } = await started();
    expect(harness.manager.getMonitoredItems(harness.session, id)).toEqual({ serverHandles: [1, 2], clientHandles: [1, 2] });
  });

  it('ResendData repeats the last value of reporting items in the next cycle', async () => {
    const { harness, id } = await started();
    harness.manager.resendData(harness.session, id);
    harness.manager.resendData(harness.session, id);
    const publish = await harness.publish();
    await harness.advance(100);
    expect(reported(publish)).toMatchObject([{ handle: 1, value: 0 }]);
  });
});

describe('SubscriptionIds', () => {
  it('do not repeat after a restart with other randomness', () => {
    const ids = new Set(Array.from({ length: 3 }, () => new Harness().subscribe()));
    expect(ids.size).toBe(1); // the same seed
    const harness = new Harness();
    const many = Array.from({ length: 100 }, () => harness.subscribe());
    expect(new Set(many).size).toBe(100);
    expect(harness.manager.subscriptionIds()).toEqual(many);
    expect(harness.manager.subscriptionIds(createSession('two'))).toEqual([]);
  });
});

describe('dispose', () => {
  it('answers what waits, stops every timer and leaves nothing', async () => {
    const { harness } = await started();
    const observers = harness.source.targets.get('a')?.observers;
    expect(observers?.size).toBe(1);
    const waiting = await harness.publish();
    harness.manager.dispose();
    harness.manager.dispose();
    await settle();
    expect(waiting.errorCode).toBe(StatusCodes.BadServerHalted);
    expect(observers?.size).toBe(0);
    expect(harness.manager.totals).toEqual({
      subscriptions: 0,
      monitoredItems: 0,
      queuedPublishRequests: 0,
      sessions: 0,
      samplingGroups: 0,
    });
    expect(harness.runtime.clock.pendingTimers).toBe(0);
    expect(faultOf(() => harness.subscribe())).toBe(StatusCodes.BadServerHalted);
  });
});

describe('the end of a large Subscription', () => {
  it('takes its items away in slices', () => {
    const harness = new Harness();
    const { clock, turns } = harness.runtime;
    harness.source.add('slow', { observe: () => () => clock.elapse(0.1) });
    const id = harness.subscribe();
    for (let i = 0; i < 500; i++) harness.monitor(id, 'slow');
    const startedMs = clock.nowMs();
    harness.manager.sessionClosed(harness.session, true);
    expect(clock.nowMs() - startedMs).toBeLessThan(10);
    expect(harness.manager.totals).toMatchObject({ subscriptions: 0, sessions: 0 });
    while (harness.manager.totals.monitoredItems > 0) turns.runAll();
    expect(clock.nowMs() - startedMs).toBeCloseTo(50);
  });
});
