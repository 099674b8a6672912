import type { Timer, Timers } from '@bulkhead/contracts';

/** Longest delay that the runtime's own timer takes. */
const MAX_DELAY_MS = 0x7fffffff;

class Entry implements Timer {
  readonly dueMs: number;
  /** Order among equal due times. */
  readonly order: number;
  run: (() => void) | undefined;
  /** Position in the heap; -1 when not in it. */
  index = -1;
  readonly #remove: (entry: Entry) => void;

  constructor(dueMs: number, order: number, run: () => void, remove: (entry: Entry) => void) {
    this.dueMs = dueMs;
    this.order = order;
    this.run = run;
    this.#remove = remove;
  }

  cancel(): void {
    this.#remove(this);
  }
}

/** Starts the runtime's one timer; returns how to stop it. */
export type WakeUp = (delayMs: number, run: () => void) => () => void;

/**
 * All timers of a server on one timer of the runtime: a binary heap by due time. Cancelled entries leave the heap at once,
 * so it holds exactly what is pending.
 */
export class TimerQueue implements Timers {
  readonly #heap: Entry[] = [];
  readonly #nowMs: () => number;
  readonly #wakeUp: WakeUp;
  readonly #onError: (error: unknown) => void;
  #stopWakeUp: (() => void) | undefined;
  #wakeUpAtMs = Number.POSITIVE_INFINITY;
  #count = 0;
  readonly #removeEntry = (entry: Entry): void => this.#remove(entry);

  constructor(nowMs: () => number, wakeUp: WakeUp, onError: (error: unknown) => void) {
    this.#nowMs = nowMs;
    this.#wakeUp = wakeUp;
    this.#onError = onError;
  }

  /** Timers pending now. */
  get size(): number {
    return this.#heap.length;
  }

  after(delayMs: number, run: () => void): Timer {
    const entry = new Entry(this.#nowMs() + Math.max(0, delayMs), this.#count++, run, this.#removeEntry);
    this.#push(entry);
    this.#schedule();
    return entry;
  }

  /** Cancels everything; the queue stays usable. */
  clear(): void {
    for (const entry of this.#heap) {
      entry.index = -1;
      entry.run = undefined;
    }
    this.#heap.length = 0;
    this.#schedule();
  }

  #runDue(): void {
    this.#stopWakeUp = undefined;
    this.#wakeUpAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#nowMs();
    for (let first = this.#heap[0]; first !== undefined && first.dueMs <= nowMs; first = this.#heap[0]) {
      const run = first.run;
      this.#remove(first);
      try {
        run?.();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#schedule();
  }

  #schedule(): void {
    const first = this.#heap[0];
    if (first !== undefined && first.dueMs >= this.#wakeUpAtMs) return;
    this.#stopWakeUp?.();
    this.#stopWakeUp = undefined;
    this.#wakeUpAtMs = Number.POSITIVE_INFINITY;
    if (first === undefined) return;
    this.#wakeUpAtMs = first.dueMs;
    const delayMs = Math.min(Math.max(Math.ceil(first.dueMs - this.#nowMs()), 1), MAX_DELAY_MS);
    this.#stopWakeUp = this.#wakeUp(delayMs, () => this.#runDue());
  }

  #push(entry: Entry): void {
    entry.index = this.#heap.length;
    this.#heap.push(entry);
    this.#siftUp(entry);
  }

  #remove(entry: Entry): void {
    const index = entry.index;
    if (index < 0) return;
    entry.index = -1;
    entry.run = undefined;
    const last = this.#heap.pop() as Entry;
    if (last === entry) return;
    this.#heap[index] = last;
    last.index = index;
    this.#siftUp(last);
    this.#siftDown(last);
  }

  #siftUp(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry;
      if (!isBefore(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #siftDown(entry: Entry): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1];
      if (left === undefined) return;
      const right = this.#heap[entry.index * 2 + 2];
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, entry)) return;
      this.#swap(child, entry);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const index = a.index;
    a.index = b.index;
    b.index = index;
    this.#heap[a.index] = a;
    this.#heap[b.index] = b;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
