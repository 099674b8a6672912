import type { Clock } from '@bulkhead/contracts';

/** How long the dispatcher may work in one turn of the event loop. */
export class TurnSlice {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  #endMs = 0;
  #nowMs = 0;
  #turn = 0;

  /** @param sliceMs > 0. */
  constructor(clock: Clock, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  /** Monotonic ms when the clock was last read. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Number of the turn. */
  get turn(): number {
    return this.#turn;
  }

  /** Starts a turn's slice. */
  begin(): void {
    this.#turn++;
    this.#nowMs = this.#clock.nowMs();
    this.#endMs = this.#nowMs + this.#sliceMs;
  }

  /** Reads the clock. */
  isSpent(): boolean {
    this.#nowMs = this.#clock.nowMs();
    return this.#nowMs >= this.#endMs;
  }
}
