import { DataChangeNotification, type NodeId, type PublishResponse, type SubscriptionAcknowledgement } from '@bulkhead/types';
import { statusName } from '../client/message-body.ts';
import type { ClientSession } from '../client/session.ts';
import { createSubscription, monitorValues, publish } from '../client/subscription.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import { failureSignal, type Load } from './load.ts';

/** Publish requests outstanding in each session. */
const PUBLISH_DEPTH = 3;

export interface NotificationLoadOptions {
  /** Divided among the sessions, so each node is monitored once. */
  readonly nodes: readonly NodeId[];
  readonly itemsPerSession: number;
  /** Publishing and sampling interval. */
  readonly intervalMs: number;
}

/** Sessions with one subscription each. `latency` is the age of a value, by its source timestamp, when it arrives. */
export class NotificationLoad implements Load {
  readonly latency: LatencyHistogram = new LatencyHistogram();
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #sessions: readonly ClientSession[];
  #count = 0;
  #isStopped = false;

  private constructor(sessions: readonly ClientSession[]) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#sessions = sessions;
  }

  static async start(sessions: readonly ClientSession[], options: NotificationLoadOptions): Promise<NotificationLoad> {
    const { nodes, itemsPerSession, intervalMs } = options;
    const load = new NotificationLoad(sessions);
    try {
      for (const [index, session] of sessions.entries()) {
        const first = (index * itemsPerSession) % nodes.length;
        const subscriptionId = await createSubscription(session, intervalMs);
        await monitorValues(session, subscriptionId, nodes.slice(first, first + itemsPerSession), intervalMs);
        load.#publishAll(session);
      }
      return load;
    } catch (error) {
      await load.stop().catch(() => {});
      throw error;
    }
  }

  get count(): number {
    return this.#count;
  }

  reset(): void {
    this.#count = 0;
    this.latency.clear();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  #publishAll(session: ClientSession): void {
    const acknowledgements: SubscriptionAcknowledgement[] = [];
    let expected = 1;
    const takeInOrder = (response: PublishResponse): void => {
      const { subscriptionId, notificationMessage } = response;
      const { sequenceNumber, notificationData } = notificationMessage;
      // A keep-alive has the next number but doesn't use it up. OPC 10000-4 §5.14.1.
      if (sequenceNumber !== expected) throw new Error(`notification ${sequenceNumber} instead of ${expected}`);
      if (notificationData === null || notificationData.length === 0) return;
      expected++;
      acknowledgements.push({ subscriptionId, sequenceNumber });
      for (const data of notificationData) this.#takeValues(data.decode(DataChangeNotification));
    };
    const publishOn = async (): Promise<void> => {
      while (!this.#isStopped) takeInOrder(await publish(session, acknowledgements.splice(0)));
    };
    for (let i = 0; i < PUBLISH_DEPTH; i++) {
      publishOn().catch((error: unknown) => {
        if (!this.#isStopped) this.#fail(error as Error);
      });
    }
  }

  #takeValues({ monitoredItems }: DataChangeNotification): void {
    const nowMs = performance.timeOrigin + performance.now();
    for (const { value } of monitoredItems ?? []) {
      if (value.statusCode !== 0) throw new Error(`a value is not good: ${statusName(value.statusCode)}`);
      if (value.sourceTimestamp === undefined) throw new Error('a value without its source timestamp');
      this.latency.record(nowMs - value.sourceTimestamp.unixMs);
      this.#count++;
    }
  }
}
