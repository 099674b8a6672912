import { RateLimitReached, type RateLimitReason } from './limit-errors.ts';
import { requireInteger } from './options.ts';
import { type Abort, type Decision, type Policy, READY, type Retry } from './policy.ts';
import type { Rate } from './rate.ts';
import { TokenBucket } from './token-bucket.ts';

/** What happens to an input that is over the rate: it fails with {@link RateLimitReached}, or it waits for its turn. */
export type OverRate =
  | { readonly mode?: 'abort' }
  | {
      readonly mode: 'wait';
      /** An input whose turn would come later than this fails instead. Whole ms, >= 1. */
      readonly maxWaitMs: number;
    };

export type RatePolicyOptions = Rate & OverRate;

/**
 * So many inputs per period. In `abort` mode (the default) an input over the rate fails; in `wait` mode it is given a turn, first
 * come first served, and its `retry` answer turns ready at exactly that time. A turn that is given up is not handed on: a rate
 * counts attempts.
 */
export class RatePolicy implements Policy {
  readonly #bucket: TokenBucket;
  readonly #maxWaitMs: number;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: RatePolicyOptions) {
    this.#bucket = new TokenBucket(options);
    this.#maxWaitMs = maxWaitMsOf(options);
  }

  check(_input: unknown, nowMs: number): Decision {
    return decideByRate(this.#bucket, nowMs, this.#maxWaitMs);
  }
}

/** @returns 0 in `abort` mode. */
export function maxWaitMsOf(options: OverRate): number {
  return options.mode === 'wait' ? requireInteger('maxWaitMs', options.maxWaitMs, 1) : 0;
}

export function decideByRate(bucket: TokenBucket, nowMs: number, maxWaitMs: number): Decision {
  const atMs = bucket.readyAtMs(nowMs);
  const overMs = atMs - nowMs - maxWaitMs;
  if (overMs > 0) return new RateRefusal('Rate', overMs);
  bucket.charge(nowMs, 1);
  return atMs > nowMs ? new Turn(atMs) : READY;
}

export class RateRefusal implements Abort {
  readonly kind = 'abort';
  readonly retryAfterMs: number;
  readonly #reason: RateLimitReason;
  #error: RateLimitReached | undefined;

  constructor(reason: RateLimitReason, retryAfterMs: number) {
    this.retryAfterMs = Math.max(1, Math.ceil(retryAfterMs));
    this.#reason = reason;
  }

  get error(): RateLimitReached {
    this.#error ??= new RateLimitReached(this.#reason, this.retryAfterMs);
    return this.#error;
  }
}

/** Its token is taken already, on account. */
class Turn implements Retry {
  readonly kind = 'retry';
  readonly atMs: number;

  constructor(atMs: number) {
    this.atMs = atMs;
  }

  check(nowMs: number): Decision {
    return nowMs < this.atMs ? this : READY;
  }

  [Symbol.dispose](): void {}
}
