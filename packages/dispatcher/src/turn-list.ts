import { type Linked, LinkedList } from './linked-list.ts';

/** Takes turns in a `TurnList`; the list alone writes these fields. */
export interface TurnTaker<T> extends Linked<T> {
  /** When it was put behind the others last, counted by such events of the list. */
  placedAt: number;
  /** How many such events there had been when it had used up its time last; -1 before that. */
  servedAt: number;
  /** Time used since it was counted from 0 last, ms. */
  sparseMs: number;
  /** How many such events there had been then. */
  sparseFrom: number;
}

/** A turn costs this much at least: what is done for any request, and what keeps turns going where the clock stands still. */
export const MIN_TURN_MS = 0.01;

/**
 * Those who take turns, in the order of their turns. Who comes in goes before those that are waiting for another turn: so it is
 * served soon when it asks for little. What it asks for is one turn until it has held the event loop for `turnMs`, or the others have gone
 * round; in the former case it stands behind them next. So nobody has a second turn while another who waits has none. All operations are O(1).
 */
export class TurnList<T extends TurnTaker<T>> {
  readonly #list: LinkedList<T> = new LinkedList();
  /** The last one of those at the front that came in before the others. */
  #lastSparse: T | undefined = undefined;
  #places = 0;
  readonly #turnMs: number;

  /** @param turnMs how long one may hold the event loop, by and by, and still come in before others. */
  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  get first(): T | undefined {
    return this.#list.first;
  }

  /** The next turn is of one that came in before others. */
  get isFirstSparse(): boolean {
    return this.#lastSparse !== undefined;
  }

  enter(taker: T): void {
    const waiting = this.#lastSparse === undefined ? this.#list.first : this.#lastSparse.nextLink;
    if (waiting !== undefined && waiting.placedAt <= taker.servedAt) return this.pushBack(taker);
    // Everybody who waits has been put behind the others since: they have gone round.
    if (waiting === undefined || waiting.placedAt > taker.sparseFrom) this.#countFromHere(taker);
    this.#list.insertAfter(this.#lastSparse, taker);
    this.#lastSparse = taker;
  }

  pushBack(taker: T): void {
    taker.placedAt = ++this.#places;
    this.#list.pushBack(taker);
  }

  pushFront(taker: T): void {
    this.#list.pushFront(taker);
  }

  remove(taker: T): void {
    if (taker === this.#lastSparse) this.#lastSparse = taker.previousLink;
    this.#list.remove(taker);
  }

  /** It held the event loop for so long; it may have left since. */
  charge(taker: T, ms: number): void {
    taker.sparseMs += Math.max(ms, MIN_TURN_MS);
    if (taker.sparseMs < this.#turnMs) return;
    taker.servedAt = this.#places;
    this.#countFromHere(taker);
  }

  /** Puts the first one behind the others. */
  rotate(): void {
    const { first } = this.#list;
    if (first === undefined) return;
    this.remove(first);
    this.pushBack(first);
  }

  #countFromHere(taker: T): void {
    taker.sparseMs = 0;
    taker.sparseFrom = this.#places;
  }
}
