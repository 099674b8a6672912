/**
 * Numbers by index, all 0 in the beginning. Everything a provider counts is kept in these, so that a backing that threads share
 * can take the place of the array.
 */
export interface Counters {
  get(index: number): number;
  add(index: number, amount: number): void;
}

/** Makes `length` counters. */
export type AllocateCounters = (length: number) => Counters;

/** Counters of one thread. Exact up to 2^53. */
export class ArrayCounters implements Counters {
  readonly #values: Float64Array;

  constructor(length: number) {
    this.#values = new Float64Array(length);
  }

  get(index: number): number {
    return this.#values[index] as number;
  }

  add(index: number, amount: number): void {
    this.#values[index] = (this.#values[index] as number) + amount;
  }
}

export const allocateArrayCounters: AllocateCounters = (length) => new ArrayCounters(length);
