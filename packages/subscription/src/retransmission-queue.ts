import type { NotificationMessage } from '@bulkhead/types';

interface Sent {
  readonly message: NotificationMessage;
  readonly notificationCount: number;
  readonly bytes: number;
}

/**
 * NotificationMessages that were sent and not acknowledged, oldest first. Bounded in messages and in Notifications; the oldest
 * goes first, the newest always stays. OPC 10000-4 §5.14.1.1.
 */
export class RetransmissionQueue {
  readonly #sent: Map<number, Sent> = new Map();
  readonly #maxMessages: number;
  readonly #maxNotifications: number;
  readonly #released: (bytes: number) => void;
  #notificationCount = 0;
  #retainedBytes = 0;
  #discardedCount = 0;

  /** @param released is told of bytes that are not kept any more. */
  constructor(maxMessages: number, maxNotifications: number, released: (bytes: number) => void) {
    this.#released = released;
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

  /** What its messages keep alive. */
  get retainedBytes(): number {
    return this.#retainedBytes;
  }

  /** @param bytes that its Notifications keep alive. */
  add(message: NotificationMessage, notificationCount: number, bytes: number): void {
    this.#sent.set(message.sequenceNumber, { message, notificationCount, bytes });
    this.#notificationCount += notificationCount;
    this.#retainedBytes += bytes;
    while (this.#sent.size > this.#maxMessages || this.#notificationCount > this.#maxNotifications) {
      if (!this.discardOldest()) break;
    }
  }

  /** Gives up the oldest message to make room. @returns false when only the newest is left, which stays. */
  discardOldest(): boolean {
    if (this.#sent.size <= 1) return false;
    for (const [sequenceNumber, oldest] of this.#sent) {
      this.#remove(sequenceNumber, oldest);
      this.#discardedCount++;
      break;
    }
    return true;
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
    const bytes = this.#retainedBytes;
    this.#sent.clear();
    this.#notificationCount = 0;
    this.#retainedBytes = 0;
    this.#released(bytes);
  }

  #remove(sequenceNumber: number, sent: Sent): void {
    this.#sent.delete(sequenceNumber);
    this.#notificationCount -= sent.notificationCount;
    this.#retainedBytes -= sent.bytes;
    this.#released(sent.bytes);
  }
}
