import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import type { CallerEvidence, Owner, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { UserTokenType } from '@bulkhead/types';
import type { DispatchedRequest } from './dispatched-request.ts';
import { type FairRequestQueue, OwnerTurns, RequestFlow } from './fair-request-queue.ts';
import { OwnerRecord, RequestOrigin } from './request-origin.ts';

/** SHA-1 thumbprint of a channel's client certificate (DER, perhaps with its chain). */
export type ThumbprintOf = (clientCertificate: Buffer) => string;

/** Beyond this many Sessions on one channel, origins of dead Sessions are looked for when one is added. */
const SWEEP_THRESHOLD = 8;

/**
 * Knows the origins of requests and their owners. An origin lives as long as its channel and Session, or its last request
 * if that ends later; so their number is bounded by those of channels, Sessions and admitted requests.
 */
export class OriginRegistry {
  readonly #provider: ResourceIsolationProvider;
  readonly #queue: FairRequestQueue<DispatchedRequest>;
  readonly #thumbprintOf: ThumbprintOf | undefined;
  /** The one flow of everybody when requests run in arrival order. */
  readonly #commonFlow: RequestFlow<DispatchedRequest> | undefined;
  readonly #channels: Map<SecureChannelContext, Map<SessionContext | undefined, RequestOrigin>> = new Map();
  readonly #owners: Map<string, OwnerRecord> = new Map();

  constructor(
    provider: ResourceIsolationProvider,
    queue: FairRequestQueue<DispatchedRequest>,
    isFair: boolean,
    thumbprintOf: ThumbprintOf | undefined,
  ) {
    this.#provider = provider;
    this.#queue = queue;
    this.#thumbprintOf = thumbprintOf;
    this.#commonFlow = isFair ? undefined : new RequestFlow(new OwnerTurns(1));
  }

  /** Owners that have origins now. */
  owners(): IterableIterator<OwnerRecord> {
    return this.#owners.values();
  }

  /** The origin of a request, its owner up to date. */
  originOf(channel: SecureChannelContext, session: SessionContext | undefined): RequestOrigin {
    const origin = this.#channels.get(channel)?.get(session);
    if (origin === undefined) return this.#add(channel, session);
    this.refreshOwner(origin);
    return origin;
  }

  /** Classifies the caller anew if its identity changed since; waiting requests move along. */
  refreshOwner(origin: RequestOrigin): void {
    const identity = identityOf(origin.session);
    if (identity === origin.classifiedAs) return;
    const previous = origin.record;
    origin.classifiedAs = identity;
    origin.record = this.#recordOf(this.#classify(origin.channel, origin.session, identity));
    origin.record.originCount++;
    if (this.#commonFlow === undefined) this.#queue.moveFlow(origin.flow, origin.record.turns);
    this.#leaveOwner(previous);
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

  /** In arrival order there is one queue for all: then the responses of a slow reader are bounded by its connection alone. */
  setHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void {
    if (this.#commonFlow !== undefined) return;
    for (const { flow } of this.ofChannel(channel)) {
      if (isHeldBack) this.#queue.suspend(flow);
      else this.#queue.resume(flow);
    }
  }

  /** Forgets the channel's idle origins; the others go with their last request. */
  channelClosed(channel: SecureChannelContext): void {
    for (const origin of this.ofChannel(channel)) {
      origin.isChannelClosed = true;
      if (origin.isIdle) this.#drop(origin);
    }
  }

  #add(channel: SecureChannelContext, session: SessionContext | undefined): RequestOrigin {
    let bySession = this.#channels.get(channel);
    if (bySession === undefined) {
      bySession = new Map();
      this.#channels.set(channel, bySession);
    } else if (bySession.size >= SWEEP_THRESHOLD) {
      for (const origin of bySession.values()) if (origin.isIdle && origin.isGone) this.#drop(origin);
      this.#channels.set(channel, bySession);
    }
    const identity = identityOf(session);
    const record = this.#recordOf(this.#classify(channel, session, identity));
    const origin = new RequestOrigin(channel, session, this.#commonFlow ?? new RequestFlow(record.turns), record, identity);
    record.originCount++;
    bySession.set(session, origin);
    return origin;
  }

  #drop(origin: RequestOrigin): void {
    const bySession = this.#channels.get(origin.channel);
    if (bySession?.get(origin.session) !== origin) return;
    bySession.delete(origin.session);
    if (bySession.size === 0) this.#channels.delete(origin.channel);
    this.#leaveOwner(origin.record);
  }

  #leaveOwner(record: OwnerRecord): void {
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

  #classify(channel: SecureChannelContext, session: SessionContext | undefined, identity: UserIdentity | undefined): Owner {
    const certificate = channel.clientCertificate;
    const evidence: CallerEvidence = {
      address: channel.remote.address,
      applicationThumbprint: certificate === undefined ? undefined : this.#thumbprintOf?.(certificate),
      applicationUri: session?.clientApplicationUri,
      userName: identity === undefined || identity.kind === UserTokenType.Anonymous ? undefined : identity.name,
      hasActivatedSession: identity !== undefined,
    };
    return this.#provider.classify(evidence);
  }
}

/** One key may come in several classes; they take turns apart. */
function recordKey(owner: Owner): string {
  return `${owner.ownerClass}/${owner.key}`;
}

function identityOf(session: SessionContext | undefined): UserIdentity | undefined {
  return session?.isActivated === true ? session.identity : undefined;
}
