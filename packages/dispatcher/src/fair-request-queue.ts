import { LinkedList } from './linked-list.ts';
import { type OwnerOrder, OwnersByTime, OwnersByTurn, type SchedulingCost } from './owner-order.ts';
import { Lane, type OwnerTurns, type QueuedEntry, type RequestFlow } from './owner-turns.ts';
import type { TurnList } from './turn-list.ts';

/**
 * Orders waiting requests on two levels: owners take turns by weight, and an owner's turns go round its flows, so that
 * with k busy flows each gets every k-th. On both levels who asks for little is served soon (`TurnList`). Inside a flow the order is
 * that of arrival; only where the front entry can't start, entries of another lane go before it. With cost 'turn' all operations are
 * O(1), but for looking for another lane.
 *
 * With one flow and one lane for everything it is a plain queue in arrival order, where nothing overtakes the front.
 */
export class FairRequestQueue<Entry extends QueuedEntry<Entry>> {
  /** Owners with waiting entries that may have their turn. */
  readonly #ready: OwnerOrder<Entry>;
  /** Owners none of whose entries could start, in the order they were passed over. */
  readonly #passedOver: LinkedList<OwnerTurns<Entry>> = new LinkedList();
  /** From one `readmit` to the next. */
  #round = 0;
  #nextOrder = 0;
  #length = 0;
  /** Entries that may go when the front of their flow can't: those that have started, and those in other lanes. */
  #exemptCount = 0;

  constructor(cost: SchedulingCost = 'turn') {
    this.#ready = cost === 'time' ? new OwnersByTime() : new OwnersByTurn();
  }

  /** Entries waiting, those of passed-over owners included. */
  get length(): number {
    return this.#length;
  }

  /** The next turn is of an owner, or of a flow of an owner, that came in before others that were waiting. */
  get isNextSparse(): boolean {
    return this.#ready.isFirstSparse || this.#ready.first?.flows.isFirstSparse === true;
  }

  enqueue(entry: Entry): void {
    entry.order = this.#nextOrder++;
    this.#lane(entry).pushBack(entry);
    this.#added(entry);
  }

  /**
   * Puts an entry that was taken before back to the front of its flow; its owner gets no extra turn. One that has started goes on
   * even while its flow is suspended or its owner is passed over: what it holds comes free only when it ends.
   */
  enqueueFront(entry: Entry): void {
    this.#lane(entry).pushFront(entry);
    this.#added(entry);
  }

  /** The entry whose turn it is; undefined when nothing waits or all owners are passed over. */
  peek(): Entry | undefined {
    for (let owner = this.#ready.first; owner !== undefined; owner = this.#ready.first) {
      const head = this.#headAmong(owner.flows);
      if (head !== undefined) return head;
      this.#setAside(owner);
    }
    return undefined;
  }

  /** Takes the entry that `peek` gives and uses up one turn of its owner. */
  take(): Entry | undefined {
    const entry = this.peek();
    if (entry === undefined) return undefined;
    const { flow } = entry;
    const { owner } = flow;
    // An entry that goes because those before it can't start doesn't change whose turn it is when they can.
    if (owner.flows.first === flow) owner.flows.rotate();
    this.remove(entry);
    this.#ready.turnUsed(owner);
    return entry;
  }

  /** A taken entry of this flow held the event loop for so long. */
  charge(flow: RequestFlow<Entry>, ms: number): void {
    const { owner } = flow;
    owner.flows.charge(flow, ms);
    this.#ready.charge(owner, ms);
  }

  /** Takes an entry out of turn, because it ended. @param entry one that waits here. */
  remove(entry: Entry): void {
    const { flow, lane } = entry;
    const wasFront = this.#lane(entry).first === entry;
    this.#lane(entry).remove(entry);
    this.#count(entry, -1);
    this.#update(flow);
    if (!wasFront || !flow.isMixed || entry.isWaitingForTurn) return;
    flow.owner.unblock(lane);
    this.#bringBack(flow);
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
    this.#bringBack(flow);
  }

