import type { SubscriptionLimits } from './limits.ts';

/** What a client asks for in CreateSubscription and ModifySubscription. */
export interface RequestedSubscriptionParameters {
  readonly requestedPublishingInterval: number;
  readonly requestedLifetimeCount: number;
  readonly requestedMaxKeepAliveCount: number;
  readonly maxNotificationsPerPublish: number;
  readonly priority: number;
}

/** What it gets. */
export interface SubscriptionParameters {
  readonly publishingIntervalMs: number;
  readonly lifetimeCount: number;
  readonly maxKeepAliveCount: number;
  /** Never 0. */
  readonly maxNotificationsPerPublish: number;
  /** Larger is more important, 0…255. */
  readonly priority: number;
}

/**
 * Brings the requested values into the server's bounds. The lifetime count is at least three times the keep-alive count.
 * OPC 10000-4 §5.14.2.2.
 */
export function reviseSubscriptionParameters(request: RequestedSubscriptionParameters, limits: SubscriptionLimits): SubscriptionParameters {
  const requestedMs = request.requestedPublishingInterval;
  // 0, negative numbers and NaN ask for the fastest.
  const publishingIntervalMs =
    requestedMs > limits.minPublishingIntervalMs ? Math.min(requestedMs, limits.maxPublishingIntervalMs) : limits.minPublishingIntervalMs;
  const longestLifetime = Math.max(3, Math.floor(limits.maxLifetimeMs / publishingIntervalMs));
  const keepAliveLimit = Math.max(1, Math.min(limits.maxKeepAliveCount, Math.floor(longestLifetime / 3)));
  const maxKeepAliveCount = Math.min(request.requestedMaxKeepAliveCount || limits.defaultKeepAliveCount, keepAliveLimit);
  const lifetimeCount = Math.max(3 * maxKeepAliveCount, Math.min(request.requestedLifetimeCount, longestLifetime));
  const maxNotificationsPerPublish = Math.min(
    request.maxNotificationsPerPublish || limits.maxNotificationsPerPublish,
    limits.maxNotificationsPerPublish,
  );
  return { publishingIntervalMs, lifetimeCount, maxKeepAliveCount, maxNotificationsPerPublish, priority: request.priority };
}

/**
 * The sampling interval of a MonitoredItem in ms. Negative (and NaN) means the publishing interval, 0 the fastest practical
 * rate: 0 for a target that reports changes. Whole milliseconds, rounded up, so that items share their timers.
 * OPC 10000-4 §7.21.
 * @param minimumMs of the target; 0 when it reports changes.
 */
export function reviseSamplingInterval(
  requestedMs: number,
  minimumMs: number,
  publishingIntervalMs: number,
  limits: SubscriptionLimits,
): number {
  const wantedMs = requestedMs >= 0 ? requestedMs : publishingIntervalMs;
  if (minimumMs === 0 && wantedMs === 0) return 0;
  const lowestMs = Math.max(minimumMs, limits.minSamplingIntervalMs);
  return Math.ceil(Math.max(lowestMs, Math.min(wantedMs, limits.maxSamplingIntervalMs)));
}

/** What an item with this sampling interval counts as. */
export function samplesPerSecond(samplingIntervalMs: number, { minSamplingIntervalMs }: SubscriptionLimits): number {
  return 1000 / (samplingIntervalMs > 0 ? samplingIntervalMs : minSamplingIntervalMs);
}

/**
 * The sampling interval, made longer if its samples don't fit into what the owner has left: refusing the item would help nobody.
 * @param leftPerSecond samples per second that the owner has left; 0 or less when there are none.
 */
export function slowDown(samplingIntervalMs: number, leftPerSecond: number, limits: SubscriptionLimits): number {
  if (samplesPerSecond(samplingIntervalMs, limits) <= leftPerSecond) return samplingIntervalMs;
  if (leftPerSecond <= 0) return limits.maxSamplingIntervalMs;
  return Math.min(Math.ceil(1000 / leftPerSecond), limits.maxSamplingIntervalMs);
}
