/** So many per window of time, which begins with the first of them. */
export class FixedWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param limit an integer >= 1. @param windowMs whole ms, >= 1. */
  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** @returns 0 when there is room, and counts; else ms until the window is over. */
  tryTake(nowMs: number): number {
    if (nowMs >= this.#startedAtMs + this.#windowMs) {
      this.#startedAtMs = nowMs;
      this.#count = 0;
    }
    if (this.#count >= this.#limit) return this.#startedAtMs + this.#windowMs - nowMs;
    this.#count++;
    return 0;
  }
}
