/** Buckets per doubling: about 1 % resolution. */
const BUCKETS_PER_OCTAVE = 64;
/** From 1 µs to more than an hour. */
const OCTAVES = 32;

/** Counts durations in buckets of about 1 % width. */
export class LatencyHistogram {
  readonly #buckets: Uint32Array = new Uint32Array(BUCKETS_PER_OCTAVE * OCTAVES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  record(durationMs: number): void {
    const octave = Math.log2(Math.max(1, durationMs * 1000));
    const bucket = Math.min(this.#buckets.length - 1, Math.floor(octave * BUCKETS_PER_OCTAVE));
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
    this.#count++;
  }

  clear(): void {
    this.#buckets.fill(0);
    this.#count = 0;
  }

  /** @param fraction 0…1. @returns ms; NaN when nothing was recorded. */
  quantileMs(fraction: number): number {
    if (this.#count === 0) return Number.NaN;
    const wanted = Math.max(1, Math.ceil(fraction * this.#count));
    let seen = 0;
    let bucket = 0;
    for (; bucket < this.#buckets.length; bucket++) {
      seen += this.#buckets[bucket] as number;
      if (seen >= wanted) break;
    }
    return 2 ** ((bucket + 0.5) / BUCKETS_PER_OCTAVE) / 1000;
  }
}
