import type { TurnScheduler } from '@bulkhead/contracts';

/** Endless rescheduling is a bug; a test should fail, not hang. */
const DEFAULT_MAX_TURNS = 100_000;

/** Turns of the event loop that a test runs one by one. */
export class ManualTurns implements TurnScheduler {
  #queue: (() => void)[] = [];

  defer(run: () => void): void {
    this.#queue.push(run);
  }

  /** Work that waits for a later turn. */
  get pending(): number {
    return this.#queue.length;
  }

  /** Runs what was deferred up to now; what that defers waits for the next turn. */
  runTurn(): void {
    const turn = this.#queue;
    this.#queue = [];
    for (const run of turn) run();
  }

  /** Runs turns until nothing is deferred. @returns how many. @throws Error after `maxTurns`. */
  runAll(maxTurns: number = DEFAULT_MAX_TURNS): number {
    let turns = 0;
    for (; this.#queue.length > 0; turns++) {
      if (turns === maxTurns) throw new Error(`still busy after ${maxTurns} turns`);
      this.runTurn();
    }
    return turns;
  }
}
