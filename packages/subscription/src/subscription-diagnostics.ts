import type { SubscriptionDiagnosticsDataType } from '@bulkhead/types';
import type { Subscription } from './subscription.ts';

/** Counters of one Subscription, in the words of SubscriptionDiagnosticsDataType. OPC 10000-5 §12.15. */
export interface SubscriptionCounters {
  modifyCount: number;
  enableCount: number;
  disableCount: number;
  republishRequestCount: number;
  republishMessageRequestCount: number;
  republishMessageCount: number;
  transferRequestCount: number;
  transferredToAltClientCount: number;
  transferredToSameClientCount: number;
  publishRequestCount: number;
  dataChangeNotificationsCount: number;
  eventNotificationsCount: number;
  notificationsCount: number;
  latePublishRequestCount: number;
  monitoringQueueOverflowCount: number;
  eventQueueOverflowCount: number;
}

export function createSubscriptionCounters(): SubscriptionCounters {
  return {
    modifyCount: 0,
    enableCount: 0,
    disableCount: 0,
    republishRequestCount: 0,
    republishMessageRequestCount: 0,
    republishMessageCount: 0,
    transferRequestCount: 0,
    transferredToAltClientCount: 0,
    transferredToSameClientCount: 0,
    publishRequestCount: 0,
    dataChangeNotificationsCount: 0,
    eventNotificationsCount: 0,
    notificationsCount: 0,
    latePublishRequestCount: 0,
    monitoringQueueOverflowCount: 0,
    eventQueueOverflowCount: 0,
  };
}

/** The state and counters of a Subscription as the address space shows them. */
export function diagnosticsOf(subscription: Subscription): SubscriptionDiagnosticsDataType {
  const { parameters, counters, retransmission } = subscription;
  return {
    sessionId: subscription.session.sessionId,
    subscriptionId: subscription.id,
    priority: parameters.priority,
    publishingInterval: parameters.publishingIntervalMs,
    maxKeepAliveCount: parameters.maxKeepAliveCount,
    maxLifetimeCount: parameters.lifetimeCount,
    maxNotificationsPerPublish: parameters.maxNotificationsPerPublish,
    publishingEnabled: subscription.isPublishingEnabled,
    ...counters,
    currentKeepAliveCount: parameters.maxKeepAliveCount - subscription.keepAliveCounter,
    currentLifetimeCount: parameters.lifetimeCount - subscription.lifetimeCounter,
    unacknowledgedMessageCount: retransmission.length,
    discardedMessageCount: retransmission.discardedCount,
    monitoredItemCount: subscription.items.size,
    disabledMonitoredItemCount: subscription.disabledItemCount,
    nextSequenceNumber: subscription.nextSequenceNumber,
  };
}
