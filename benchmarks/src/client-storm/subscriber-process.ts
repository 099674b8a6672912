import { SecurityPolicies } from '@bulkhead/security';
import { NodeId, type PublishResponse } from '@bulkhead/types';
import { discoverSecurity, loadIdentity } from '../client/client-security.ts';
import { ClientConnection } from '../client/connection.ts';
import { SecuredChannel } from '../client/secured-channel.ts';
import { ClientSession } from '../client/session.ts';
import { createSubscription, monitorValues, publish } from '../client/subscription.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import { NotificationTiming } from './notification-timing.ts';
import type { SubscriberCommand, SubscriberMessage } from './storm-messages.ts';

/** A subscriber in a process of its own, so that nothing but the server can make it late. */
const INTERVAL_MS = 100;
/** Goes up by one each 10 ms, so that there is something to report in each interval. */
const COUNTER = NodeId.parse('ns=2;s=Counter.10ms');
const COUNTER_INTERVAL_MS = 10;
const COUNTER_QUEUE_SIZE = 1000;
const PUBLISH_DEPTH = 5;
/** In which the beat of the publishing interval is found. */
const SETTLE_MS = 2000;

const noAcknowledgements: readonly { readonly subscriptionId: number; readonly sequenceNumber: number }[] = [];

const [url, workDir] = process.argv.slice(2);
if (url === undefined || workDir === undefined || !process.send) throw new Error('this process is started by the client storm');
const timing = new NotificationTiming(INTERVAL_MS);
const session = await openSession(url, workDir);
const subscriptionId = await createSubscription(session, INTERVAL_MS);
await monitorValues(session, subscriptionId, [COUNTER], COUNTER_INTERVAL_MS, COUNTER_QUEUE_SIZE);
const timerLateness = new LatencyHistogram();
let timerMaxMs = 0;
let timerDueMs = performance.now() + INTERVAL_MS;
const timer = setInterval(takeTimer, INTERVAL_MS);
let isEnding = false;
for (let depth = 0; depth < PUBLISH_DEPTH; depth++) void publishOn();
setTimeout(() => tell({ kind: 'ready' }), SETTLE_MS);
process.on('message', (command: SubscriberCommand) => {
  if (command === 'begin') return begin();
  isEnding = true;
  clearInterval(timer);
  tell({ kind: 'figures', figures: { ...timing.figures(), timerP99Ms: timerLateness.quantileMs(0.99), timerMaxMs } });
  process.disconnect();
  void session.close();
});

function begin(): void {
  timing.begin();
  timerLateness.clear();
  timerMaxMs = 0;
}

/** From one call to the next, as timers begin anew when they are late. */
function takeTimer(): void {
  const nowMs = performance.now();
  const latenessMs = Math.max(0, nowMs - timerDueMs);
  timerLateness.record(latenessMs);
  timerMaxMs = Math.max(timerMaxMs, latenessMs);
  timerDueMs = nowMs + INTERVAL_MS;
}

async function openSession(endpointUrl: string, folder: string): Promise<ClientSession> {
  const security = await discoverSecurity(endpointUrl, SecurityPolicies.Basic256Sha256, await loadIdentity(folder));
  return ClientSession.open(await ClientConnection.open(endpointUrl, new SecuredChannel(security)), security);
}

async function publishOn(): Promise<void> {
  let acknowledgements = noAcknowledgements;
  while (!isEnding) {
    const response = await publish(session, acknowledgements).catch((error: unknown) => {
      if (!isEnding) throw error;
    });
    if (response === undefined) return;
    acknowledgements = take(response);
  }
}

function take({ notificationMessage: { sequenceNumber, notificationData } }: PublishResponse): typeof noAcknowledgements {
  if (notificationData === null || notificationData.length === 0) return noAcknowledgements;
  timing.take(sequenceNumber, performance.now());
  return [{ subscriptionId, sequenceNumber }];
}

function tell(message: SubscriberMessage): void {
  process.send?.(message);
}
