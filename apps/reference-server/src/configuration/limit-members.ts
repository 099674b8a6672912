import { z } from 'zod';
import { bytes, flag, integer, milliseconds, section } from './member.ts';

const operations = (service: string) => integer(`Operations in one ${service} request.`, { unit: 'operations' });

/** Totals of the server; docs/limits.md says what happens at each. */
export const limits = section('Totals of the server, and how long things may take.', {
  maxMessageSize: bytes('Largest message, each way.', 8192),
  maxBufferSize: integer('Largest MessageChunk, each way.', { min: 8192, unit: 'bytes' }),
  maxSessionCount: integer('Sessions.', { unit: 'Sessions' }),
  maxChannelCount: integer('Connections, and so SecureChannels.', { unit: 'connections', standard: '`maxSessionCount` + 100' }),
  maxQueuedRequestCount: integer('Decoded requests that wait for execution.', { unit: 'requests' }),
  maxConcurrentRequests: integer('Requests that run at a time.', { unit: 'requests' }),
  maxParkedRequestCount: integer('Publish requests that wait for notifications.', { unit: 'requests', standard: '10 per Session' }),
  maxReassemblyBytes: bytes('Unfinished messages of all connections.', 8192, { standard: '16 × `maxMessageSize`, at least 64 MiB' }),
  maxRetainedBytes: bytes('Kept for callers when their requests are done.', 1),
  maxRetainedBytesPerOwner: bytes('The same of one caller.', 1, { standard: 'a quarter of `maxRetainedBytes`' }),
  maxUnsentBytesPerOwner: bytes("Unsent on one caller's connections.", 1, { standard: '16 × `maxMessageSize`, at least 32 MiB' }),
  minSessionTimeoutMs: milliseconds('Shortest timeout of a Session.'),
  maxSessionTimeoutMs: milliseconds('Longest timeout of a Session.'),
  handshakeTimeoutMs: milliseconds('From the accepted connection to the open SecureChannel.', { max: 120_000 }),
  helloTimeoutMs: milliseconds('From the accepted connection to the Hello.'),
  slowReaderTimeoutMs: milliseconds('A peer that takes nothing of what is unsent for this long is closed.'),
  sourceTimeoutMs: milliseconds('Deadline of asynchronous read and write callbacks.'),
});

export const operationLimits = section('How much one request may ask for.', {
  maxNodesPerRead: operations('Read'),
  maxNodesPerWrite: operations('Write'),
  maxNodesPerMethodCall: operations('Call'),
  maxNodesPerBrowse: operations('Browse'),
  maxNodesPerRegisterNodes: operations('RegisterNodes'),
  maxNodesPerTranslateBrowsePathsToNodeIds: operations('TranslateBrowsePathsToNodeIds'),
  maxMonitoredItemsPerCall: operations('CreateMonitoredItems'),
  maxBrowseContinuationPoints: integer('Continuation points of Browse that one Session may hold.', { unit: 'per Session' }),
  maxReferencesPerNode: integer('References in one Browse result.', { unit: 'references' }),
});

export const subscriptionLimits = section('What Subscriptions and MonitoredItems may use.', {
  maxSubscriptions: integer('Subscriptions.', { unit: 'Subscriptions' }),
  maxSubscriptionsPerSession: integer('Subscriptions of one Session.', { unit: 'per Session' }),
  maxSubscriptionsPerOwner: integer('Subscriptions of one caller.', { unit: 'per caller' }),
  maxMonitoredItems: integer('MonitoredItems.', { unit: 'items' }),
  maxMonitoredItemsPerSubscription: integer('MonitoredItems of one Subscription.', { unit: 'items' }),
  maxMonitoredItemsPerOwner: integer('MonitoredItems of one caller.', { unit: 'per caller' }),
  maxSamplesPerSecondPerOwner: integer('Samples per second of one caller; above it, sampling intervals become longer.', {
    unit: 'per caller',
  }),
  maxMonitoredItemsQueueSize: integer('Values in the queue of one item.', { unit: 'values' }),
  maxPublishRequestsPerSession: integer('Publish requests that may wait.', { unit: 'per Session' }),
  maxNotificationsPerPublish: integer('Notifications in one message.', { unit: 'notifications' }),
  maxNotificationBytesPerPublish: integer('Bytes in one message of notifications.', {
    unit: 'bytes',
    standard: 'half of `maxMessageSize`',
  }),
  maxRetransmissionMessages: integer('Unacknowledged messages kept.', {
    unit: 'per Subscription',
    standard: '2 × `maxPublishRequestsPerSession`',
  }),
  maxRetransmissionNotifications: integer('Notifications kept in those messages.', { unit: 'per Subscription' }),
  minPublishingIntervalMs: milliseconds('Shortest publishing interval.'),
  maxPublishingIntervalMs: milliseconds('Longest publishing interval.'),
  minSamplingIntervalMs: milliseconds('Shortest sampling interval.'),
  maxSamplingIntervalMs: milliseconds('Longest sampling interval.'),
  defaultKeepAliveCount: integer('Keep-alive count of a client that asks for 0.', { unit: 'intervals' }),
  maxKeepAliveCount: integer('Highest keep-alive count.', { unit: 'intervals' }),
  maxLifetimeMs: milliseconds('How long a Subscription may live without its client.'),
  maxMonitoredItemsPerCall: integer('Operations in one request of the MonitoredItem services.', { unit: 'operations' }),
  maxSubscriptionsPerCall: integer('Operations in one request of the Subscription services.', { unit: 'operations' }),
  maxTriggeringLinksPerSubscription: integer('Triggering links.', { unit: 'links' }),
  anonymousTransferNeedsSecurity: flag('False moves Subscriptions of anonymous users without a signed channel too: laboratories only.'),
});

const byteRate = (whose: string) =>
  z
    .strictObject({
      bytesPerSecond: bytes('The rate.', 1, { unit: 'bytes per second', standard: 'not limited' }),
      burstBytes: bytes('May pass at once after a pause.', 1, { standard: 'what the rate allows in 50 ms' }).optional(),
    })
    .meta({ description: `Bytes per second of ${whose}.` });

const directions = (whose: string) =>
  section(`Rates of ${whose}, each way.`, { read: byteRate('what clients send'), write: byteRate('what the server sends') });

export const bandwidth = section('Bytes per second: who is too fast is held back, nothing is refused.', {
  perConnection: directions('each connection'),
  perOwner: directions('all connections of one caller'),
  total: byteRate('all connections and both directions together'),
});

export const rateLimits = section('How fast callers may connect, and how many Sessions may be established at a time.', {
  enabled: flag('False switches off all of this section.'),
  listenBacklog: integer('Connections that the operating system keeps until they are accepted.', { max: 65_535, unit: 'connections' }),
  connectionRateLimitEnabled: flag('False lets callers connect as fast as they like.'),
  connectionsPerSecond: integer('Connections per second.', { max: 1_000_000_000, unit: 'per second' }),
  connectionBurst: integer('Connections at once.', { max: 1_000_000_000, unit: 'connections' }),
  sessionRateLimitEnabled: flag('False bounds the establishment of Sessions by `maxConcurrentRequests` alone.'),
  maxConcurrentSessionEstablishment: integer('CreateSession and ActivateSession in flight; 0 for the default.', {
    min: 0,
    unit: 'requests',
    standard: '8 per processor, at least 128',
  }),
  sessionEstablishmentQueueLimit: integer('How many more may wait for their turn; 0 refuses at once.', {
    min: 0,
    max: 100_000,
    unit: 'requests',
  }),
});
