import { IdleTable } from './idle-table.ts';
import { requireInteger } from './options.ts';
import type { Decision, Policy } from './policy.ts';
import { decideByRate, maxWaitMsOf, type RatePolicyOptions, RateRefusal } from './rate-policy.ts';
import { TokenBucket } from './token-bucket.ts';

/** Default of {@link KeyedRatePolicyOptions.maxKeys}. One IPv6 /48 holds exactly as many /64. */
export const DEFAULT_MAX_KEYS = 65_536;

export type KeyedRatePolicyOptions<Input> = RatePolicyOptions & {
  /** Whom the input counts for. Keys are compared over their first 256 characters. */
  readonly key: (input: Input) => string;
  /** Most keys counted at once, 1..2^24: a bound on memory, so set it above the number of clients you expect. Default 65,536. */
  readonly maxKeys?: number;
  /** A key unused for this long is forgotten, once its bucket is full again. Whole ms, >= 1. Default: the time a bucket takes to fill. */
  readonly idleMs?: number;
};

/**
 * A {@link RatePolicy} for each key. Buckets are made when a key first appears and forgotten when idle and full, so forgetting changes
 * nothing. When `maxKeys` are in use a new key is refused (`KeyTableFull`): nobody's bucket is dropped or reset for it, or an attacker
 * could clear its own by inventing keys.
 */
export class KeyedRatePolicy<Input> implements Policy<Input> {
  readonly #key: (input: Input) => string;
  readonly #maxWaitMs: number;
  readonly #buckets: IdleTable<TokenBucket>;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: KeyedRatePolicyOptions<Input>) {
    this.#key = options.key;
    this.#maxWaitMs = maxWaitMsOf(options);
    const { amount, periodMs, burst = amount } = options;
    const rate = { amount, periodMs, burst };
    this.#buckets = new IdleTable({
      maxKeys: requireInteger('maxKeys', options.maxKeys ?? DEFAULT_MAX_KEYS, 1, 2 ** 24),
      idleMs: options.idleMs ?? new TokenBucket(rate).fillMs,
      create: () => new TokenBucket(rate),
      isSettled: (bucket, nowMs) => bucket.isFull(nowMs),
    });
  }

  /** Keys counted now. */
  get trackedKeyCount(): number {
    return this.#buckets.size;
  }

  check(input: Input, nowMs: number): Decision {
    const bucket = this.#buckets.use(this.#key(input), nowMs);
    if (bucket !== undefined) return decideByRate(bucket, nowMs, this.#maxWaitMs);
    return new RateRefusal('KeyTableFull', this.#buckets.nextIdleAtMs - nowMs);
  }

  /** Forgets up to `max` idle keys. Each `check` forgets a few by itself. @returns how many it forgot. */
  forgetIdle(nowMs: number, max: number): number {
    return this.#buckets.dropIdle(nowMs, max);
  }
}
