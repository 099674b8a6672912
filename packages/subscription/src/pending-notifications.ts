import { DataValue, type MonitoredItemNotification, TimestampsToReturn } from '@bulkhead/types';
import type { MonitoredItem } from './monitored-item.ts';
import { retainedBytesOf } from './retained-value.ts';

/** What goes into one NotificationMessage, and what its values keep alive. */
export interface TakenNotifications {
  readonly notifications: MonitoredItemNotification[];
  readonly bytes: number;
}

/**
 * The MonitoredItems of a Subscription that have something to report, in the order in which they got it. A linked list through
 * the items themselves: joining and leaving cost no allocation, however many items there are.
 *
 * An item is listed while it may report (mode Reporting, or triggered) and has values queued or was triggered.
 */
export class PendingNotifications {
  #first: MonitoredItem | undefined;
  #last: MonitoredItem | undefined;
  #valueCount = 0;

  /** Values that a NotificationMessage could take now. */
  get valueCount(): number {
    return this.#valueCount;
  }

  /** A value was added to the queue of an item, which grew by one. */
  valueQueued(item: MonitoredItem): void {
    if (!item.mayReport) return;
    this.#valueCount++;
    this.#list(item);
  }

  /** Values of the item were lost without being reported. */
  valuesLost(item: MonitoredItem, count: number): void {
    if (item.mayReport) this.#valueCount -= count;
  }

  /** The item may report from now on: what it has queued becomes available. */
  startReporting(item: MonitoredItem): void {
    this.#valueCount += item.queue.length;
    if (item.queue.length > 0 || item.isTriggered) this.#list(item);
  }

  /** The item may not report any more. Call before its queue is emptied. */
  stopReporting(item: MonitoredItem): void {
    this.#valueCount -= item.queue.length;
    this.#unlist(item);
  }

  /** Ends triggers that found nothing to report in this publishing cycle. */
  endIdleTriggers(): void {
    if (this.#valueCount > 0) return;
    for (let item = this.#first; item !== undefined; item = this.#first) {
      this.#unlist(item);
      item.isTriggered = false;
    }
  }

  /**
   * Takes up to `max` Notifications of up to `maxBytes`, but one at least. Items take turns when not everything fits, so that one busy
   * item can't hold back the others.
   */
  take(max: number, maxBytes: number): TakenNotifications {
    const notifications: MonitoredItemNotification[] = [];
    let bytes = 0;
    for (let item = this.#first; item !== undefined && notifications.length < max && bytes < maxBytes; item = this.#first) {
      this.#unlist(item);
      const { queue } = item;
      for (let value = queue.first; value !== undefined; value = queue.first) {
        const valueBytes = retainedBytesOf(value);
        if (notifications.length > 0 && bytes + valueBytes > maxBytes) {
          this.#list(item);
          return { notifications, bytes };
        }
        queue.dequeue();
        bytes += valueBytes;
        notifications.push({ clientHandle: item.clientHandle, value: withTimestamps(value, item.timestampsToReturn) });
        this.#valueCount--;
        if (notifications.length === max) break;
      }
      if (item.queue.length > 0) this.#list(item);
      else item.isTriggered = false;
    }
    return { notifications, bytes };
  }

  #list(item: MonitoredItem): void {
    if (item.isListed) return;
    item.isListed = true;
    item.previousPending = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.nextPending = item;
    this.#last = item;
  }

  #unlist(item: MonitoredItem): void {
    if (!item.isListed) return;
    item.isListed = false;
    if (item.previousPending === undefined) this.#first = item.nextPending;
    else item.previousPending.nextPending = item.nextPending;
    if (item.nextPending === undefined) this.#last = item.previousPending;
    else item.nextPending.previousPending = item.previousPending;
    item.previousPending = undefined;
    item.nextPending = undefined;
  }
}

/** Leaves out the timestamps that the client didn't ask for. */
function withTimestamps(value: DataValue, timestamps: TimestampsToReturn): DataValue {
  if (timestamps === TimestampsToReturn.Both) return value;
  const source = timestamps === TimestampsToReturn.Source;
  const server = timestamps === TimestampsToReturn.Server;
  return new DataValue(
    value.value,
    value.statusCode,
    source ? value.sourceTimestamp : undefined,
    server ? value.serverTimestamp : undefined,
    source ? value.sourcePicoseconds : 0,
    server ? value.serverPicoseconds : 0,
  );
}
