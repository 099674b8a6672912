import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { DispatchedRequest } from './dispatched-request.ts';
import { OwnerTurns, type RequestFlow } from './fair-request-queue.ts';

/** An owner that has origins here, and what it used. */
export class OwnerRecord {
  readonly owner: Owner;
  readonly turns: OwnerTurns<DispatchedRequest>;
  /** Measured time that its requests held the event loop, in ms, since this owner appeared. */
  executionMs = 0;
  originCount = 0;

  constructor(owner: Owner) {
    this.owner = owner;
    this.turns = new OwnerTurns(owner.weight);
  }
}

/** Where requests come from: one Session on one channel, or a channel outside of any Session. Takes turns as one. */
export class RequestOrigin {
  readonly channel: SecureChannelContext;
  readonly session: SessionContext | undefined;
  readonly flow: RequestFlow<DispatchedRequest>;
  record: OwnerRecord;
  /** What `record` was decided by. */
  classifiedAs: UserIdentity | undefined;
  isChannelClosed = false;
  #firstLive: DispatchedRequest | undefined = undefined;

  constructor(
    channel: SecureChannelContext,
    session: SessionContext | undefined,
    flow: RequestFlow<DispatchedRequest>,
    record: OwnerRecord,
    classifiedAs: UserIdentity | undefined,
  ) {
    this.channel = channel;
    this.session = session;
    this.flow = flow;
    this.record = record;
    this.classifiedAs = classifiedAs;
  }

  get isIdle(): boolean {
    return this.#firstLive === undefined;
  }

  /** Nothing more can come from here. */
  get isGone(): boolean {
    const session = this.session;
    return this.isChannelClosed || (session !== undefined && !(session.isActivated && session.channel === this.channel));
  }

  addLive(request: DispatchedRequest): void {
    const first = this.#firstLive;
    request.nextLive = first;
    if (first !== undefined) first.previousLive = request;
    this.#firstLive = request;
  }

  removeLive(request: DispatchedRequest): void {
    const { previousLive, nextLive } = request;
    if (previousLive !== undefined) previousLive.nextLive = nextLive;
    else this.#firstLive = nextLive;
    if (nextLive !== undefined) nextLive.previousLive = previousLive;
    request.previousLive = undefined;
    request.nextLive = undefined;
  }

  /** A copy of the live requests, so that they may end while it is walked; newest first. */
  liveRequests(): DispatchedRequest[] {
    const requests: DispatchedRequest[] = [];
    for (let request = this.#firstLive; request !== undefined; request = request.nextLive) requests.push(request);
    return requests;
  }
}
