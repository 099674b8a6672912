/** What an admitted input holds. Disposing gives it back; a second dispose does nothing. */
export type Guard = Disposable;

/** Go on, and dispose the guard when the input is done. */
export interface Ready {
  readonly kind: 'ready';
  readonly guard: Guard;
}

/** Refused for good. */
export interface Abort {
  readonly kind: 'abort';
  /** Whole milliseconds, >= 1, until it is worth trying again; undefined if that is not known. */
  readonly retryAfterMs: number | undefined;
  /** To throw. An error is dear to make, so it may be made only when it is asked for. */
  readonly error: Error;
}

/**
 * Not yet. It remembers what the input has passed and which turn it has, so ask *it* again, at `atMs` or later: asking the policy
 * instead would start over. Dispose it to give up. An answer is used once: after `check` or dispose it is spent.
 */
export interface Retry extends Disposable {
  readonly kind: 'retry';
  /** Milliseconds on the caller's clock. */
  readonly atMs: number;
  check(nowMs: number): Decision;
}

export type Decision = Ready | Abort | Retry;

/** Decides whether an input may go on. Reads no clock and sets no timer: the caller does both. */
export interface Policy<in Input = unknown> {
  check(input: Input, nowMs: number): Decision;
}

const NOTHING_HELD: Guard = Object.freeze({ [Symbol.dispose](): void {} });

/** Go on, with nothing to give back. */
export const READY: Ready = Object.freeze({ kind: 'ready', guard: NOTHING_HELD });

/** Lets everything pass. */
export const UNLIMITED: Policy = Object.freeze({ check: (): Decision => READY });
