import type { RandomSource } from '@bulkhead/contracts';

const UINT32_RANGE = 2 ** 32;
/** From here on the exponent makes no difference. */
const MAX_DOUBLINGS = 30;

/**
 * Exponential back-off with jitter: half of each delay is random, so that servers that lost the same client don't return together.
 * @param failures in a row, >= 1.
 * @returns ms; between half of the capped delay and all of it.
 */
export function retryDelayMs(random: RandomSource, failures: number, retryMs: number, maxRetryMs: number): number {
  const cappedMs = Math.min(maxRetryMs, retryMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return (cappedMs / 2) * (1 + random.bytes(4).readUInt32LE(0) / UINT32_RANGE);
}
