import { type DataChangeNotification, DataChangeNotification as DataChangeNotificationType, NodeId, type PublishResponse } from '@bulkhead/types';
import { SecurityPolicies } from '@bulkhead/security';
import { discoverSecurity, loadIdentity } from '../client/client-security.ts';
import { ClientConnection } from '../client/connection.ts';
import { SecuredChannel } from '../client/secured-channel.ts';
import { ClientSession } from '../client/session.ts';
import { createSubscription, monitorValues, publish } from '../client/subscription.ts';
import { NotificationTiming } from './notification-timing.ts';
import type { SubscriberCommand, SubscriberMessage } from './storm-messages.ts';

/** A subscriber in a process of its own, so that nothing but the server can make it late. */
const INTERVAL_MS = 100;
/** Goes up by one each 10 ms. */
const COUNTER = NodeId.parse('ns=2;s=Counter.10ms');
const COUNTER_INTERVAL_MS = 10;
const COUNTER_QUEUE_SIZE = 1000;
const PUBLISH_DEPTH = 5;
/** In which the beat of the publishing interval is found. */
const SETTLE_MS = 2000;

const [url, workDir] = process.argv.slice(2);
if (url === undefined || workDir === undefined || !process.send) throw new Error('this process is started by the client storm');
const timing = new NotificationTiming(INTERVAL_MS);
const session = await openSession(url, workDir);
const subscriptionId = await createSubscription(session, INTERVAL_MS);
await monitorValues(session, subscriptionId, [COUNTER], COUNTER_INTERVAL_MS, COUNTER_QUEUE_SIZE);
let isEnding = false;
for (let depth = 0; depth < PUBLISH_DEPTH; depth++) void publishOn();
setTimeout(() => tell({ kind: 'ready' }), SETTLE_MS);
process.on('message', (command: SubscriberCommand) => {
  if (command === 'begin') return timing.begin();
  isEnding = true;
  tell({ kind: 'figures', figures: timing.figures() });
  process.disconnect();
  void session.close();
});

async function openSession(endpointUrl: string, folder: string): Promise<ClientSession> {
  const security = await discoverSecurity(endpointUrl, SecurityPolicies.Basic256Sha256, await loadIdentity(folder));
  return ClientSession.open(await ClientConnection.open(endpointUrl, new SecuredChannel(security)), security);
}

async function publishOn(): Promise<void> {
  let acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  while (!isEnding) {
    const response = await publish(session, acknowledgements).catch((error: unknown) => {
      if (!isEnding) throw error;
    });
    if (response === undefined) return;
    acknowledgements = take(response);
  }
}

function take({ notificationMessage: { sequenceNumber, notificationData } }: PublishResponse): { subscriptionId: number; sequenceNumber: number }[] {
  if (notificationData === null || notificationData.length === 0) return [];
  const changes = notificationData.map((data): DataChangeNotification => data.decode(DataChangeNotificationType));
  const counts = changes.flatMap(({ monitoredItems }) => (monitoredItems ?? []).map(({ value }) => value.value?.value as number));
  timing.take(sequenceNumber, counts, performance.now());
  return [{ subscriptionId, sequenceNumber }];
}

function tell(message: SubscriberMessage): void {
  process.send?.(message);
}
