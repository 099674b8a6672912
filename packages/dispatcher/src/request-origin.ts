import type { SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { DispatchedRequest } from './dispatched-request.ts';
import type { OwnerRecord } from './owner-record.ts';
import type { Lane, RequestFlow } from './owner-turns.ts';

/** Who is charged for one kind of work of an origin. */
export interface OriginCaller {
  /** As it was classified last. */
  owner: Owner;
  readonly record: OwnerRecord;
}

/** Where requests come from: one Session on one channel, or a channel outside of any Session. Takes turns as one. */
export class RequestOrigin {
  readonly channel: SecureChannelContext;
  readonly session: SessionContext | undefined;
  flow: RequestFlow<DispatchedRequest>;
  /** By lane. That of ordinary work says whose turns the flow has. */
  readonly callers: (OriginCaller | undefined)[] = [undefined, undefined, undefined];
  /** The turn in which the flow went to another owner last. */
  movedInTurn = -1;
  isChannelClosed = false;
  #firstLive: DispatchedRequest | undefined = undefined;

  constructor(channel: SecureChannelContext, session: SessionContext | undefined, flow: RequestFlow<DispatchedRequest>) {
    this.channel = channel;
    this.session = session;
    this.flow = flow;
  }

  /** @param lane one that was classified. */
  callerOf(lane: Lane): OriginCaller {
    return this.callers[lane] as OriginCaller;
  }

  /** The Session as long as it vouches for what comes from here. */
  get boundSession(): SessionContext | undefined {
    const { session } = this;
    return session?.isActivated === true && session.channel === this.channel ? session : undefined;
  }

  get isIdle(): boolean {
    return this.#firstLive === undefined;
  }

  /** Nothing more can come from here. */
  get isGone(): boolean {
    return this.isChannelClosed || (this.session !== undefined && this.boundSession === undefined);
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
