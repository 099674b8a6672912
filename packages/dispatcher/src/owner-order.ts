import { LinkedList } from './linked-list.ts';
import type { OwnerTurns, QueuedEntry } from './owner-turns.ts';
import { MIN_TURN_MS, TurnList } from './turn-list.ts';

/** What an owner's weight is a share of: turns, or the time that its requests hold the event loop. */
export type SchedulingCost = 'turn' | 'time';

/** Owners that may have their turn, in the order of their turns. */
export interface OwnerOrder<Entry extends QueuedEntry<Entry>> {
  /** Whose turn it is. */
  readonly first: OwnerTurns<Entry> | undefined;
  /** It came in before others that were waiting. */
  readonly isFirstSparse: boolean;
  /** It has entries again. */
  enter(owner: OwnerTurns<Entry>): void;
  remove(owner: OwnerTurns<Entry>): void;
  /** It comes back from being passed over. @param isBeforeOthers it has the turn that it couldn't use. */
  readmit(owner: OwnerTurns<Entry>, isBeforeOthers: boolean): void;
  /** The first one has used a turn. */
  turnUsed(owner: OwnerTurns<Entry>): void;
  /** Its entry held the event loop for so long. The owner may be anywhere. */
  charge(owner: OwnerTurns<Entry>, ms: number): void;
}

/** How long an owner may hold the event loop, while others wait for another turn, and come next each time it has something again. */
const OWNER_TURN_MS = 2;

/** Owners go round; each has as many turns in a row as its weight. One that had nothing waiting comes next. All operations are O(1). */
export class OwnersByTurn<Entry extends QueuedEntry<Entry>> implements OwnerOrder<Entry> {
  readonly #owners: TurnList<OwnerTurns<Entry>> = new TurnList(OWNER_TURN_MS);

  get first(): OwnerTurns<Entry> | undefined {
    return this.#owners.first;
  }

  get isFirstSparse(): boolean {
    return this.#owners.isFirstSparse;
  }

  enter(owner: OwnerTurns<Entry>): void {
    owner.turnsLeft = owner.weight;
    owner.isReady = true;
    this.#owners.enter(owner);
  }

  remove(owner: OwnerTurns<Entry>): void {
    owner.isReady = false;
    this.#owners.remove(owner);
  }

  readmit(owner: OwnerTurns<Entry>, isBeforeOthers: boolean): void {
    owner.isReady = true;
    if (isBeforeOthers) this.#owners.pushFront(owner);
    else this.#owners.pushBack(owner);
  }

  turnUsed(owner: OwnerTurns<Entry>): void {
    owner.turnsLeft--;
    if (!owner.isReady || owner.turnsLeft > 0) return;
    owner.turnsLeft = owner.weight;
    this.#owners.rotate();
  }

  /** Turns are what counts; time only says who asks for little. */
  charge(owner: OwnerTurns<Entry>, ms: number): void {
    this.#owners.charge(owner, ms);
  }
}

/**
 * The owner that has used least time for its weight is next. One that had nothing waiting starts where the others are: it can't
 * save time up, but what it used above its share stays. `first` and `turnUsed` are O(1); the others walk past owners that are
 * further behind.
 */
export class OwnersByTime<Entry extends QueuedEntry<Entry>> implements OwnerOrder<Entry> {
  readonly isFirstSparse: boolean = false;
  /** By `virtualMs`. */
  readonly #owners: LinkedList<OwnerTurns<Entry>> = new LinkedList();
  /** `virtualMs` of the owner that had the last turn. */
  #virtualMs = 0;

  get first(): OwnerTurns<Entry> | undefined {
    return this.#owners.first;
  }

  enter(owner: OwnerTurns<Entry>): void {
    owner.virtualMs = Math.max(owner.virtualMs, this.#virtualMs);
    this.#insert(owner);
  }

  remove(owner: OwnerTurns<Entry>): void {
    owner.isReady = false;
    this.#owners.remove(owner);
  }

  readmit(owner: OwnerTurns<Entry>): void {
    this.#insert(owner);
  }

  turnUsed(owner: OwnerTurns<Entry>): void {
    this.#virtualMs = Math.max(this.#virtualMs, owner.virtualMs);
  }

  charge(owner: OwnerTurns<Entry>, ms: number): void {
    owner.virtualMs += Math.max(ms, MIN_TURN_MS) / owner.weight;
    if (!owner.isReady) return;
    this.#owners.remove(owner);
    this.#insert(owner);
  }

  #insert(owner: OwnerTurns<Entry>): void {
    owner.isReady = true;
    let before = this.#owners.last;
    while (before !== undefined && before.virtualMs > owner.virtualMs) before = before.previousLink;
    this.#owners.insertAfter(before, owner);
  }
}
