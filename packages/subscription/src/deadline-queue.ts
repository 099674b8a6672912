import type { Runtime, Timer } from '@bulkhead/contracts';

/** Something that is due at a time. `heapIndex` belongs to the queue; -1 while not queued. */
export interface Deadline {
  dueMs: number;
  heapIndex: number;
}

/** Timers may run a little early; what is due within this many ms counts as due. */
const EARLY_TOLERANCE_MS = 0.5;

/** Deadlines in a binary heap behind one timer, however many there are. No timer is pending while the queue is empty. */
export class DeadlineQueue<Entry extends Deadline> {
  readonly #runtime: Runtime;
  readonly #onDue: (nowMs: number) => void;
  readonly #heap: Entry[] = [];
  readonly #fire: () => void;
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isRunning = false;

  /** @param onDue takes the due entries with `popDue`. */
  constructor(runtime: Runtime, onDue: (nowMs: number) => void) {
    this.#runtime = runtime;
    this.#onDue = onDue;
    this.#fire = () => this.#run();
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Adds an entry, or moves it when it is queued already. */
  schedule(entry: Entry, dueMs: number): void {
    if (entry.heapIndex < 0) {
      entry.dueMs = dueMs;
      entry.heapIndex = this.#heap.length;
      this.#heap.push(entry);
      this.#siftUp(entry.heapIndex);
    } else {
      const movesUp = dueMs < entry.dueMs;
      entry.dueMs = dueMs;
      if (movesUp) this.#siftUp(entry.heapIndex);
      else this.#siftDown(entry.heapIndex);
    }
    this.#arm();
  }

  /** Idempotent. */
  remove(entry: Entry): void {
    const index = entry.heapIndex;
    if (index < 0) return;
    entry.heapIndex = -1;
    const last = this.#heap.pop() as Entry;
    if (last !== entry) {
      last.heapIndex = index;
      this.#heap[index] = last;
      this.#siftUp(index);
      this.#siftDown(last.heapIndex);
    }
    if (this.#heap.length === 0) this.#disarm();
  }

  /** Takes the earliest entry out if it is due. */
  popDue(nowMs: number): Entry | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs + EARLY_TOLERANCE_MS) return undefined;
    this.remove(first);
    return first;
  }

  /** Forgets everything. */
  clear(): void {
    for (const entry of this.#heap) entry.heapIndex = -1;
    this.#heap.length = 0;
    this.#disarm();
  }

  #run(): void {
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    this.#isRunning = true;
    try {
      this.#onDue(this.#runtime.clock.nowMs());
    } finally {
      this.#isRunning = false;
      this.#arm();
    }
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || this.#isRunning || first.dueMs >= this.#armedForMs) return;
    this.#timer?.cancel();
    this.#armedForMs = first.dueMs;
    this.#timer = this.#runtime.timers.after(Math.max(0, first.dueMs - this.#runtime.clock.nowMs()), this.#fire);
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #siftUp(from: number): void {
    const heap = this.#heap;
    const entry = heap[from] as Entry;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex] as Entry;
      if (parent.dueMs <= entry.dueMs) break;
      heap[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    heap[index] = entry;
    entry.heapIndex = index;
  }

  #siftDown(from: number): void {
    const heap = this.#heap;
    const entry = heap[from] as Entry;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= heap.length) break;
      if (childIndex + 1 < heap.length && (heap[childIndex + 1] as Entry).dueMs < (heap[childIndex] as Entry).dueMs) childIndex++;
      const child = heap[childIndex] as Entry;
      if (child.dueMs >= entry.dueMs) break;
      heap[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    heap[index] = entry;
    entry.heapIndex = index;
  }
}
