import type { TokenBucket } from './token-bucket.ts';

/** Paces the bytes of one direction. */
export interface Pacer {
  /** A piece of this size or less leaves room for others on the same budget; write no larger pieces at once. >= 1. */
  readonly quantumBytes: number;
  /** Bytes that may be moved now without running into debt. */
  budgetBytes(nowMs: number): number;
  /**
   * Counts bytes. Readers call it for what has arrived, and do not read on before the time it returns; writers call it for what is
   * to be sent next, and do not send it before the time it returns. Users of one budget are served in the order they call.
   * @returns `nowMs` if there is nothing to wait for.
   */
  charge(nowMs: number, bytes: number): number;
  /** True when it is as good as new. */
  isFull(nowMs: number): boolean;
}

/** Paces by one bucket, whoever else uses it. */
export class BucketPacer implements Pacer {
  readonly quantumBytes: number;
  readonly #bucket: TokenBucket;

  constructor(bucket: TokenBucket) {
    this.quantumBytes = bucket.burst;
    this.#bucket = bucket;
  }

  budgetBytes(nowMs: number): number {
    return this.#bucket.available(nowMs);
  }

  charge(nowMs: number, bytes: number): number {
    return this.#bucket.charge(nowMs, bytes);
  }

  isFull(nowMs: number): boolean {
    return this.#bucket.isFull(nowMs);
  }
}

/** Every budget applies. */
export class StackedPacer implements Pacer {
  readonly quantumBytes: number;
  readonly #pacers: readonly Pacer[];

  /** @param pacers at least one. */
  constructor(pacers: readonly Pacer[]) {
    this.#pacers = [...pacers];
    this.quantumBytes = Math.min(...pacers.map((pacer) => pacer.quantumBytes));
  }

  budgetBytes(nowMs: number): number {
    let bytes = Number.MAX_SAFE_INTEGER;
    for (const pacer of this.#pacers) bytes = Math.min(bytes, pacer.budgetBytes(nowMs));
    return bytes;
  }

  charge(nowMs: number, bytes: number): number {
    let atMs = nowMs;
    for (const pacer of this.#pacers) atMs = Math.max(atMs, pacer.charge(nowMs, bytes));
    return atMs;
  }

  isFull(nowMs: number): boolean {
    return this.#pacers.every((pacer) => pacer.isFull(nowMs));
  }
}
