import type { OpcUaServer, VariableNode } from '@bulkhead/opcua';
import { NodeId } from '@bulkhead/types';
import {
  AttributeIds,
  type ClientSession,
  type ClientSessionRawSubscriptionService,
  type DataValue,
  DeleteSubscriptionsRequest,
  type DeleteSubscriptionsResponse,
  ModifyMonitoredItemsRequest,
  type ModifyMonitoredItemsRequestOptions,
  type ModifyMonitoredItemsResponse,
  MonitoringMode,
  type MonitoringParametersOptions,
  type NotificationMessage,
  PublishRequest,
  type PublishResponse,
  RepublishRequest,
  type RepublishResponse,
  SetPublishingModeRequest,
  type SetPublishingModeResponse,
  TimestampsToReturn,
  type TransferResult,
  TransferSubscriptionsRequest,
  type TransferSubscriptionsResponse,
} from 'node-opcua';

/** The services of Subscriptions one by one. */
export function raw(session: ClientSession): ClientSessionRawSubscriptionService {
  return session as unknown as ClientSessionRawSubscriptionService;
}

/** How the library's Session sends a request of any kind; not in its typings. */
interface Transactions {
  performMessageTransaction<Response>(request: object, callback: (error: Error | null, response?: Response) => void): void;
}

function transact<Response>(session: ClientSession, request: object): Promise<Response> {
  return new Promise((resolve, reject) => {
    (session as unknown as Transactions).performMessageTransaction<Response>(request, (error, response) => {
      if (error || response === undefined) reject(error ?? new Error('no response'));
      else resolve(response);
    });
  });
}

/** One Publish, by hand: the library's own publishing starts only with its ClientSubscription. */
export function publish(
  session: ClientSession,
  subscriptionAcknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [],
): Promise<PublishResponse> {
  return transact(session, new PublishRequest({ subscriptionAcknowledgements }));
}

export function republish(session: ClientSession, subscriptionId: number, retransmitSequenceNumber: number): Promise<RepublishResponse> {
  return transact(session, new RepublishRequest({ subscriptionId, retransmitSequenceNumber }));
}

/** @returns one result per Subscription. */
export async function transfer(session: ClientSession, subscriptionIds: number[], sendInitialValues: boolean): Promise<TransferResult[]> {
  const request = new TransferSubscriptionsRequest({ subscriptionIds, sendInitialValues });
  const { results } = await transact<TransferSubscriptionsResponse>(session, request);
  return results ?? [];
}

export function setPublishingMode(
  session: ClientSession,
  publishingEnabled: boolean,
  subscriptionIds: number[],
): Promise<SetPublishingModeResponse> {
  return transact(session, new SetPublishingModeRequest({ publishingEnabled, subscriptionIds }));
}

export function deleteSubscriptions(session: ClientSession, subscriptionIds: number[]): Promise<DeleteSubscriptionsResponse> {
  return transact(session, new DeleteSubscriptionsRequest({ subscriptionIds }));
}

export function modifyMonitoredItems(
  session: ClientSession,
  request: ModifyMonitoredItemsRequestOptions,
): Promise<ModifyMonitoredItemsResponse> {
  return transact(session, new ModifyMonitoredItemsRequest(request));
}

/** A value with the client handle of its item. */
export interface HandledValue {
  readonly clientHandle: number;
  readonly value: DataValue;
}

/** The value changes in a message, in order. */
export function valuesOf(message: NotificationMessage): HandledValue[] {
  const notifications = (message.notificationData ?? []) as { monitoredItems?: HandledValue[] }[];
  return notifications.flatMap(({ monitoredItems }) => monitoredItems ?? []);
}

/** The status of a StatusChangeNotification in a message. */
export function statusChangeOf(message: NotificationMessage): string | undefined {
  const notifications = (message.notificationData ?? []) as { status?: { name: string } }[];
  return notifications.find(({ status }) => status !== undefined)?.status?.name;
}

/** A Subscription made without the library's help. */
export async function subscribe(
  session: ClientSession,
  requestedPublishingInterval = 50,
  options: { keepAlive?: number; lifetime?: number; publishingEnabled?: boolean; maxNotificationsPerPublish?: number } = {},
): Promise<number> {
  const { keepAlive = 1000, lifetime = 10_000, publishingEnabled = true, maxNotificationsPerPublish = 0 } = options;
  const { subscriptionId } = await raw(session).createSubscription({
    requestedPublishingInterval,
    requestedMaxKeepAliveCount: keepAlive,
    requestedLifetimeCount: lifetime,
    publishingEnabled,
    maxNotificationsPerPublish,
    priority: 0,
  });
  return subscriptionId;
}

/** What a MonitoredItem is made of; by default every change is queued. */
export interface ItemOptions extends MonitoringParametersOptions {
  readonly nodeId: string;
  readonly monitoringMode?: MonitoringMode;
}

/** Creates MonitoredItems; their client handles are their positions. @returns their ids, and the status where there is none. */
export async function monitor(
  session: ClientSession,
  subscriptionId: number,
  items: readonly ItemOptions[],
): Promise<{ status: string; id: number }[]> {
  const { results } = await raw(session).createMonitoredItems({
    subscriptionId,
    timestampsToReturn: TimestampsToReturn.Both,
    itemsToCreate: items.map(({ nodeId, monitoringMode = MonitoringMode.Reporting, ...parameters }, clientHandle) => ({
      itemToMonitor: { nodeId, attributeId: AttributeIds.Value },
      monitoringMode,
      requestedParameters: { clientHandle, samplingInterval: 0, queueSize: 100, discardOldest: true, ...parameters },
    })),
  });
  return (results ?? []).map(({ statusCode, monitoredItemId }) => ({ status: statusCode.name, id: monitoredItemId }));
}

/** Publishes, and acknowledges what came, until `isEnough`. @returns all values. */
export async function collect(session: ClientSession, isEnough: (values: readonly HandledValue[]) => boolean): Promise<HandledValue[]> {
  const values: HandledValue[] = [];
  let acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  while (!isEnough(values)) {
    const { subscriptionId, notificationMessage } = await publish(session, acknowledgements);
    acknowledgements = [{ subscriptionId, sequenceNumber: notificationMessage.sequenceNumber }];
    values.push(...valuesOf(notificationMessage));
  }
  return values;
}

/** The variable itself, to change it without a client. */
export function variable(server: OpcUaServer, text: string): VariableNode {
  return server.space.getNode(NodeId.parse(text)) as VariableNode;
}

/** Resolves when an emitter has emitted. */
export function nextEvent<T>(emitter: { once(event: string, listener: (value: T) => void): unknown }, event: string): Promise<T> {
  return new Promise((resolve) => emitter.once(event, resolve));
}
