import type { Clock, Timer, Timers } from '@bulkhead/contracts';
import { DateTime } from '@bulkhead/types';

/** Wall clock at `nowMs() === 0`: 2026-01-01T00:00:00Z. */
const START_UNIX_MS = Date.UTC(2026, 0, 1);

/** A clock that stands still until a test moves it, and the timers that run on it. */
export class ManualClock implements Clock, Timers {
  #nowMs: number;
  #nextSequence = 0;
  readonly #pending: Set<ManualTimer> = new Set();

  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  utcNow(): DateTime {
    return DateTime.fromUnixMs(START_UNIX_MS + this.#nowMs);
  }

  /** Timers that neither ran nor were cancelled. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** When the next timer is due; undefined without one. */
  get nextTimerMs(): number | undefined {
    return this.#earliest()?.dueMs;
  }

  after(delayMs: number, run: () => void): Timer {
    if (!(delayMs >= 0)) throw new RangeError(`delayMs: ${delayMs}`);
    const timer = new ManualTimer(this.#pending, this.#nowMs + delayMs, this.#nextSequence++, run);
    this.#pending.add(timer);
    return timer;
  }

  /** Moves on and runs what is due on the way, earliest first; each timer sees the time it was due at. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`ms: ${ms}`);
    const endMs = this.#nowMs + ms;
    for (let timer = this.#earliest(); timer !== undefined && timer.dueMs <= endMs; timer = this.#earliest()) {
      this.#pending.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
      timer.run();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /** Time passes as while something works: no timer runs meanwhile; what became due runs with the next `advance`. */
  elapse(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`ms: ${ms}`);
    this.#nowMs += ms;
  }

  #earliest(): ManualTimer | undefined {
    let earliest: ManualTimer | undefined;
    for (const timer of this.#pending) {
      if (
        earliest === undefined ||
        timer.dueMs < earliest.dueMs ||
        (timer.dueMs === earliest.dueMs && timer.sequence < earliest.sequence)
      ) {
        earliest = timer;
      }
    }
    return earliest;
  }
}

class ManualTimer implements Timer {
  readonly #owner: Set<ManualTimer>;
  readonly dueMs: number;
  readonly sequence: number;
  readonly run: () => void;

  constructor(owner: Set<ManualTimer>, dueMs: number, sequence: number, run: () => void) {
    this.#owner = owner;
    this.dueMs = dueMs;
    this.sequence = sequence;
    this.run = run;
  }

  cancel(): void {
    this.#owner.delete(this);
  }
}
