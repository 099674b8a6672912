import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** Runs asynchronous tasks, at most `maxActive` at a time and in order, and lets at most `maxWaiting` wait. */
export class BoundedTaskQueue {
  readonly #maxActive: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(maxActive: number, maxWaiting: number) {
    this.#maxActive = maxActive;
    this.#maxWaiting = maxWaiting;
  }

  /** Tasks running now. */
  get active(): number {
    return this.#active;
  }

  /** Tasks waiting for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs `task` when its turn comes. @throws UaStatusError `BadServerTooBusy` (as a rejection) when too many wait already. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#active < this.#maxActive) {
      this.#active++;
    } else {
      if (this.#waiting.length >= this.#maxWaiting) {
        throw new UaStatusError(StatusCodes.BadServerTooBusy, `${this.#waiting.length} private-key operations wait already`);
      }
      // The slot is handed over by whoever finishes: #active stays as it is.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#active--;
      else next();
    }
  }
}
