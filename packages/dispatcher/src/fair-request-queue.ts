import { type Linked, LinkedList } from './linked-list.ts';

/** The turns of one owner. */
export class OwnerTurns<Entry extends Linked<Entry>> implements Linked<OwnerTurns<Entry>> {
  /** Turns per round, >= 1. */
  readonly weight: number;
  /** Only the queue touches what follows. */
  turnsLeft = 0;
  /** Flows with waiting entries, next one first. */
  readonly flows: LinkedList<RequestFlow<Entry>> = new LinkedList();
  isPassedOver = false;
  previousLink: OwnerTurns<Entry> | undefined = undefined;
  nextLink: OwnerTurns<Entry> | undefined = undefined;

  constructor(weight: number) {
    this.weight = weight;
  }
}

/** The entries of one Session (or of a channel without one), first in, first out. */
export class RequestFlow<Entry extends Linked<Entry>> implements Linked<RequestFlow<Entry>> {
  /** Only the queue touches these fields. */
  owner: OwnerTurns<Entry>;
  readonly entries: LinkedList<Entry> = new LinkedList();
  isSuspended = false;
  /** It is among its owner's flows. */
  isListed = false;
  previousLink: RequestFlow<Entry> | undefined = undefined;
  nextLink: RequestFlow<Entry> | undefined = undefined;

  constructor(owner: OwnerTurns<Entry>) {
    this.owner = owner;
  }
}

/** What can wait in a `FairRequestQueue`. */
export interface QueuedEntry<Entry extends Linked<Entry>> extends Linked<Entry> {
  /** Where it waits; doesn't change while it does. */
  readonly flow: RequestFlow<Entry>;
  /** It has started already and only needs its next turn. Doesn't change while it waits. */
  readonly isWaitingForTurn: boolean;
}

/**
 * Orders waiting requests on two levels: owners take turns by weight, and an owner's turns go round its flows, so that
 * with k busy flows each gets every k-th. Inside a flow the order is that of arrival. All operations are O(1).
 *
 * With one flow for everything it is a plain queue in arrival order, where nothing overtakes the front.
 */
export class FairRequestQueue<Entry extends QueuedEntry<Entry>> {
  /** Owners with waiting entries that may have their turn; the next one first. */
  readonly #ready: LinkedList<OwnerTurns<Entry>> = new LinkedList();
  /** Owners whose front entry couldn't start, in the order they were passed over. */
  readonly #passedOver: LinkedList<OwnerTurns<Entry>> = new LinkedList();
  #length = 0;
  /** Entries among them that have started. */
  #startedCount = 0;

  /** Entries waiting, those of passed-over owners included. */
  get length(): number {
    return this.#length;
  }

  enqueue(entry: Entry): void {
    entry.flow.entries.pushBack(entry);
    this.#length++;
    this.#update(entry.flow);
  }

  /**
   * Puts an entry that was taken before back to the front of its flow; its owner gets no extra turn. It goes on even while
   * its flow is suspended or its owner is passed over: what it holds comes free only when it ends.
   */
  enqueueFront(entry: Entry): void {
    const { flow } = entry;
    flow.entries.pushFront(entry);
    this.#length++;
    if (entry.isWaitingForTurn) this.#startedCount++;
    this.#update(flow);
    const { owner } = flow;
    if (!owner.isPassedOver) return;
    this.#passedOver.remove(owner);
    owner.isPassedOver = false;
    this.#ready.pushBack(owner);
  }

  /** The entry whose turn it is; undefined when nothing waits or all owners are passed over. */
  peek(): Entry | undefined {
    return this.#ready.first?.flows.first?.entries.first;
  }

  /** Takes the entry that `peek` gives and uses up one turn of its owner. */
  take(): Entry | undefined {
    const owner = this.#ready.first;
    const flow = owner?.flows.first;
    const entry = flow?.entries.first;
    if (owner === undefined || flow === undefined || entry === undefined) return undefined;
    owner.turnsLeft--;
    owner.flows.rotate();
    this.remove(entry);
    if (owner.flows.first !== undefined && owner.turnsLeft <= 0) {
      owner.turnsLeft = owner.weight;
      this.#ready.rotate();
    }
    return entry;
  }

  /** Takes an entry out of turn, because it ended. @param entry one that waits here. */
  remove(entry: Entry): void {
    const flow = entry.flow;
    flow.entries.remove(entry);
    this.#length--;
    if (entry.isWaitingForTurn) this.#startedCount--;
    this.#update(flow);
  }

  /** Takes a flow out of its owner's turns; entries that haven't started keep their order and wait. */
  suspend(flow: RequestFlow<Entry>): void {
    flow.isSuspended = true;
    this.#update(flow);
  }

  /** Gives a suspended flow its turns back. */
  resume(flow: RequestFlow<Entry>): void {
    flow.isSuspended = false;
    this.#update(flow);
  }

  /**
   * Sets the owner whose turn it is aside until `readmit`: its entry can't start now, others' may. An owner with an entry that
   * has started gives its turn to that one instead.
   */
  passOver(): void {
    const owner = this.#ready.first;
    if (owner === undefined) return;
    const started = this.#startedCount > 0 ? startedFlowOf(owner) : undefined;
    if (started !== undefined) {
      owner.flows.remove(started);
      owner.flows.pushFront(started);
      return;
    }
    this.#ready.remove(owner);
    this.#passedOver.pushBack(owner);
    owner.isPassedOver = true;
  }

  /** Gives owners that were passed over their turns back, in front of the others and in their old order. */
  readmit(): void {
    for (let owner = this.#passedOver.last; owner !== undefined; owner = this.#passedOver.last) {
      this.#passedOver.remove(owner);
      this.#ready.pushFront(owner);
      owner.isPassedOver = false;
    }
  }

  /** Moves a flow, and what waits in it, to another owner. */
  moveFlow(flow: RequestFlow<Entry>, owner: OwnerTurns<Entry>): void {
    if (flow.owner === owner) return;
    if (flow.isListed) this.#sleep(flow);
    flow.owner = owner;
    this.#update(flow);
  }

  /** Lists the flow with its owner if its front entry may have a turn, or takes it out. */
  #update(flow: RequestFlow<Entry>): void {
    const { first } = flow.entries;
    const mayGo = first !== undefined && (!flow.isSuspended || first.isWaitingForTurn);
    if (mayGo === flow.isListed) return;
    if (mayGo) this.#wake(flow);
    else this.#sleep(flow);
  }

  #wake(flow: RequestFlow<Entry>): void {
    flow.isListed = true;
    const owner = flow.owner;
    if (owner.flows.first === undefined) {
      owner.turnsLeft = owner.weight;
      this.#ready.pushBack(owner);
    }
    owner.flows.pushBack(flow);
  }

  #sleep(flow: RequestFlow<Entry>): void {
    flow.isListed = false;
    const owner = flow.owner;
    owner.flows.remove(flow);
    if (owner.flows.first !== undefined) return;
    if (owner.isPassedOver) this.#passedOver.remove(owner);
    else this.#ready.remove(owner);
    owner.isPassedOver = false;
  }
}

function startedFlowOf<Entry extends QueuedEntry<Entry>>(owner: OwnerTurns<Entry>): RequestFlow<Entry> | undefined {
  for (let flow = owner.flows.first; flow !== undefined; flow = flow.nextLink) {
    if (flow.entries.first?.isWaitingForTurn) return flow;
  }
  return undefined;
}
