import { createManualRuntime } from '@bulkhead/testkit';
import { DataChangeTrigger, DateTime, MonitoringMode, StatusCodes, TimestampsToReturn } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createSubscriptionLimits } from '../src/limits.ts';
import { MonitoredItem } from '../src/monitored-item.ts';
import { OwnerShares } from '../src/owner-share.ts';
import { SamplingScheduler } from '../src/sampling.ts';
import { Subscription } from '../src/subscription.ts';
import { createSession, FakeTarget, reportedIn, unboundedAccounts } from './harness.ts';

const KEEP_ALIVE = 3;
const LIFETIME = 9;
const now = DateTime.fromUnixMs(0);

/** A Subscription with one Double to report. */
class Fixture {
  readonly target: FakeTarget = new FakeTarget();
  readonly subscription: Subscription;
  #next = 1;

  constructor(options: { enabled?: boolean; max?: number; queue?: number } = {}) {
    const parameters = {
      publishingIntervalMs: 100,
      lifetimeCount: LIFETIME,
      maxKeepAliveCount: KEEP_ALIVE,
      maxNotificationsPerPublish: options.max ?? 100,
      priority: 0,
    };
    const session = createSession('one');
    const share = new OwnerShares(unboundedAccounts, () => 'everybody').join(session);
    this.subscription = new Subscription(1, session, parameters, options.enabled ?? true, createSubscriptionLimits(), share);
    const sampling = new SamplingScheduler(createManualRuntime(), 5);
    const item = new MonitoredItem(
      1,
      this.subscription,
      13,
      this.target,
      {
        clientHandle: 1,
        samplingIntervalMs: 0,
        samplesPerSecond: 100,
        queueSize: options.queue ?? 10,
        discardOldest: true,
        filter: { trigger: DataChangeTrigger.StatusValue, deadband: undefined },
        timestampsToReturn: TimestampsToReturn.Both,
      },
      sampling,
      10,
    );
    this.subscription.addItem(item);
    this.subscription.setItemMode(item, MonitoringMode.Reporting);
  }

