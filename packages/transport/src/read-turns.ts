import type { Clock, TurnScheduler } from '@bulkhead/contracts';

/** A connection that has unread bytes. */
export interface ReadTurnTaker {
  takeReadTurn(): void;
}

/**
 * The time of one event-loop turn that may go into reading (decrypting, decoding), shared by all connections of a server.
 * Connections that come too late in a turn are served in the next ones, in the order in which they came.
 */
export class ReadTurns {
  readonly #clock: Clock;
  readonly #turns: TurnScheduler;
  readonly #sliceMs: number;
  /** Each connection is in it at most once. */
  readonly #waiting: ReadTurnTaker[] = [];
  #sliceEndMs = 0;
  #isSliceRunning = false;
  #isTurnDeferred = false;

  constructor(clock: Clock, turns: TurnScheduler, sliceMs: number) {
    this.#clock = clock;
    this.#turns = turns;
    this.#sliceMs = sliceMs;
  }

  /** True when this turn's time is used up; the first question of a turn starts its slice. */
  isSpent(): boolean {
    const nowMs = this.#clock.nowMs();
    if (this.#isSliceRunning) return nowMs >= this.#sliceEndMs;
    this.#isSliceRunning = true;
    this.#sliceEndMs = nowMs + this.#sliceMs;
    this.#deferTurn();
    return false;
  }

  /** Calls `taker` in a later turn; the caller sees to it that it is not in the queue already. */
  enqueue(taker: ReadTurnTaker): void {
    this.#waiting.push(taker);
    this.#deferTurn();
  }

  #deferTurn(): void {
    if (this.#isTurnDeferred) return;
    this.#isTurnDeferred = true;
    this.#turns.defer(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    this.#isTurnDeferred = false;
    this.#isSliceRunning = false;
    // Those that queue up again while this runs wait for the next turn.
    for (let left = this.#waiting.length; left > 0 && !this.isSpent(); left--) this.#waiting.shift()?.takeReadTurn();
    if (this.#waiting.length > 0) this.#deferTurn();
  };
}
