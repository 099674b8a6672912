import { IdleTable } from './idle-table.ts';
import type { Rate } from './rate.ts';
import { TokenBucket } from './token-bucket.ts';

export interface SeldomKeysOptions {
  /** What a key may do and still come seldom. */
  readonly rate: Rate;
  /** Most keys known at once, 1..2^24: a bound on memory. */
  readonly maxKeys: number;
}

/** A key that didn't come for so long isn't known any more. */
const IDLE_MS = 600_000;

/**
 * Tells the keys that come seldom from those that come again and again, by a slow bucket for each. When as many are known as may be, a new
 * key does not come seldom: nobody's bucket is dropped or reset for it.
 */
export class SeldomKeys {
  readonly #buckets: IdleTable<TokenBucket>;

  /** @throws RangeError naming the option that is wrong. */
  constructor({ rate, maxKeys }: SeldomKeysOptions) {
    this.#buckets = new IdleTable({
      maxKeys,
      idleMs: Math.max(IDLE_MS, new TokenBucket(rate).fillMs),
      create: () => new TokenBucket(rate),
      isSettled: (bucket, nowMs) => bucket.isFull(nowMs),
    });
  }

  /** Keys known now. */
  get trackedKeyCount(): number {
    return this.#buckets.size;
  }

  /** It comes once more. @returns whether it comes seldom all the same. */
  comes(nowMs: number, key: string): boolean {
    return this.#buckets.use(key, nowMs)?.tryAcquire(nowMs).kind === 'granted';
  }
}
