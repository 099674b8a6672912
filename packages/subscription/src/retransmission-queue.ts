import type { NotificationMessage } from '@bulkhead/types';

interface Sent {
  readonly message: NotificationMessage;
  readonly notificationCount: number;
}

/**
 * NotificationMessages that were sent and not acknowledged, oldest first. Bounded in messages and in Notifications; the oldest
 * goes first, the newest always stays. OPC 10000-4 §5.14.1.1.
 */
export class RetransmissionQueue {
  readonly #sent: Map<number, Sent> = new Map();
  readonly #maxMessages: number;
  readonly #maxNotifications: number;
  #notificationCount = 0;
  #discardedCount = 0;

  constructor(maxMessages: number, maxNotifications: number) {
    this.#maxMessages = maxMessages;
    this.#maxNotifications = maxNotifications;
  }

  get length(): number {
    return this.#sent.size;
  }

  /** Notifications held in all messages. */
  get notificationCount(): number {
    return this.#notificationCount;
  }

  /** Messages dropped unacknowledged since the start. */
  get discardedCount(): number {
    return this.#discardedCount;
  }

  add(message: NotificationMessage, notificationCount: number): void {
    this.#sent.set(message.sequenceNumber, { message, notificationCount });
    this.#notificationCount += notificationCount;
    for (const [sequenceNumber, oldest] of this.#sent) {
      if (this.#sent.size <= this.#maxMessages && this.#notificationCount <= this.#maxNotifications) break;
      if (oldest.message === message) break;
      this.#remove(sequenceNumber, oldest);
      this.#discardedCount++;
    }
  }

  find(sequenceNumber: number): NotificationMessage | undefined {
    return this.#sent.get(sequenceNumber)?.message;
  }

  /** @returns false for a number that isn't held. */
  acknowledge(sequenceNumber: number): boolean {
    const sent = this.#sent.get(sequenceNumber);
    if (sent === undefined) return false;
    this.#remove(sequenceNumber, sent);
    return true;
  }

  /** Oldest first. */
  availableSequenceNumbers(): number[] {
    return Array.from(this.#sent.keys());
  }

  clear(): void {
    this.#sent.clear();
    this.#notificationCount = 0;
  }

  #remove(sequenceNumber: number, sent: Sent): void {
    this.#sent.delete(sequenceNumber);
    this.#notificationCount -= sent.notificationCount;
  }
}
