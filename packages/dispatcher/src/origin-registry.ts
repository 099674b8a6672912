import type { CallerOwners, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import type { Owner, ProtectedWork } from '@bulkhead/resource-isolation';
import type { DispatchedRequest } from './dispatched-request.ts';
import type { FairRequestQueue } from './fair-request-queue.ts';
import { OwnerRecord } from './owner-record.ts';
import { Lane, OwnerTurns, RequestFlow } from './owner-turns.ts';
import { type OriginCaller, RequestOrigin } from './request-origin.ts';

/** Beyond this many Sessions on one channel, origins of dead Sessions are looked for when one is added. */
const SWEEP_THRESHOLD = 8;

/**
 * Knows the origins of requests and who is charged for them. An origin lives as long as its channel and Session, or its last
 * request if that ends later; so their number is bounded by those of channels, Sessions and admitted requests.
 */
export class OriginRegistry {
  readonly #callerOwners: CallerOwners;
  readonly #queue: FairRequestQueue<DispatchedRequest>;
  /** The one flow of everybody when requests run in arrival order. */
  readonly #commonFlow: RequestFlow<DispatchedRequest> | undefined;
  readonly #channels: Map<SecureChannelContext, Map<SessionContext | undefined, RequestOrigin>> = new Map();
  readonly #owners: Map<string, OwnerRecord> = new Map();
  readonly #heldBack: WeakSet<SecureChannelContext> = new WeakSet();

  constructor(callerOwners: CallerOwners, queue: FairRequestQueue<DispatchedRequest>, isFair: boolean) {
    this.#callerOwners = callerOwners;
    this.#queue = queue;
    this.#commonFlow = isFair ? undefined : new RequestFlow(new OwnerTurns(1), true);
  }

  /** Whether owners take turns; in arrival order nothing goes before the front request. */
  get isFair(): boolean {
    return this.#commonFlow === undefined;
  }

  /** Owners that have origins now. */
  owners(): IterableIterator<OwnerRecord> {
    return this.#owners.values();
  }

  /** The origin of a request, the owner of its ordinary work up to date. */
  originOf(channel: SecureChannelContext, session: SessionContext | undefined): RequestOrigin {
    const origin = this.#channels.get(channel)?.get(session);
    if (origin === undefined) return this.#add(channel, session);
    this.classify(origin);
    return origin;
  }

  /** Whose turns the origin has and who is charged for its ordinary work, by what is known now. Waiting requests move along. */
  classify(origin: RequestOrigin): OriginCaller {
    return this.#callerOf(origin, Lane.Ordinary, this.#callerOwners.ownerOf(origin.channel, origin.boundSession));
  }

  /** Who is charged for work that `voucher` vouches for, by what is known now. */
  classifyWork(origin: RequestOrigin, work: ProtectedWork, voucher: SessionContext): OriginCaller {
    return this.#callerOf(origin, Lane[work], this.#callerOwners.ownerOf(origin.channel, voucher, work));
  }

  /** A request of this origin ended. */
  requestEnded(origin: RequestOrigin): void {
    if (origin.isIdle && origin.isGone) this.#drop(origin);
  }

  /** Origins of one channel. */
  ofChannel(channel: SecureChannelContext): RequestOrigin[] {
    return [...(this.#channels.get(channel)?.values() ?? [])];
  }

  /** Origins of one Session: the channel it is bound to, and older channels with requests still open. */
  ofSession(session: SessionContext): RequestOrigin[] {
    const origins: RequestOrigin[] = [];
    for (const bySession of this.#channels.values()) {
      const origin = bySession.get(session);
      if (origin !== undefined) origins.push(origin);
    }
    return origins;
  }

  all(): RequestOrigin[] {
    return [...this.#channels.values()].flatMap((bySession) => [...bySession.values()]);
  }

  /** What waits for a channel that is held back starts when that ends; others go on meanwhile, in arrival order too. */
  setHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void {
    if (isHeldBack) this.#heldBack.add(channel);
    else this.#heldBack.delete(channel);
    for (const origin of this.ofChannel(channel)) this.#setHeldBack(origin, isHeldBack);
  }

  /** Forgets the channel's idle origins; the others go with their last request. */
  channelClosed(channel: SecureChannelContext): void {
    for (const origin of this.ofChannel(channel)) {
      origin.isChannelClosed = true;
      if (origin.isIdle) this.#drop(origin);
    }
  }

  #add(channel: SecureChannelContext, session: SessionContext | undefined): RequestOrigin {
    const bySession = this.#channels.get(channel) ?? new Map<SessionContext | undefined, RequestOrigin>();
    if (bySession.size >= SWEEP_THRESHOLD) {
      for (const origin of bySession.values()) if (origin.isIdle && origin.isGone) this.#drop(origin);
    }
    const owner = this.#callerOwners.ownerOf(channel, session);
    const record = this.#recordOf(owner);
    const origin = new RequestOrigin(channel, session, this.#commonFlow ?? new RequestFlow(record.turns));
    origin.callers[Lane.Ordinary] = { owner, record };
    record.originCount++;
    if (this.#heldBack.has(channel)) this.#setHeldBack(origin, true);
    bySession.set(session, origin);
    this.#channels.set(channel, bySession);
    return origin;
  }

  #setHeldBack(origin: RequestOrigin, isHeldBack: boolean): void {
    const common = this.#commonFlow;
    if (common === undefined) {
      if (isHeldBack) this.#queue.suspend(origin.flow);
      else this.#queue.resume(origin.flow);
      return;
    }
    if (isHeldBack === (origin.flow !== common)) return;
    origin.flow = isHeldBack ? suspendedFlow() : common;
    for (const request of origin.liveRequests()) if (request.phase === 'queued') this.#queue.moveEntry(request, origin.flow);
  }

  #drop(origin: RequestOrigin): void {
    const bySession = this.#channels.get(origin.channel);
    if (bySession?.get(origin.session) !== origin) return;
    bySession.delete(origin.session);
    if (bySession.size === 0) this.#channels.delete(origin.channel);
    for (const caller of origin.callers) if (caller !== undefined) this.#leave(caller.record);
  }

  #callerOf(origin: RequestOrigin, lane: Lane, owner: Owner): OriginCaller {
    const caller = origin.callers[lane];
    return caller !== undefined && caller.owner === owner ? caller : this.#setCaller(origin, lane, owner);
  }

  #setCaller(origin: RequestOrigin, lane: Lane, owner: Owner): OriginCaller {
    const previous = origin.callers[lane];
    const record = previous !== undefined && isSame(previous.owner, owner) ? previous.record : this.#recordOf(owner);
    record.turns.weight = owner.weight;
    if (previous?.record === record) {
      previous.owner = owner;
      return previous;
    }
    const caller: OriginCaller = { owner, record };
    origin.callers[lane] = caller;
    record.originCount++;
    if (lane === Lane.Ordinary && this.isFair) this.#queue.moveFlow(origin.flow, record.turns);
    if (previous !== undefined) this.#leave(previous.record);
    return caller;
  }

  #leave(record: OwnerRecord): void {
    if (--record.originCount === 0) this.#owners.delete(recordKey(record.owner));
  }

  #recordOf(owner: Owner): OwnerRecord {
    const key = recordKey(owner);
    let record = this.#owners.get(key);
    if (record === undefined) {
      record = new OwnerRecord(owner);
      this.#owners.set(key, record);
    }
    return record;
  }
}

/** Where requests wait that are taken out of arrival order. */
function suspendedFlow(): RequestFlow<DispatchedRequest> {
  const flow = new RequestFlow<DispatchedRequest>(new OwnerTurns(1));
  flow.isSuspended = true;
  return flow;
}

function isSame(a: Owner, b: Owner): boolean {
  return a.key === b.key && a.ownerClass === b.ownerClass;
}

/** One key may come in several classes; they take turns apart. */
function recordKey(owner: Owner): string {
  return `${owner.ownerClass}/${owner.key}`;
}
