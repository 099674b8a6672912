/** Many entries are moved at once, so that each costs constant time. */
const COMPACT_AT = 64;

/**
 * What came and was not taken yet, at most `capacity`: when one more comes, the oldest is dropped and counted. Iterating takes the
 * values; leaving a loop and iterating again goes on where it stopped.
 */
export class NotificationBuffer<T> implements AsyncIterableIterator<T> {
  readonly #capacity: number;
  readonly #values: T[] = [];
  readonly #waiters: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  #head = 0;
  #dropped = 0;
  #isEnded = false;
  #error: Error | undefined;

  /** @throws RangeError unless `capacity` is an integer >= 1. */
  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError(`capacity: an integer >= 1 is wanted, not ${capacity}`);
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#values.length - this.#head;
  }

  /** Values dropped because nobody took them in time. */
  get dropped(): number {
    return this.#dropped;
  }

  push(value: T): void {
    if (this.#isEnded) return;
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) return waiter.resolve({ done: false, value });
    if (this.length === this.#capacity) {
      this.#head++;
      this.#dropped++;
      this.#compact();
    }
    this.#values.push(value);
  }

  /** Nothing more comes: iterators end when all is taken, or fail with `error` then. Idempotent. */
  end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    for (const waiter of this.#waiters.splice(0)) {
      if (error === undefined) waiter.resolve({ done: true, value: undefined });
      else waiter.reject(error);
    }
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.length > 0) {
      const value = this.#values[this.#head++] as T;
      this.#compact();
      return { done: false, value };
    }
    if (this.#isEnded) {
      if (this.#error !== undefined) throw this.#error;
      return { done: true, value: undefined };
    }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Leaving a loop doesn't end the buffer. */
  return(): Promise<IteratorResult<T>> {
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #compact(): void {
    if (this.#head < COMPACT_AT || this.#head * 2 < this.#values.length) return;
    this.#values.splice(0, this.#head);
    this.#head = 0;
  }
}
