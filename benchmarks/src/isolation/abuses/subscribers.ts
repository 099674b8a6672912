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
  QualifiedName,
  TimestampsToReturn,
} from '@bulkhead/types';
import { encodeRequest } from '../../client/message-body.ts';
import { type Abuse, abuserAddress, variablesOf } from './abuse.ts';
import type { AbusivePeer } from './abusive-peer.ts';
import { startPeers } from './peers.ts';

const SESSIONS = 10;
const INTERVAL_MS = 100;
/** So that what is left of them is gone soon after. */
const LIFETIME_COUNT = 30;
const KEEP_ALIVE_COUNT = 10;
const QUEUE_SIZE = 10;
const PUBLISH_PER_TICK = 10;
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Clients with 1,000 changing items each that ask for what changed, and don't read it. */
export const deafSubscribers: Abuse = {
  name: 'subscribers that stop reading',
  needsChanges: true,
  start: (target) => {
    const nodes = variablesOf(target);
    const frames = new Map<AbusivePeer, Buffer>();
    return startPeers(target.url, {
      count: SESSIONS,
      addressOf: (index) => abuserAddress(index, SESSIONS),
      abuse: async (peer) => {
        const token = await peer.openSession();
        await subscribe(peer, token, nodes);
        frames.set(peer, publishFrame(peer, token));
        peer.stopReading();
      },
      onTick: (peer) => sendPublishes(peer, frames.get(peer), 1),
    });
  },
};

/** Clients that send Publish requests without end, and read what they get. */
export const publishFlood: Abuse = {
  name: 'Publish without end',
  start: (target) => {
    const frames = new Map<AbusivePeer, Buffer>();
    return startPeers(target.url, {
      count: SESSIONS,
      addressOf: (index) => abuserAddress(index, SESSIONS),
      abuse: async (peer) => {
        const token = await peer.openSession();
        await subscribe(peer, token, []);
        frames.set(peer, publishFrame(peer, token));
      },
      onTick: (peer) => sendPublishes(peer, frames.get(peer), PUBLISH_PER_TICK),
    });
  },
};

async function subscribe(peer: AbusivePeer, token: NodeId, nodes: readonly NodeId[]): Promise<void> {
  const subscription = {
    requestedPublishingInterval: INTERVAL_MS,
    requestedLifetimeCount: LIFETIME_COUNT,
    requestedMaxKeepAliveCount: KEEP_ALIVE_COUNT,
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 0,
  };
  const { subscriptionId } = await peer.call(CreateSubscriptionRequest, CreateSubscriptionResponse, subscription, token);
  if (nodes.length === 0) return;
  const requestedParameters = { samplingInterval: INTERVAL_MS, filter: ExtensionObject.NULL, queueSize: QUEUE_SIZE, discardOldest: true };
  const itemsToCreate = nodes.map((nodeId, clientHandle) => ({
    itemToMonitor: { nodeId, attributeId: AttributeIds.Value, indexRange: null, dataEncoding: QualifiedName.NULL },
    monitoringMode: MonitoringMode.Reporting,
    requestedParameters: { ...requestedParameters, clientHandle },
  }));
  const fields = { subscriptionId, timestampsToReturn: TimestampsToReturn.Both, itemsToCreate };
  await peer.call(CreateMonitoredItemsRequest, CreateMonitoredItemsResponse, fields, token);
}

function publishFrame(peer: AbusivePeer, token: NodeId): Buffer {
  return peer.channel.createFrame(encodeRequest(PublishRequest, { subscriptionAcknowledgements: null }, token, 1).bytes);
}

function sendPublishes(peer: AbusivePeer, frame: Buffer | undefined, count: number): void {
  for (let sent = 0; frame !== undefined && sent < count && peer.unsentBytes < MAX_UNSENT_BYTES; sent++) {
    peer.sendFrame(Buffer.from(frame), 1);
  }
}
