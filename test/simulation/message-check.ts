import { DataChangeNotification, type NotificationMessage, StatusChangeNotification } from '@bulkhead/types';
import type { Findings } from './findings.ts';

/** Bit of a DataValue's StatusCode: values before this one were lost. OPC 10000-4 §7.39.1. */
const OVERFLOW = 0x80;

interface Watched {
  readonly queueSize: number;
  last: number | undefined;
}

/** What a client expects of the messages of one Subscription: no number left out, values in order, losses marked. */
export class MessageCheck {
  /** SequenceNumbers to acknowledge. */
  unacknowledged: number[] = [];
  hasEnded = false;
  readonly #name: string;
  readonly #findings: Findings;
  readonly #items: Map<number, Watched> = new Map();
  #nextSequenceNumber = 1;

  constructor(name: string, findings: Findings) {
    this.#name = name;
    this.#findings = findings;
  }

  get nextSequenceNumber(): number {
    return this.#nextSequenceNumber;
  }

  /** @param queueSize as revised. */
  watch(clientHandle: number, queueSize: number): void {
    this.#items.set(clientHandle, { queueSize, last: undefined });
  }

  accept({ sequenceNumber, notificationData }: NotificationMessage): void {
    const expected = this.#nextSequenceNumber;
    if (sequenceNumber !== expected) this.#findings.report(`${this.#name}: SequenceNumber ${sequenceNumber} instead of ${expected}`);
    for (const notification of notificationData ?? []) {
      if (notification.is(StatusChangeNotification)) {
        this.hasEnded = true;
        return;
      }
      for (const { clientHandle, value } of notification.decode(DataChangeNotification).monitoredItems ?? []) {
        this.#onValue(clientHandle, value.value?.value as number, value.statusCode);
      }
    }
    if ((notificationData?.length ?? 0) === 0) return; // a keep-alive doesn't use its number up
    this.#nextSequenceNumber = sequenceNumber + 1;
    this.unacknowledged.push(sequenceNumber);
  }

  #onValue(clientHandle: number, value: number, statusCode: number): void {
    const item = this.#items.get(clientHandle);
    if (item === undefined) return this.#findings.report(`${this.#name}: a value for ${clientHandle}, which isn't watched`);
    const { last, queueSize } = item;
    item.last = value;
    if (last === undefined) return;
    if (value <= last) this.#findings.report(`${this.#name}: ${value} after ${last}`);
    const isMarked = (statusCode & OVERFLOW) !== 0;
    if (value > last + 1 && queueSize > 1 && !isMarked) this.#findings.report(`${this.#name}: ${value} after ${last} without overflow`);
  }
}
