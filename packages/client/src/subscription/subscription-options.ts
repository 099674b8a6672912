import type { CreateSubscriptionRequest, CreateSubscriptionResponse } from '@bulkhead/types';

/** How a Subscription publishes. */
export interface SubscriptionOptions {
  /** ms. Default 1,000. */
  readonly publishingIntervalMs?: number;
  /** Empty publishing intervals after which a keep-alive comes. Default 10. */
  readonly maxKeepAliveCount?: number;
  /** Publishing intervals without a Publish request after which the server gives up. Default 600; at least three times the keep-alive. */
  readonly lifetimeCount?: number;
  /** 0, the default: no limit. */
  readonly maxNotificationsPerPublish?: number;
  /** Default true. */
  readonly publishingEnabled?: boolean;
  /** 0 … 255, higher first. Default 0. */
  readonly priority?: number;
  /** Called when the state changes. Must not throw. */
  readonly onStateChange?: (state: SubscriptionState) => void;
}

/**
 * `active`; `late`: neither message nor keep-alive for longer than agreed; `lost`: the server doesn't know it any more (a managed
 * session makes it anew); `closed`: deleted here, or with its session.
 */
export type SubscriptionState = 'active' | 'late' | 'lost' | 'closed';

/** What the server granted. */
export interface RevisedParameters {
  readonly publishingIntervalMs: number;
  readonly maxKeepAliveCount: number;
  readonly lifetimeCount: number;
}

export function createRequestOf(options: SubscriptionOptions): Omit<CreateSubscriptionRequest, 'requestHeader'> {
  const maxKeepAliveCount = options.maxKeepAliveCount ?? 10;
  return {
    requestedPublishingInterval: options.publishingIntervalMs ?? 1000,
    requestedLifetimeCount: Math.max(options.lifetimeCount ?? 600, 3 * maxKeepAliveCount),
    requestedMaxKeepAliveCount: maxKeepAliveCount,
    maxNotificationsPerPublish: options.maxNotificationsPerPublish ?? 0,
    publishingEnabled: options.publishingEnabled ?? true,
    priority: options.priority ?? 0,
  };
}

export function revisedOf(
  response: Pick<CreateSubscriptionResponse, 'revisedPublishingInterval' | 'revisedMaxKeepAliveCount' | 'revisedLifetimeCount'>,
): RevisedParameters {
  return {
    publishingIntervalMs: response.revisedPublishingInterval,
    maxKeepAliveCount: response.revisedMaxKeepAliveCount,
    lifetimeCount: response.revisedLifetimeCount,
  };
}
