import { ManualClock } from '@bulkhead/testkit';
import { DateTime } from '@bulkhead/types';

/** Virtual time in which each look at the clock takes a moment, so that no work is done in no time. */
export class SimulationClock extends ManualClock {
  readonly #lookMs: number;
  #wallOffsetMs = 0;

  constructor(lookMs: number) {
    super();
    this.#lookMs = lookMs;
  }

  /** The time, for who doesn't take part in what happens. */
  get seenMs(): number {
    return super.nowMs();
  }

  override nowMs(): number {
    this.elapse(this.#lookMs);
    return super.nowMs();
  }

  override utcNow(): DateTime {
    return DateTime.fromUnixMs(super.utcNow().unixMs + this.#wallOffsetMs);
  }

  /** Somebody sets the wall clock; monotonic time goes on as before. */
  stepWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }
}
