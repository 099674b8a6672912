import { type Linked, LinkedList } from './linked-list.ts';
import { TurnList, type TurnTaker } from './turn-list.ts';

/** Kinds of work that may find room when another kind finds none: each has capacity of its own. */
export const Lane: { readonly Ordinary: 0; readonly Reconnect: 1; readonly Control: 2 } = { Ordinary: 0, Reconnect: 1, Control: 2 };
export type Lane = (typeof Lane)[keyof typeof Lane];

/** How long a Session may hold the event loop and come next among those of its owner each time it has something again: the time of one large Read or of a dozen small ones. */
const FLOW_TURN_MS = 0.25;

/** The turns of one owner. */
export class OwnerTurns<Entry extends QueuedEntry<Entry>> implements TurnTaker<OwnerTurns<Entry>> {
  /** Turns per round, or share of the time; >= 1. */
  weight: number;
  /** Only the queue touches what follows. */
  turnsLeft = 0;
  /** Time used so far, divided by weight, ms. */
  virtualMs = 0;
  /** Flows with waiting entries, next one first. */
  readonly flows: TurnList<RequestFlow<Entry>> = new TurnList(FLOW_TURN_MS);
  isPassedOver = false;
  /** It is among the owners that may have their turn. */
  isReady = false;
  placedAt = 0;
  servedAt = -1;
  sparseMs = 0;
  sparseFrom = 0;
  previousLink: OwnerTurns<Entry> | undefined = undefined;
  nextLink: OwnerTurns<Entry> | undefined = undefined;
  #blockedLanes = 0;
  #blockedInRound = -1;

  constructor(weight: number) {
    this.weight = weight;
  }

  /** Nothing of this lane can start in this round. */
  block(lane: Lane, round: number): void {
    if (this.#blockedInRound !== round) this.#blockedLanes = 0;
    this.#blockedInRound = round;
    this.#blockedLanes |= 1 << lane;
  }

  /** What couldn't start is gone. */
  unblock(lane: Lane): void {
    this.#blockedLanes &= ~(1 << lane);
  }

  isBlocked(lane: Lane, round: number): boolean {
    return this.#blockedInRound === round && (this.#blockedLanes & (1 << lane)) !== 0;
  }
}

/** The entries of one Session (or of a channel without one): first in, first out, but for lanes that can't start. */
export class RequestFlow<Entry extends QueuedEntry<Entry>> implements TurnTaker<RequestFlow<Entry>> {
  /** Only the queue touches these fields. */
  owner: OwnerTurns<Entry>;
  readonly lanes: readonly LinkedList<Entry>[] = [new LinkedList(), new LinkedList(), new LinkedList()];
  /** Entries in other lanes than the ordinary one. */
  protectedCount = 0;
  isSuspended = false;
  /** It is among its owner's flows. */
  isListed = false;
  placedAt = 0;
  servedAt = -1;
  sparseMs = 0;
  sparseFrom = 0;
  previousLink: RequestFlow<Entry> | undefined = undefined;
  nextLink: RequestFlow<Entry> | undefined = undefined;

  /** Entries of several owners, so that one may find room where the one before it doesn't. */
  readonly isMixed: boolean;

  constructor(owner: OwnerTurns<Entry>, isMixed = false) {
    this.owner = owner;
    this.isMixed = isMixed;
  }
}

/** What can wait in a `FairRequestQueue`. */
export interface QueuedEntry<Entry extends QueuedEntry<Entry>> extends Linked<Entry> {
  /** Where it waits; only the queue changes it while it does. */
  flow: RequestFlow<Entry>;
  /** Doesn't change while it waits. */
  readonly lane: Lane;
  /** It has started already and only needs its next turn. Doesn't change while it waits. */
  readonly isWaitingForTurn: boolean;
  /** Its place among the entries of its flow; the queue sets it. */
  order: number;
}
