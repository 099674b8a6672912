import { type DataValue, INFO_TYPE_DATA_VALUE, OVERFLOW_BIT } from '@bulkhead/types';
import { retainedBytesOf } from './retained-value.ts';

const OVERFLOW_FLAG = INFO_TYPE_DATA_VALUE | OVERFLOW_BIT;

/**
 * Values of one MonitoredItem that wait for a NotificationMessage. Grows only as far as it is used, never beyond its size.
 * OPC 10000-4 §5.13.1.5.
 */
export class MonitoredItemQueue {
  #ring: (DataValue | undefined)[] = [];
  #head = 0;
  #length = 0;
  #size: number;
  #discardOldest: boolean;
  #retainedBytes = 0;
  /** A value was lost that no other could carry the overflow bit for. */
  #isGapBefore = false;

  /** @param size >= 1. */
  constructor(size: number, discardOldest: boolean) {
    this.#size = size;
    this.#discardOldest = discardOldest;
  }

  get size(): number {
    return this.#size;
  }

  get length(): number {
    return this.#length;
  }

  /** What its values keep alive. */
  get retainedBytes(): number {
    return this.#retainedBytes;
  }

  /**
   * Adds a value. A full queue of more than one loses a value and flags the gap: without its oldest value, the next one carries
   * the overflow bit (discardOldest); with its newest value replaced, the new one does. A queue of one just keeps the newest.
   * @returns true when the queue grew, false when a value was lost.
   */
  enqueue(value: DataValue): boolean {
    if (this.#length < this.#size) {
      this.#append(value);
      return true;
    }
    const ring = this.#ring;
    if (this.#size === 1) {
      this.#replace(this.#head, value);
    } else if (this.#discardOldest) {
      this.dequeue();
      this.#append(value);
      ring[this.#head] = flagged(ring[this.#head] as DataValue);
    } else {
      this.#replace(this.#last, flagged(value));
    }
    return false;
  }

  /**
   * Loses a value as a full queue would, for one that has no room: the oldest, or the newest if that is what is replaced. The gap is
   * flagged, if need be with the next value that comes.
   * @returns false when there is none to lose.
   */
  discardOne(): boolean {
    if (this.#length === 0) return false;
    if (this.#discardOldest) this.dequeue();
    else this.#dropLast();
    this.flagGap();
    return true;
  }

  /** A value was lost right here. */
  flagGap(): void {
    const at = this.#discardOldest ? this.#head : this.#last;
    if (this.#length === 0) this.#isGapBefore = this.#size > 1;
    else if (this.#size > 1) this.#ring[at] = flagged(this.#ring[at] as DataValue);
  }

  /** The oldest value. */
  get first(): DataValue | undefined {
    return this.#length === 0 ? undefined : this.#ring[this.#head];
  }

  /** Takes the oldest value. */
  dequeue(): DataValue | undefined {
    if (this.#length === 0) return undefined;
    const value = this.#ring[this.#head] as DataValue;
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#ring.length;
    this.#length--;
    this.#retainedBytes -= retainedBytesOf(value);
    return value;
  }

  clear(): void {
    this.#isGapBefore = false;
    this.#retainedBytes = 0;
    this.#ring = [];
    this.#head = 0;
    this.#length = 0;
  }

  /**
   * Changes size and policy. What no longer fits is lost as if the queue had always been that small.
   * @returns how many values were lost.
   */
  resize(size: number, discardOldest: boolean): number {
    const values: DataValue[] = [];
    for (let value = this.dequeue(); value !== undefined; value = this.dequeue()) values.push(value);
    this.clear();
    this.#size = size;
    this.#discardOldest = discardOldest;
    let lost = 0;
    for (const value of values) {
      if (!this.enqueue(value)) lost++;
    }
    return lost;
  }

  get #last(): number {
    return (this.#head + this.#length - 1) % this.#ring.length;
  }

  #append(value: DataValue): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#length++;
    this.#ring[this.#last] = this.#isGapBefore ? flagged(value) : value;
    this.#isGapBefore = false;
    this.#retainedBytes += retainedBytesOf(value);
  }

  #replace(at: number, value: DataValue): void {
    this.#retainedBytes += retainedBytesOf(value) - retainedBytesOf(this.#ring[at] as DataValue);
    this.#ring[at] = value;
  }

  #dropLast(): void {
    const at = this.#last;
    this.#retainedBytes -= retainedBytesOf(this.#ring[at] as DataValue);
    this.#ring[at] = undefined;
    this.#length--;
  }

  #grow(): void {
    const grown: (DataValue | undefined)[] = new Array(Math.min(this.#size, Math.max(1, 2 * this.#ring.length)));
    grown.fill(undefined);
    for (let i = 0; i < this.#length; i++) grown[i] = this.#ring[(this.#head + i) % this.#ring.length];
    this.#ring = grown;
    this.#head = 0;
  }
}

function flagged(value: DataValue): DataValue {
  const statusCode = (value.statusCode | OVERFLOW_FLAG) >>> 0;
  return statusCode === value.statusCode ? value : value.withStatus(statusCode);
}
