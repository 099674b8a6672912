import { requireInteger } from './options.ts';

/** How much per how long, and how much at once. */
export interface Rate {
  /** Tokens per period; an integer >= 1. */
  readonly amount: number;
  /** Length of the period in whole milliseconds, >= 1. */
  readonly periodMs: number;
  /** Most tokens that can be saved up and spent at once; an integer >= 1. Default: `amount`. */
  readonly burst?: number;
}

/** `amount` per second. @param burst see {@link Rate.burst}. */
export function perSecond(amount: number, burst: number = amount): Rate {
  return { amount, periodMs: 1_000, burst };
}

/** `amount` per minute. @param burst see {@link Rate.burst}. */
export function perMinute(amount: number, burst: number = amount): Rate {
  return { amount, periodMs: 60_000, burst };
}

/** Largest number of internal units, and largest time in ms: sums of two of them are still exact. */
export const MAX_EXACT: number = 2 ** 52;

/** A rate in units of which a whole number arrives each millisecond, so no fraction is ever rounded. */
export interface ExactRate {
  readonly burst: number;
  readonly unitsPerMs: number;
  readonly unitsPerToken: number;
}

/** @throws RangeError naming the option that is no integer >= 1, or `burst` if burst x periodMs passes 2^52 units. */
export function exactRate(rate: Rate): ExactRate {
  const amount = requireInteger('amount', rate.amount, 1);
  const periodMs = requireInteger('periodMs', rate.periodMs, 1);
  const shared = greatestCommonDivisor(amount, periodMs);
  const unitsPerToken = periodMs / shared;
  const burst = requireInteger('burst', rate.burst ?? amount, 1, Math.floor(MAX_EXACT / unitsPerToken));
  return { burst, unitsPerMs: amount / shared, unitsPerToken };
}

/** Exact for safe integers, `divisor` >= 1. */
export function divideUp(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return rest > 0 ? (dividend - rest) / divisor + 1 : (dividend - rest) / divisor;
}

function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
