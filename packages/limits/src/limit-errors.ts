/** Too many at once. */
export class ConcurrencyReached extends Error {
  override readonly name = 'ConcurrencyReached';
  /** How many may be in flight. */
  readonly max: number;

  constructor(max: number) {
    super(`${max} are in flight and no more may be`);
    this.max = max;
  }
}

/** Why a rate policy refused: the rate itself, or no room to count one more key. */
export type RateLimitReason = 'Rate' | 'KeyTableFull';

/** Too many per period. */
export class RateLimitReached extends Error {
  override readonly name = 'RateLimitReached';
  readonly reason: RateLimitReason;
  /** Whole milliseconds, >= 1, until it is worth trying again. */
  readonly retryAfterMs: number;

  constructor(reason: RateLimitReason, retryAfterMs: number) {
    super(reason === 'Rate' ? `over the rate; retry in ${retryAfterMs} ms` : `too many keys; retry in ${retryAfterMs} ms`);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whole seconds, rounded up: the value of HTTP's Retry-After header. */
  get retryAfterSeconds(): number {
    return Math.ceil(this.retryAfterMs / 1_000);
  }
}
