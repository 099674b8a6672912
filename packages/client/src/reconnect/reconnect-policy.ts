import { baseStatusCode, type StatusCode, StatusCodes } from '@bulkhead/types';

/** Why the attempt before failed. */
export interface AttemptFailure {
  readonly statusCode: StatusCode;
  /** When the server asked to be tried again, ms. */
  readonly retryAfterMs: number | undefined;
}

/** Says how long to wait between attempts to connect; the same for a first connect and for a reconnect. */
export interface ReconnectDelays {
  /** @param attempt attempts that failed in a row before this wait, less one: 0 for the first wait. @returns ms; undefined to give up. */
  getNextDelay(attempt: number): number | undefined;
  /**
   * Knows why the last attempt failed. @returns undefined to opt out: `getNextDelay` decides then.
   */
  tryGetNextDelay?(attempt: number, failure: AttemptFailure): number | undefined;
  /** Time from the first failure in a row after which no attempt begins, ms. Default: none. */
  readonly totalBudgetMs?: number | undefined;
}

export interface ReconnectPolicyOptions {
  /** How delays grow: doubled, by the initial delay each time, or not at all. Default `exponential`. */
  readonly strategy?: 'exponential' | 'linear' | 'constant';
  /** First delay, ms, an integer >= 1. Default 1,000. */
  readonly initialDelayMs?: number;
  /** No computed delay is longer, ms. Default 30,000. */
  readonly maxDelayMs?: number;
  /** Part of a delay, 0 … 1, that may be cut off at random, so that many clients don't come back at once. Default 0.2. */
  readonly jitter?: number;
  /** Waits before giving up, an integer >= 1. Default: no end. */
  readonly maxRetries?: number;
  /** Time from the first failure in a row after which no attempt begins, ms. Default: no end. */
  readonly totalBudgetMs?: number;
  /** A number from 0 up to 1. Default: Math.random. */
  readonly random?: () => number;
}

/** A server that is busy is left alone this many times longer. */
const BUSY_FACTOR = 4;

/** Longest time that timers take, ms. */
const MAX_INTEGER = 0x7fffffff;

const BUSY_CODES: ReadonlySet<StatusCode> = new Set([
  StatusCodes.BadServerTooBusy,
  StatusCodes.BadTcpServerTooBusy,
  StatusCodes.BadTooManySessions,
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadTooManyPublishRequests,
  StatusCodes.BadTimeout,
  StatusCodes.BadRequestTimeout,
]);

/**
 * Delays that know the server's signals: after one that says "busy" the delay is four times as long, `maxDelayMs` at most, and
 * never shorter than what the server asked for.
 */
export class ReconnectPolicy implements ReconnectDelays {
  readonly totalBudgetMs: number | undefined;
  readonly #strategy: 'exponential' | 'linear' | 'constant';
  readonly #initialDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #jitter: number;
  readonly #maxRetries: number;
  readonly #random: () => number;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: ReconnectPolicyOptions = {}) {
    this.#strategy = options.strategy ?? 'exponential';
    this.#initialDelayMs = requireInteger('initialDelayMs', options.initialDelayMs ?? 1000, 1);
    this.#maxDelayMs = requireInteger('maxDelayMs', options.maxDelayMs ?? Math.max(30_000, this.#initialDelayMs), this.#initialDelayMs);
    this.#jitter = options.jitter ?? 0.2;
    if (!(this.#jitter >= 0 && this.#jitter <= 1)) throw new RangeError(`jitter: 0 … 1 is wanted, not ${this.#jitter}`);
    this.#maxRetries = options.maxRetries === undefined ? Number.POSITIVE_INFINITY : requireInteger('maxRetries', options.maxRetries, 1);
    this.totalBudgetMs = options.totalBudgetMs === undefined ? undefined : requireInteger('totalBudgetMs', options.totalBudgetMs, 1);
    this.#random = options.random ?? Math.random;
  }

  /** Whether a StatusCode says that the server has too much to do, so that trying again soon would make it worse. */
  static isServerBusySignal(statusCode: StatusCode): boolean {
    return BUSY_CODES.has(baseStatusCode(statusCode));
  }

  getNextDelay(attempt: number): number | undefined {
    return attempt < this.#maxRetries ? this.#spread(this.#delayOf(attempt)) : undefined;
  }

  tryGetNextDelay(attempt: number, { statusCode, retryAfterMs }: AttemptFailure): number | undefined {
    if (attempt >= this.#maxRetries) return undefined;
    const plainMs = this.#delayOf(attempt);
    const delayMs = this.#spread(
      ReconnectPolicy.isServerBusySignal(statusCode) ? Math.min(plainMs * BUSY_FACTOR, this.#maxDelayMs) : plainMs,
    );
    if (retryAfterMs === undefined || retryAfterMs <= delayMs) return delayMs;
    // Those who were told the same time don't come back in the same moment either.
    return retryAfterMs * (1 + this.#jitter * this.#random());
  }

  #delayOf(attempt: number): number {
    const factor = this.#strategy === 'exponential' ? 2 ** attempt : this.#strategy === 'linear' ? attempt + 1 : 1;
    return Math.min(this.#initialDelayMs * factor, this.#maxDelayMs);
  }

  #spread(delayMs: number): number {
    return delayMs * (1 - this.#jitter * this.#random());
  }
}

function requireInteger(name: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= MAX_INTEGER) return value;
  throw new RangeError(`${name}: an integer of ${min} … ${MAX_INTEGER} is wanted, not ${value}`);
}
