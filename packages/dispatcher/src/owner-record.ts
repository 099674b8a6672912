import type { Owner } from '@bulkhead/resource-isolation';
import type { DispatchedRequest } from './dispatched-request.ts';
import { OwnerTurns } from './owner-turns.ts';

/** An owner that has origins here, and what it used since it appeared. */
export class OwnerRecord {
  /** As it was classified first; the weight in use is that of `turns`. */
  readonly owner: Owner;
  readonly turns: OwnerTurns<DispatchedRequest>;
  /** Admitted requests. */
  requestCount = 0;
  /** Bytes of admitted requests, as they came over the channel. */
  requestBytes = 0;
  /** Requests that were refused for want of capacity. */
  refusalCount = 0;
  /** Time from arrival to the first turn, of the requests that had one, ms. */
  waitSumMs = 0;
  waitMaxMs = 0;
  /** Measured time that its requests held the event loop, ms. */
  executionMs = 0;
  /** Origins that are charged to it, each once per kind of work. */
  originCount = 0;

  constructor(owner: Owner) {
    this.owner = owner;
    this.turns = new OwnerTurns(owner.weight);
  }

  noteWait(waitMs: number): void {
    this.waitSumMs += waitMs;
    if (waitMs > this.waitMaxMs) this.waitMaxMs = waitMs;
  }
}
