import { type Linked, LinkedList } from './linked-list.ts';

/** Takes turns in a `TurnList`; the list alone writes these fields. */
export interface TurnTaker<T> extends Linked<T> {
  /** When it was put behind the others last, counted by such events of the list. */
  placedAt: number;
  /** How many such events there had been when its turn was noted last; -1 before that. */
  servedAt: number;
}

/**
 * Those who take turns, in the order of their turns. Who comes in goes before those that are waiting for another turn, unless one of
 * them has waited since a turn of its own was noted: so it is served soon when it asks for little, and still nobody is noted twice
 * while another who waits has no turn. All operations are O(1).
 */
export class TurnList<T extends TurnTaker<T>> {
  readonly #list: LinkedList<T> = new LinkedList();
  /** The last one of those at the front that came in before the others. */
  #lastSparse: T | undefined = undefined;
  #places = 0;

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

  /** It had a turn that counts; it may have left since. */
  noteTurn(taker: T): void {
    taker.servedAt = this.#places;
  }

  /** Puts the first one behind the others. */
  rotate(): void {
    const { first } = this.#list;
    if (first === undefined) return;
    this.remove(first);
    this.pushBack(first);
  }
}
