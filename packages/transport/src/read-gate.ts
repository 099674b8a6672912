import type { ByteTransport } from '@bulkhead/contracts';
import type { ReadTurns, ReadTurnTaker } from './read-turns.ts';

/** Why a connection doesn't read at the moment; bits of `ReadGate`. */
export const ReadBlocker: {
  /** An OpenSecureChannel request is being answered. */
  readonly Opening: 1;
  /** Enough requests wait to be dispatched. */
  readonly ReadAhead: 2;
  /** The peer doesn't take its responses. */
  readonly Paced: 4;
  /** This turn's reading time is used up. */
  readonly Turn: 8;
} = { Opening: 1, ReadAhead: 2, Paced: 4, Turn: 8 };
export type ReadBlocker = (typeof ReadBlocker)[keyof typeof ReadBlocker];

/** Holds back the reading of one connection while there is a reason to: pauses the transport and later goes on in a fresh turn. */
export class ReadGate implements ReadTurnTaker {
  readonly #transport: ByteTransport;
  readonly #turns: ReadTurns;
  readonly #read: () => void;
  #blockers = 0;
  #isPaused = false;
  #isReading = false;

  /** @param read parses what has come until the gate closes; called in a later turn once no reason is left. */
  constructor(transport: ByteTransport, turns: ReadTurns, read: () => void) {
    this.#transport = transport;
    this.#turns = turns;
    this.#read = read;
  }

  get isOpen(): boolean {
    return this.#blockers === 0;
  }

  has(blocker: ReadBlocker): boolean {
    return (this.#blockers & blocker) !== 0;
  }

  /** The caller of `read`, or of anything it calls, doesn't need `settle`. */
  block(blocker: ReadBlocker): void {
    this.#blockers |= blocker;
  }

  /** Reading goes on in a later turn, never at once: this may be called from deep inside a dispatch. */
  unblock(blocker: ReadBlocker): void {
    if ((this.#blockers & blocker) === 0) return;
    this.#blockers &= ~blocker;
    if (this.#blockers === 0 && !this.#isReading) this.#waitForTurn();
  }

  /** Runs `read` unless there is a reason not to. */
  tryRead(): void {
    if (this.#blockers !== 0) return;
    this.#isReading = true;
    this.#read();
    this.#isReading = false;
    this.settle();
  }

  /** True when this connection has to go on in a later turn; it is queued for that then. */
  yieldsTurn(): boolean {
    if (!this.#turns.isSpent()) return false;
    this.#waitForTurn();
    return true;
  }

  /** Pauses or resumes the transport as the reasons stand now. */
  settle(): void {
    const shouldPause = this.#blockers !== 0;
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    if (shouldPause) this.#transport.pause();
    else this.#transport.resume();
  }

  /** Drops every reason, so that what the peer still sends can be discarded. */
  release(): void {
    this.#blockers = 0;
    this.settle();
  }

  takeReadTurn(): void {
    this.#blockers &= ~ReadBlocker.Turn;
    this.tryRead();
  }

  #waitForTurn(): void {
    this.#blockers |= ReadBlocker.Turn;
    this.#turns.enqueue(this);
  }
}
