import { requireInteger } from './options.ts';

/** How long to wait before the next attempt. */
export interface Backoff {
  /** @param attempt attempts that failed before this one; 0 for the first. @returns undefined to give up. */
  delayMs(attempt: number): number | undefined;
}

export interface ExponentialBackoffOptions {
  /** Delay after the first failure, in ms, >= 1. */
  readonly firstMs: number;
  /** No delay is longer. */
  readonly maxMs: number;
  /** Attempts before giving up, >= 1. */
  readonly maxAttempts: number;
  /** Default 2; at least 1. */
  readonly factor?: number;
  /** A number from 0 up to 1. When given, each delay is spread over the half below it, so waiters do not return as one crowd. */
  readonly random?: () => number;
}

/** Delays that grow by a factor up to a ceiling. */
export class ExponentialBackoff implements Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #maxAttempts: number;
  readonly #factor: number;
  readonly #random: (() => number) | undefined;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: ExponentialBackoffOptions) {
    this.#firstMs = requireInteger('firstMs', options.firstMs, 1);
    this.#maxMs = requireInteger('maxMs', options.maxMs, this.#firstMs);
    this.#maxAttempts = requireInteger('maxAttempts', options.maxAttempts, 1);
    this.#factor = options.factor ?? 2;
    if (!(this.#factor >= 1 && Number.isFinite(this.#factor))) throw new RangeError(`factor: at least 1 is needed, not ${this.#factor}`);
    this.#random = options.random;
  }

  delayMs(attempt: number): number | undefined {
    if (attempt >= this.#maxAttempts) return undefined;
    const fullMs = Math.min(this.#firstMs * this.#factor ** attempt, this.#maxMs);
    return this.#random === undefined ? fullMs : fullMs * (0.5 + this.#random() / 2);
  }
}