  /**
   * The entry whose turn it is can't start now, nor can others of its owner in the same lane: they wait until `readmit`. Those in
   * other lanes, and those that have started, have the owner's turns meanwhile; without any, the owner is passed over.
   */
  passOver(): void {
    const entry = this.peek();
    if (entry !== undefined) entry.flow.owner.block(entry.lane, this.#round);
  }

  /** Gives owners that were passed over their turns back, in front of the others and in their old order. */
  readmit(): void {
    this.#round++;
    for (let owner = this.#passedOver.last; owner !== undefined; owner = this.#passedOver.last) {
      this.#passedOver.remove(owner);
      owner.isPassedOver = false;
      this.#ready.readmit(owner, true);
    }
  }

  /** Moves a flow, and what waits in it, to another owner. */
  moveFlow(flow: RequestFlow<Entry>, owner: OwnerTurns<Entry>): void {
    if (flow.owner === owner) return;
    if (flow.isListed) this.#sleep(flow);
    flow.owner = owner;
    this.#update(flow);
    this.#bringBack(flow);
  }

  /** Moves one entry to another flow, among those that came before and after it. Takes a step for each that came after. */
  moveEntry(entry: Entry, flow: RequestFlow<Entry>): void {
    this.remove(entry);
    entry.flow = flow;
    const lane = this.#lane(entry);
    let before = lane.last;
    // Those that have started are first, whatever their order: what they hold comes free only when they go on.
    while (before !== undefined && before.order > entry.order && !before.isWaitingForTurn) before = before.previousLink;
    lane.insertAfter(before, entry);
    // What couldn't start is not the front any more.
    if (flow.isMixed && lane.first === entry) flow.owner.unblock(entry.lane);
    this.#added(entry);
  }

  #lane(entry: Entry): LinkedList<Entry> {
    return entry.flow.lanes[entry.lane] as LinkedList<Entry>;
  }

  #added(entry: Entry): void {
    this.#count(entry, 1);
    this.#update(entry.flow);
    this.#bringBack(entry.flow);
  }

  #count(entry: Entry, change: number): void {
    this.#length += change;
    if (entry.lane !== Lane.Ordinary) entry.flow.protectedCount += change;
    if (entry.lane !== Lane.Ordinary || entry.isWaitingForTurn) this.#exemptCount += change;
  }

  /** The first entry of a flow that may have a turn in this round. */
  #headOf(flow: RequestFlow<Entry>): Entry | undefined {
    const { lanes } = flow;
    const ordinary = (lanes[Lane.Ordinary] as LinkedList<Entry>).first;
    let head = ordinary !== undefined && this.#mayGo(ordinary) ? ordinary : undefined;
    if (flow.protectedCount === 0) return head;
    for (let lane: number = Lane.Reconnect; lane < lanes.length; lane++) {
      const entry = lanes[lane]?.first;
      if (entry !== undefined && this.#mayGo(entry) && (head === undefined || entry.order < head.order)) head = entry;
    }
    return head;
  }

  #mayGo({ flow, lane, isWaitingForTurn }: Entry): boolean {
    return isWaitingForTurn || (!flow.isSuspended && !flow.owner.isBlocked(lane, this.#round));
  }

  /** The first entry of an owner's flows that may have a turn in this round. */
  #headAmong(flows: TurnList<RequestFlow<Entry>>): Entry | undefined {
    const first = flows.first as RequestFlow<Entry>;
    let head = this.#headOf(first);
    if (this.#exemptCount === 0) return head;
    for (let flow = first.nextLink; head === undefined && flow !== undefined; flow = flow.nextLink) head = this.#headOf(flow);
    return head;
  }

  #setAside(owner: OwnerTurns<Entry>): void {
    this.#ready.remove(owner);
    this.#passedOver.pushBack(owner);
    owner.isPassedOver = true;
  }

  /** The flow's owner may have its turn again if this flow has an entry that may go. */
  #bringBack(flow: RequestFlow<Entry>): void {
    const { owner } = flow;
    if (!owner.isPassedOver || !flow.isListed || this.#headOf(flow) === undefined) return;
    this.#passedOver.remove(owner);
    owner.isPassedOver = false;
    this.#ready.readmit(owner, false);
  }

  /** Lists the flow with its owner if it has an entry that may have a turn in some round, or takes it out. */
  #update(flow: RequestFlow<Entry>): void {
    const mayGo = flow.isSuspended ? hasStarted(flow) : hasEntries(flow);
    if (mayGo === flow.isListed) return;
    if (mayGo) this.#wake(flow);
    else this.#sleep(flow);
  }

  #wake(flow: RequestFlow<Entry>): void {
    flow.isListed = true;
    const { owner } = flow;
    if (owner.flows.first === undefined) this.#ready.enter(owner);
    owner.flows.enter(flow);
  }

  #sleep(flow: RequestFlow<Entry>): void {
    flow.isListed = false;
    const { owner } = flow;
    owner.flows.remove(flow);
    if (owner.flows.first !== undefined) return;
    if (owner.isPassedOver) this.#passedOver.remove(owner);
    else this.#ready.remove(owner);
    owner.isPassedOver = false;
  }
}

function hasEntries<Entry extends QueuedEntry<Entry>>(flow: RequestFlow<Entry>): boolean {
  return flow.protectedCount > 0 || flow.lanes[Lane.Ordinary]?.first !== undefined;
}

/** Whether an entry that has started waits at the front of a lane. */
function hasStarted<Entry extends QueuedEntry<Entry>>(flow: RequestFlow<Entry>): boolean {
  return flow.lanes.some(({ first }) => first?.isWaitingForTurn === true);
}