  /** New Notification Queued. */
  change(): void {
    this.target.set(this.#next++);
  }

  expire(requestQueued: boolean): string {
    const outcome = this.subscription.publishingTimerExpired(requestQueued, 0);
    if (outcome === 'needsPublishRequest' && !requestQueued) this.subscription.becomeLate();
    return outcome;
  }

  /** What a Publish request is answered with. */
  send(): unknown[] | 'keepAlive' {
    const message = this.subscription.createMessage(now);
    return message.notificationData?.length === 0 ? 'keepAlive' : reportedIn(message).map(({ value }) => value);
  }

  /** In state NORMAL with the first message behind it and nothing queued. */
  static normal(options: ConstructorParameters<typeof Fixture>[0] = {}): Fixture {
    const fixture = new Fixture(options);
    fixture.expire(true);
    fixture.send();
    return fixture;
  }

  static late(): Fixture {
    const fixture = Fixture.normal();
    fixture.change();
    fixture.expire(false);
    return fixture;
  }

  static keepAlive(options: ConstructorParameters<typeof Fixture>[0] = {}): Fixture {
    const fixture = Fixture.normal(options);
    fixture.expire(true);
    return fixture;
  }
}

describe('Subscription state table', () => {
  it('row 3: starts in NORMAL with no message sent', () => {
    const { subscription } = new Fixture();
    expect(subscription.state).toBe('normal');
    expect(subscription.isReady).toBe(false);
    expect(subscription.nextSequenceNumber).toBe(1);
  });

  it('row 4: in NORMAL without more Notifications a Publish request has to wait', () => {
    const fixture = Fixture.normal();
    fixture.change();
    expect(fixture.subscription.isReady).toBe(false);
  });

  it('row 5: in NORMAL with more Notifications a Publish request gets them at once', () => {
    const fixture = Fixture.normal({ max: 2 });
    for (let i = 0; i < 5; i++) fixture.change();
    fixture.expire(true);
    expect(fixture.send()).toEqual([1, 2]);
    expect(fixture.subscription.moreNotifications).toBe(true);
    expect(fixture.subscription.isReady).toBe(true);
    expect(fixture.send()).toEqual([3, 4]);
    expect(fixture.send()).toEqual([5]);
    expect(fixture.subscription.moreNotifications).toBe(false);
    expect(fixture.subscription.isReady).toBe(false);
    expect(fixture.subscription.state).toBe('normal');
  });

  it('row 6: in NORMAL the timer sends Notifications', () => {
    const fixture = Fixture.normal();
    fixture.change();
    expect(fixture.expire(true)).toBe('needsPublishRequest');
    expect(fixture.send()).toEqual([1]);
    expect(fixture.subscription.state).toBe('normal');
  });

  it('row 7: the first cycle sends a keep-alive when there is nothing, also with publishing disabled', () => {
    const fixture = new Fixture({ enabled: false });
    expect(fixture.expire(true)).toBe('needsPublishRequest');
    expect(fixture.send()).toBe('keepAlive');
    expect(fixture.subscription.state).toBe('normal');
    expect(fixture.subscription.nextSequenceNumber).toBe(1);
  });

  it('row 8: in NORMAL without a Publish request it becomes LATE, for Notifications and for the first message', () => {
    const withNotification = Fixture.normal();
    withNotification.change();
    withNotification.expire(false);
    expect(withNotification.subscription.state).toBe('late');
    const first = new Fixture({ enabled: false });
    first.expire(false);
    expect(first.subscription.state).toBe('late');
  });

  it('row 9: in NORMAL with nothing to send it goes to KEEPALIVE', () => {
    const fixture = Fixture.normal();
    expect(fixture.expire(true)).toBe('nothing');
    expect(fixture.subscription.state).toBe('keepAlive');
  });

  it('row 10: in LATE a Publish request gets the Notifications', () => {
    const fixture = Fixture.late();
    expect(fixture.subscription.isReady).toBe(true);
    expect(fixture.send()).toEqual([1]);
    expect(fixture.subscription.state).toBe('normal');
  });

  it('row 11: in LATE a Publish request gets a keep-alive when publishing is disabled meanwhile', () => {
    const fixture = Fixture.late();
    fixture.subscription.setPublishingEnabled(false);
    expect(fixture.send()).toBe('keepAlive');
    expect(fixture.subscription.state).toBe('keepAlive');
  });

  it('row 12: in LATE the timer changes nothing', () => {
    const fixture = Fixture.late();
    expect(fixture.expire(false)).toBe('nothing');
    expect(fixture.subscription.state).toBe('late');
  });

  it('row 13: in KEEPALIVE a Publish request has to wait', () => {
    const fixture = Fixture.keepAlive();
    fixture.change();
    expect(fixture.subscription.isReady).toBe(false);
  });

  it('row 14: in KEEPALIVE the timer sends Notifications and goes back to NORMAL', () => {
    const fixture = Fixture.keepAlive();
    fixture.change();
    expect(fixture.expire(true)).toBe('needsPublishRequest');
    expect(fixture.send()).toEqual([1]);
    expect(fixture.subscription.state).toBe('normal');
  });

  it('rows 15, 16: a keep-alive goes out after every maxKeepAliveCount quiet cycles', () => {
    const fixture = Fixture.normal();
    const outcomes = Array.from({ length: 9 }, () => {
      const outcome = fixture.expire(true);
      return outcome === 'needsPublishRequest' ? fixture.send() : '-';
    });
    expect(outcomes).toEqual(['-', '-', 'keepAlive', '-', '-', 'keepAlive', '-', '-', 'keepAlive']);
    expect(fixture.subscription.state).toBe('keepAlive');
    expect(fixture.subscription.nextSequenceNumber).toBe(2);
  });

  it('row 17: in KEEPALIVE without a Publish request it becomes LATE when the keep-alive or a Notification is due', () => {
    const keepAlive = Fixture.keepAlive();
    expect(keepAlive.expire(false)).toBe('nothing');
    keepAlive.expire(false);
    expect(keepAlive.subscription.state).toBe('late');
    expect(keepAlive.send()).toBe('keepAlive');
    const notification = Fixture.keepAlive();
    notification.change();
    notification.expire(false);
    expect(notification.subscription.state).toBe('late');
    expect(notification.send()).toEqual([1]);
  });

  it('row 18: ModifySubscription resets the lifetime and keeps the state', () => {
    const fixture = Fixture.late();
    for (let i = 0; i < 5; i++) fixture.expire(false);
    fixture.subscription.modify({ ...fixture.subscription.parameters, lifetimeCount: 12 });
    expect(fixture.subscription.lifetimeCounter).toBe(12);
    expect(fixture.subscription.state).toBe('late');
  });

  it('row 19: SetPublishingMode resets the lifetime and forgets about more Notifications', () => {
    const fixture = Fixture.normal({ max: 1 });
    fixture.change();
    fixture.change();
    fixture.expire(true);
    fixture.send();
    expect(fixture.subscription.isReady).toBe(true);
    fixture.subscription.setPublishingEnabled(true);
    expect(fixture.subscription.moreNotifications).toBe(false);
    expect(fixture.subscription.isReady).toBe(false);
    expect(fixture.subscription.lifetimeCounter).toBe(LIFETIME);
    fixture.expire(true);
    expect(fixture.send()).toEqual([2]);
  });

  it('rows 20, 21: Republish finds what is unacknowledged and resets the lifetime either way', () => {
    const fixture = Fixture.normal();
    for (const sequenceNumber of [1, 2]) {
      fixture.expire(false);
      expect(fixture.subscription.lifetimeCounter).toBeLessThan(LIFETIME);
      expect(fixture.subscription.republish(sequenceNumber)?.sequenceNumber).toBe(sequenceNumber === 1 ? 1 : undefined);
      expect(fixture.subscription.lifetimeCounter).toBe(LIFETIME);
    }
  });

  it('row 27: ends when the timer expired lifetimeCount times without the client', () => {
    const fixture = Fixture.normal();
    const outcomes = Array.from({ length: LIFETIME }, () => fixture.expire(false));
    expect(outcomes.indexOf('lifetimeEnded')).toBe(LIFETIME - 1);
  });

  it('disabled publishing keeps values until it is enabled again', () => {
    const fixture = Fixture.normal({ enabled: false });
    fixture.change();
    fixture.change();
    expect(fixture.expire(true)).toBe('nothing');
    fixture.subscription.setPublishingEnabled(true);
    expect(fixture.expire(true)).toBe('needsPublishRequest');
    expect(fixture.send()).toEqual([0, 1, 2]);
  });

  it('with a keep-alive count of 1 every quiet cycle sends one', () => {
    const fixture = Fixture.normal();
    fixture.subscription.modify({ ...fixture.subscription.parameters, maxKeepAliveCount: 1 });
    for (let i = 0; i < 3; i++) {
      expect(fixture.expire(true)).toBe('needsPublishRequest');
      expect(fixture.send()).toBe('keepAlive');
    }
  });

  it('once closed it wants nothing any more', () => {
    const fixture = Fixture.late();
    fixture.subscription.close();
    expect(fixture.expire(true)).toBe('nothing');
    expect(fixture.subscription.isReady).toBe(false);
    expect(fixture.subscription.createStatusChangeMessage(StatusCodes.BadTimeout, now).notificationData).toHaveLength(1);
  });
});
