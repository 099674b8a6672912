import type { Clock } from '@bulkhead/contracts';

/** A value that is costly to make: made when it is asked for and older than `maxAgeMs`, and shared until then. */
export class Snapshot<T> {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #make: () => T;
  #made: { readonly value: T; readonly atMs: number } | undefined = undefined;

  constructor(clock: Clock, maxAgeMs: number, make: () => T) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
    this.#make = make;
  }

  get value(): T {
    const nowMs = this.#clock.nowMs();
    if (this.#made === undefined || nowMs - this.#made.atMs >= this.#maxAgeMs) this.#made = { value: this.#make(), atMs: nowMs };
    return this.#made.value;
  }
}
