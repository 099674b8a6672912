import type { AddressSpace } from '@bulkhead/address-space';
import type { RandomSource, SessionContext } from '@bulkhead/contracts';
import type { SessionManager } from '@bulkhead/session';
import type { SubscriptionManager } from '@bulkhead/subscription';
import { type AttributeServiceSet, createAttributeServiceSet } from './attribute-service-set.ts';
import { type ContinuationPointAccounts, ContinuationPoints } from './continuation-points.ts';
import { createDiscoveryServiceSet, type DiscoveryServiceSet, type DiscoverySource } from './discovery-service-set.ts';
import type { OperationLimits } from './limits.ts';
import { createMethodServiceSet, type MethodServiceSet } from './method-service-set.ts';
import { createMonitoredItemServiceSet, type MonitoredItemServiceSet } from './monitored-item-service-set.ts';
import { type CancelRequests, createSessionServiceSet, type SessionServiceSet } from './session-service-set.ts';
import { createSubscriptionServiceSet, type SubscriptionServiceSet } from './subscription-service-set.ts';
import { type BrowseState, createViewServiceSet, type ViewServiceSet } from './view-service-set.ts';

/** Every service that Bulkhead offers, by name. */
export type AllServiceHandlers = DiscoveryServiceSet &
  SessionServiceSet &
  ViewServiceSet &
  AttributeServiceSet &
  MethodServiceSet &
  MonitoredItemServiceSet &
  SubscriptionServiceSet;

/** What the services work on. */
export interface ServiceHandlersOptions {
  readonly space: AddressSpace;
  readonly sessions: SessionManager;
  readonly subscriptions: SubscriptionManager;
  readonly discovery: DiscoverySource;
  readonly limits: OperationLimits;
  readonly random: RandomSource;
  readonly cancelRequests: CancelRequests;
  /** Whose memory continuation points take; without it, nobody counts. */
  readonly retained?: ContinuationPointAccounts;
  /** Has a listener told when callers without a Session go. */
  readonly onSessionlessEnded?: (listener: (session: SessionContext) => void) => void;
}

/** Puts the service sets together; a Session's continuation points go with it. */
export function createServiceHandlers(options: ServiceHandlersOptions): AllServiceHandlers {
  const { space, sessions, subscriptions, limits } = options;
  const points = new ContinuationPoints<BrowseState>(options.random, limits.maxBrowseContinuationPoints, options.retained);
  sessions.onClosed((session) => points.dropSession(session));
  options.onSessionlessEnded?.((session) => points.dropSession(session));
  return {
    ...createDiscoveryServiceSet(options.discovery),
    ...createSessionServiceSet(sessions, options.cancelRequests),
    ...createViewServiceSet(space, limits, points),
    ...createAttributeServiceSet(space, limits),
    ...createMethodServiceSet(space, limits),
    ...createMonitoredItemServiceSet(subscriptions),
    ...createSubscriptionServiceSet(subscriptions),
  };
}
