import type { Clock, Timer, Timers } from '@bulkhead/contracts';

/** One timer for a deadline that moves often: it is only armed anew when the deadline becomes earlier. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #expired: () => void;
  #timer: Timer | undefined;
  #armedForMs = Infinity;

  /** @param expired runs at the deadline or, when that has moved on, before it; the owner looks and calls `set` again. */
  constructor(clock: Clock, timers: Timers, expired: () => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#expired = expired;
  }

  /** @param deadlineMs Infinity for none. */
  set(deadlineMs: number): void {
    if (deadlineMs >= this.#armedForMs) return;
    this.#timer?.cancel();
    this.#armedForMs = deadlineMs;
    this.#timer = this.#timers.after(Math.max(0, deadlineMs - this.#clock.nowMs()), this.#run);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Infinity;
  }

  readonly #run = (): void => {
    this.#timer = undefined;
    this.#armedForMs = Infinity;
    this.#expired();
  };
}
