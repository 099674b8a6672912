import type { Clock, Timers } from '@bulkhead/contracts';
import { perSecond } from '@bulkhead/limits';
import { PacedTurns } from '@bulkhead/transport';

/** How fast TLS handshakes may begin. */
export interface HandshakePace {
  readonly clock: Clock;
  readonly timers: Timers;
  /** An integer >= 1. */
  readonly perSecond: number;
}

/** What may begin at once: so much of a second's. */
const BURST_PART = 1 / 5;
/** What may wait of one caller, and in all: so much of a second's. A caller of whom nothing waits may wait in any case. */
const WAITING_PART_OF_CALLER = 1 / 4;
const WAITING_PART = 1;

/**
 * Lets TLS handshakes begin one by one, no faster than a rate and by turns between callers. Each costs the event loop a signature, so that
 * one that connects again and again would hold up everybody. Those that wait have places which others want: there is a bound for each caller.
 */
export class HandshakePacer {
  readonly #turns: PacedTurns;
  readonly #perSecond: number;

  /** @throws RangeError */
  constructor({ clock, timers, perSecond: count }: HandshakePace) {
    this.#perSecond = count;
    this.#turns = new PacedTurns({ clock, timers, rate: perSecond(count, Math.ceil(count * BURST_PART)) });
  }

  /** Handshakes that wait. */
  get waitingCount(): number {
    return this.#turns.waitingCount;
  }

  /**
   * @param start runs now, or when it is the caller's turn; it has to look whether the connection is still there.
   * @returns false when too many of the caller's wait already.
   */
  begin(caller: string, start: () => void): boolean {
    if (!this.#mayWait(this.#turns.waitingOf(caller))) return false;
    if (this.#turns.wait(caller, 1, start) === undefined) start();
    return true;
  }

  /** Nothing begins any more. Idempotent. */
  close(): void {
    this.#turns.close();
  }

  #mayWait(ofCaller: number): boolean {
    if (ofCaller === 0) return true;
    return ofCaller < this.#perSecond * WAITING_PART_OF_CALLER && this.#turns.waitingCount < this.#perSecond * WAITING_PART;
  }
}
