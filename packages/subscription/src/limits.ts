/**
 * What Subscriptions and MonitoredItems may use. The same object is published in ServerCapabilities, so that what a client
 * reads is what it meets. Every number is finite; 0 never means unlimited.
 */
export interface SubscriptionLimits {
  readonly maxSubscriptions: number;
  readonly maxSubscriptionsPerSession: number;
  /** Of all Sessions of one owner. */
  readonly maxSubscriptionsPerOwner: number;
  readonly maxMonitoredItems: number;
  /** Of all Sessions of one owner, disabled ones too. */
  readonly maxMonitoredItemsPerOwner: number;
  /**
   * Samples per second of all MonitoredItems of one owner, by their revised intervals; one that reports every change counts as with
   * `minSamplingIntervalMs`. Items beyond it get longer intervals, up to `maxSamplingIntervalMs`.
   */
  readonly maxSamplesPerSecondPerOwner: number;
  readonly maxMonitoredItemsPerSubscription: number;
  readonly maxMonitoredItemsQueueSize: number;
  /** Publish requests that may wait per Session; one more answers the oldest with BadTooManyPublishRequests. */
  readonly maxPublishRequestsPerSession: number;
  /** Notifications in one NotificationMessage, whatever the client asks for. */
  readonly maxNotificationsPerPublish: number;
  /**
   * Bytes in one NotificationMessage, estimated; one Notification is always possible. Half of what a response may have at most leaves
   * room for the estimate to be wrong.
   */
  readonly maxNotificationBytesPerPublish: number;
  /** Unacknowledged NotificationMessages kept per Subscription; at least twice `maxPublishRequestsPerSession` (OPC 10000-4 §5.14.1.1). */
  readonly maxRetransmissionMessages: number;
  /** Notifications kept per Subscription in those messages. */
  readonly maxRetransmissionNotifications: number;
  readonly minPublishingIntervalMs: number;
  readonly maxPublishingIntervalMs: number;
  readonly minSamplingIntervalMs: number;
  readonly maxSamplingIntervalMs: number;
  /** Keep-alive count given when the client asks for 0. */
  readonly defaultKeepAliveCount: number;
  readonly maxKeepAliveCount: number;
  /**
   * How long a Subscription may live without its client; lifetime and keep-alive counts are revised to it, but a Subscription
   * always lives for three publishing intervals.
   */
  readonly maxLifetimeMs: number;
  /** Operations in one MonitoredItem service request. */
  readonly maxMonitoredItemsPerCall: number;
  /** SubscriptionIds in one request. */
  readonly maxSubscriptionsPerCall: number;
  readonly maxTriggeringLinksPerSubscription: number;
  /**
   * Whether Subscriptions of anonymous users move only between Sessions on signed channels of the same ApplicationUri, as
   * OPC 10000-4 §5.14.7.1 demands. False drops the demand for a signed channel: a laboratory setting.
   */
  readonly anonymousTransferNeedsSecurity: boolean;
}

export const defaultSubscriptionLimits: SubscriptionLimits = {
  maxSubscriptions: 10_000,
  maxSubscriptionsPerSession: 500,
  maxSubscriptionsPerOwner: 5_000,
  maxMonitoredItems: 1_000_000,
  maxMonitoredItemsPerOwner: 500_000,
  maxSamplesPerSecondPerOwner: 500_000,
  maxMonitoredItemsPerSubscription: 100_000,
  maxMonitoredItemsQueueSize: 10_000,
  maxPublishRequestsPerSession: 100,
  maxNotificationsPerPublish: 10_000,
  maxNotificationBytesPerPublish: 2 * 1024 * 1024,
  maxRetransmissionMessages: 200,
  maxRetransmissionNotifications: 100_000,
  minPublishingIntervalMs: 10,
  maxPublishingIntervalMs: 600_000,
  minSamplingIntervalMs: 10,
  maxSamplingIntervalMs: 600_000,
  defaultKeepAliveCount: 10,
  maxKeepAliveCount: 10_000,
  maxLifetimeMs: 3_600_000,
  maxMonitoredItemsPerCall: 10_000,
  maxSubscriptionsPerCall: 10_000,
  maxTriggeringLinksPerSubscription: 10_000,
  anonymousTransferNeedsSecurity: true,
};

/**
 * The defaults overridden by `overrides`. `maxRetransmissionMessages` follows `maxPublishRequestsPerSession` unless it is given.
 * @throws RangeError when a limit is no number >= 1 or a maximum is below its minimum.
 */
export function createSubscriptionLimits(overrides: Partial<SubscriptionLimits> = {}): SubscriptionLimits {
  const publishRequests = overrides.maxPublishRequestsPerSession ?? defaultSubscriptionLimits.maxPublishRequestsPerSession;
  const limits: SubscriptionLimits = { ...defaultSubscriptionLimits, maxRetransmissionMessages: 2 * publishRequests, ...overrides };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value !== 'number') continue;
    const isInterval = name.endsWith('Ms');
    if (!(isInterval ? value >= 1 && value < Number.MAX_SAFE_INTEGER : Number.isSafeInteger(value) && value >= 1)) {
      throw new RangeError(`${name}: ${value}, expected ${isInterval ? 'milliseconds' : 'an integer'} >= 1`);
    }
  }
  if (limits.maxPublishingIntervalMs < limits.minPublishingIntervalMs) throw new RangeError('maxPublishingIntervalMs is below the minimum');
  if (limits.maxSamplingIntervalMs < limits.minSamplingIntervalMs) throw new RangeError('maxSamplingIntervalMs is below the minimum');
  if (limits.maxRetransmissionMessages < 2 * publishRequests) {
    throw new RangeError('maxRetransmissionMessages is below twice maxPublishRequestsPerSession');
  }
  return limits;
}
