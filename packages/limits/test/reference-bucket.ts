/** A token bucket that is obviously right and slow: fractions are BigInt, and every millisecond is lived through. */
export class ReferenceBucket {
  readonly #amount: bigint;
  readonly #periodMs: bigint;
  readonly #full: bigint;
  #scaled: bigint;
  #nowMs: number | undefined;

  constructor(rate: { readonly amount: number; readonly periodMs: number; readonly burst: number }) {
    this.#amount = BigInt(rate.amount);
    this.#periodMs = BigInt(rate.periodMs);
    this.#full = BigInt(rate.burst) * this.#periodMs;
    this.#scaled = this.#full;
  }

  isFull(nowMs: number): boolean {
    this.#live(nowMs);
    return this.#scaled === this.#full;
  }

  take(nowMs: number, count: number): boolean {
    this.#live(nowMs);
    const cost = BigInt(count) * this.#periodMs;
    if (cost > this.#scaled) return false;
    this.#scaled -= cost;
    return true;
  }

  takeAnyway(nowMs: number, count: number): void {
    this.#live(nowMs);
    this.#scaled -= BigInt(count) * this.#periodMs;
  }

  give(count: number): void {
    this.#scaled += BigInt(count) * this.#periodMs;
    if (this.#scaled > this.#full) this.#scaled = this.#full;
  }

  /** First millisecond, from the latest time on, at which `count` tokens are there. */
  whenThere(count: number): number {
    let [atMs, scaled] = [this.#nowMs!, this.#scaled];
    while (scaled < BigInt(count) * this.#periodMs) {
      atMs++;
      scaled += this.#amount;
    }
    return atMs;
  }

  #live(nowMs: number): void {
    const wholeMs = Math.floor(nowMs);
    for (this.#nowMs ??= wholeMs; this.#nowMs < wholeMs; this.#nowMs++) {
      this.#scaled += this.#amount;
      if (this.#scaled > this.#full) this.#scaled = this.#full;
    }
  }
}
