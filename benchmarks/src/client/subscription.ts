import {
  AttributeIds,
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  ExtensionObject,
  MonitoringMode,
  type NodeId,
  PublishRequest,
  PublishResponse,
  QualifiedName,
  type SubscriptionAcknowledgement,
  TimestampsToReturn,
} from '@bulkhead/types';
import { statusName } from './message-body.ts';
import type { ClientSession } from './session.ts';

const LIFETIME_COUNT = 10_000;
const KEEP_ALIVE_COUNT = 100;

/** @returns the SubscriptionId. */
export async function createSubscription(session: ClientSession, publishingIntervalMs: number): Promise<number> {
  const response = await session.call(CreateSubscriptionRequest, CreateSubscriptionResponse, {
    requestedPublishingInterval: publishingIntervalMs,
    requestedLifetimeCount: LIFETIME_COUNT,
    requestedMaxKeepAliveCount: KEEP_ALIVE_COUNT,
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 0,
  });
  if (response.revisedPublishingInterval !== publishingIntervalMs) {
    throw new Error(`the server publishes each ${response.revisedPublishingInterval} ms instead of ${publishingIntervalMs} ms`);
  }
  return response.subscriptionId;
}

/** Monitors the Value of each node; the client handle is the node's index. @throws Error unless the server takes every item as it is. */
export async function monitorValues(
  session: ClientSession,
  subscriptionId: number,
  nodes: readonly NodeId[],
  samplingIntervalMs: number,
  queueSize = 1,
): Promise<void> {
  const response = await session.call(CreateMonitoredItemsRequest, CreateMonitoredItemsResponse, {
    subscriptionId,
    timestampsToReturn: TimestampsToReturn.Both,
    itemsToCreate: nodes.map((nodeId, clientHandle) => ({
      itemToMonitor: { nodeId, attributeId: AttributeIds.Value, indexRange: null, dataEncoding: QualifiedName.NULL },
      monitoringMode: MonitoringMode.Reporting,
      requestedParameters: {
        clientHandle,
        samplingInterval: samplingIntervalMs,
        filter: ExtensionObject.NULL,
        queueSize,
        discardOldest: true,
      },
    })),
  });
  const results = response.results ?? [];
  if (results.length !== nodes.length) throw new Error(`${results.length} results for ${nodes.length} monitored items`);
  for (const { statusCode, revisedSamplingInterval } of results) {
    if (statusCode !== 0) throw new Error(`a monitored item was refused: ${statusName(statusCode)}`);
    if (revisedSamplingInterval > samplingIntervalMs) throw new Error(`the server samples each ${revisedSamplingInterval} ms only`);
  }
}

export function publish(
  session: ClientSession,
  subscriptionAcknowledgements: readonly SubscriptionAcknowledgement[],
): Promise<PublishResponse> {
  return session.call(PublishRequest, PublishResponse, { subscriptionAcknowledgements });
}
