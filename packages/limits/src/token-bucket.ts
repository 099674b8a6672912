import { divideUp, exactRate, MAX_EXACT, type Rate } from './rate.ts';

/** The tokens were taken. */
export interface Granted {
  readonly kind: 'granted';
}

/** Nothing was taken. The same request is granted at `retryAtMs`, if nobody takes tokens in between, and not before. */
export interface RetryAt {
  readonly kind: 'retry';
  /** Whole milliseconds on the caller's clock. */
  readonly retryAtMs: number;
}

/** More tokens than the bucket can hold: no waiting will help. */
export interface Never {
  readonly kind: 'never';
}

export type Acquisition = Granted | RetryAt | Never;

const GRANTED: Granted = Object.freeze({ kind: 'granted' });
const NEVER: Never = Object.freeze({ kind: 'never' });

/**
 * A token bucket that reads no clock: every call says what time it is.
 *
 * `nowMs` is any monotonic clock in milliseconds, whatever its origin, within ±2^52; fractions are cut off. A time before the
 * latest one seen counts as no time passing. All arithmetic is on integers and exact: over any span the bucket gives out
 * precisely what the rate allows, to the token. It starts full.
 */
export class TokenBucket {
  /** Most tokens it can hold. */
  readonly burst: number;
  readonly #unitsPerMs: number;
  readonly #unitsPerToken: number;
  readonly #capacity: number;
  /** Below zero while in debt. */
  #units: number;
  #atMs: number;

  /** @throws RangeError naming the option that is wrong. */
  constructor(rate: Rate) {
    const { burst, unitsPerMs, unitsPerToken } = exactRate(rate);
    this.burst = burst;
    this.#unitsPerMs = unitsPerMs;
    this.#unitsPerToken = unitsPerToken;
    this.#capacity = burst * unitsPerToken;
    this.#units = this.#capacity;
    this.#atMs = Number.NEGATIVE_INFINITY;
  }

  /** Whole milliseconds, rounded up, that an empty bucket takes to fill. */
  get fillMs(): number {
    return divideUp(this.#capacity, this.#unitsPerMs);
  }

  /**
   * Takes all of `count` tokens or none.
   * @throws RangeError if `count` is no integer >= 0 or `nowMs` no time.
   */
  tryAcquire(nowMs: number, count: number = 1): Acquisition {
    requireCount(count);
    if (count > this.burst) return NEVER;
    this.#advance(nowMs);
    const cost = count * this.#unitsPerToken;
    if (cost > this.#units) return { kind: 'retry', retryAtMs: this.#reachedAtMs(cost) };
    this.#units -= cost;
    return GRANTED;
  }

  /**
   * Takes `count` tokens whether they are there or not. What is missing becomes debt, which is repaid before anything else is
   * granted. Calls are served in order: each later one is paid off later.
   * @returns when all that was taken so far is paid for: `nowMs` if there is no debt, else a later whole millisecond.
   * Debt beyond 2^52 units is forgiven.
   * @throws RangeError if `count` is no integer >= 0 or `nowMs` no time.
   */
  charge(nowMs: number, count: number): number {
    requireCount(count);
    this.#advance(nowMs);
    this.#units = Math.max(this.#units - count * this.#unitsPerToken, -MAX_EXACT);
    return this.#units >= 0 ? nowMs : this.#reachedAtMs(0);
  }

  /** Gives tokens back that turned out not to be needed; what does not fit is lost. @throws RangeError as `charge` does. */
  refund(count: number): void {
    requireCount(count);
    this.#units = Math.min(this.#units + count * this.#unitsPerToken, this.#capacity);
  }

  /** When `count` tokens will be there, taking nothing: `nowMs` if they are, Infinity if they never will be. */
  readyAtMs(nowMs: number, count: number = 1): number {
    requireCount(count);
    if (count > this.burst) return Number.POSITIVE_INFINITY;
    this.#advance(nowMs);
    const cost = count * this.#unitsPerToken;
    return cost <= this.#units ? nowMs : this.#reachedAtMs(cost);
  }

  /** Whole tokens that can be taken now; 0 in debt. */
  available(nowMs: number): number {
    this.#advance(nowMs);
    if (this.#units <= 0) return 0;
    return (this.#units - (this.#units % this.#unitsPerToken)) / this.#unitsPerToken;
  }

  /** True when it is as good as new. */
  isFull(nowMs: number): boolean {
    this.#advance(nowMs);
    return this.#units === this.#capacity;
  }

  #advance(nowMs: number): void {
    const atMs = Math.floor(nowMs);
    if (!(Math.abs(atMs) <= MAX_EXACT)) throw new RangeError(`nowMs: a time within 2^52 ms is needed, not ${nowMs}`);
    const elapsedMs = atMs - this.#atMs;
    if (elapsedMs <= 0) return;
    this.#atMs = atMs;
    const fills = elapsedMs >= divideUp(this.#capacity - this.#units, this.#unitsPerMs);
    this.#units = fills ? this.#capacity : this.#units + elapsedMs * this.#unitsPerMs;
  }

  /** Only asked for more units than there are. */
  #reachedAtMs(units: number): number {
    return this.#atMs + divideUp(units - this.#units, this.#unitsPerMs);
  }
}

function requireCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`count: an integer >= 0 is needed, not ${count}`);
}
