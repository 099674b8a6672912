import type { Clock } from '@bulkhead/contracts';
import { DateTime } from '@bulkhead/types';

/**
 * Shares one DateTime among everything that happens within a millisecond: nodes set or read together have equal times. Many
 * operations that run without a break may hold the time, which spares asking the clock for each of them.
 */
export class TurnClock {
  readonly #clock: Clock;
  #atMs = Number.NEGATIVE_INFINITY;
  #now: DateTime = DateTime.MIN;
  #isHeld = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Time stands still until `release`: for synchronous work only. */
  hold(): void {
    this.utcNow();
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  utcNow(): DateTime {
    if (this.#isHeld) return this.#now;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#atMs >= 1 || nowMs < this.#atMs) {
      this.#atMs = nowMs;
      this.#now = this.#clock.utcNow();
    }
    return this.#now;
  }
}
