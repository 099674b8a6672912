import {
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DataChangeNotification,
  MonitoredItemCreateRequest,
  type MonitoredItemCreateResult,
  type MonitoredItemNotification,
  MonitoringMode,
  MonitoringParameters,
  NodeId,
  type PublishResponse,
  ReadValueId,
  TimestampsToReturn,
} from '@bulkhead/types';
import type { RawSession } from './raw-session.ts';

const VALUE_ATTRIBUTE = 13;

/** @returns the SubscriptionId. */
export async function subscribe(
  session: RawSession,
  requestedPublishingInterval: number,
  requestedMaxKeepAliveCount: number,
  requestedLifetimeCount: number,
): Promise<number> {
  const wish = { requestedPublishingInterval, requestedMaxKeepAliveCount, requestedLifetimeCount, publishingEnabled: true };
  return (await session.request(CreateSubscriptionRequest, wish, CreateSubscriptionResponse)).subscriptionId;
}

export interface ItemWish {
  readonly queueSize: number;
  /** Default 0: every change. */
  readonly samplingInterval?: number;
  /** Items of the same node; default 1. */
  readonly count?: number;
}

/** Watches the value of a node. */
export async function monitor(
  session: RawSession,
  subscriptionId: number,
  nodeId: string,
  { queueSize, samplingInterval = 0, count = 1 }: ItemWish,
): Promise<MonitoredItemCreateResult[]> {
  const itemsToCreate = Array.from({ length: count }, (_, clientHandle) =>
    MonitoredItemCreateRequest.create({
      itemToMonitor: ReadValueId.create({ nodeId: NodeId.parse(nodeId), attributeId: VALUE_ATTRIBUTE }),
      monitoringMode: MonitoringMode.Reporting,
      requestedParameters: MonitoringParameters.create({ clientHandle, samplingInterval, queueSize, discardOldest: true }),
    }),
  );
  const request = { subscriptionId, timestampsToReturn: TimestampsToReturn.Neither, itemsToCreate };
  return [...((await session.request(CreateMonitoredItemsRequest, request, CreateMonitoredItemsResponse)).results ?? [])];
}

/** The data changes of one answer; none of a keep-alive. */
export function dataChangesOf({ notificationMessage }: PublishResponse): MonitoredItemNotification[] {
  return (notificationMessage.notificationData ?? []).flatMap((data) => data.decode(DataChangeNotification)?.monitoredItems ?? []);
}
