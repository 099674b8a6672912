import type { IncomingRequest, SessionContext, SessionResolver } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { DispatchedRequest } from './dispatched-request.ts';
import type { FairRequestQueue } from './fair-request-queue.ts';
import type { OriginRegistry } from './origin-registry.ts';
import { Lane } from './owner-turns.ts';
import type { OriginCaller, RequestOrigin } from './request-origin.ts';
import type { ServiceDefinition } from './service-table.ts';
import type { TurnSlice } from './time-slice.ts';

/** What `RequestClassification` works with. */
export interface RequestClassificationParts {
  readonly sessions: SessionResolver;
  readonly origins: OriginRegistry;
  readonly queue: FairRequestQueue<DispatchedRequest>;
  readonly slice: TurnSlice;
}

/**
 * Says who is charged for a request and which reserve it may use: when it comes, and again before it runs, because a mapping, its
 * Session or its user may have changed while it waited.
 */
export class RequestClassification {
  readonly #parts: RequestClassificationParts;

  constructor(parts: RequestClassificationParts) {
    this.#parts = parts;
  }

  /**
   * The Session that a request needs before it may wait; undefined for a service that needs none.
   * @throws UaStatusError what the look-up says.
   */
  sessionOf({ header, channel, receivedAtMs }: IncomingRequest, service: ServiceDefinition): SessionContext | undefined {
    if (service.session === 'none') return undefined;
    return this.#parts.sessions.resolve(header.authenticationToken, channel, service.session === 'activated', receivedAtMs);
  }

  /** Who is charged for a request that comes from `origin`: the ordinary caller unless a live Session vouches for its work. */
  callerOf(origin: RequestOrigin, service: ServiceDefinition, incoming: IncomingRequest, nowMs: number): OriginCaller {
    const { work } = service;
    const voucher = work === undefined ? undefined : this.#voucherOf(origin, service, incoming, nowMs);
    if (work === undefined || voucher === undefined) return origin.callerOf(Lane.Ordinary);
    return this.#parts.origins.classifyWork(origin, work, voucher);
  }

  /**
   * Looks once more at a request whose turn it is: time and Session may have run out while it waited.
   * @returns why it can't start, or undefined.
   */
  reasonNotToStart(request: DispatchedRequest): UaStatusError | undefined {
    const { nowMs } = this.#parts.slice;
    if (nowMs >= request.deadlineMs) return new UaStatusError(StatusCodes.BadTimeout, 'timeoutHint passed in the queue');
    const { session, channel } = request.origin;
    const { sessions } = this.#parts;
    if (session === undefined || sessions.isBound(session, channel, nowMs)) return undefined;
    try {
      sessions.resolve(request.header.authenticationToken, channel, request.service.session === 'activated', nowMs);
      return undefined;
    } catch (error) {
      return error instanceof UaStatusError
        ? error
        : new UaStatusError(StatusCodes.BadInternalError, 'session look-up failed', { cause: error });
    }
  }

  /**
   * Classifies a request whose turn it is anew. Another owner is charged from now on; what it took to wait stays with the old one.
   * @returns false when it isn't its turn any more: it waits among the requests of another owner, or without a reserve.
   */
  renew(request: DispatchedRequest): boolean {
    const { origins, queue, slice } = this.#parts;
    const { origin, incoming, service } = request;
    // An owner that changes each time it is asked for must not keep the turn from ending.
    if (origin.movedInTurn !== slice.turn) {
      const before = request.flow.owner;
      origins.classify(origin);
      if (request.flow.owner !== before) origin.movedInTurn = slice.turn;
    }
    request.caller = request.work === undefined ? origin.callerOf(Lane.Ordinary) : this.callerOf(origin, service, incoming, slice.nowMs);
    if (request.work !== undefined && request.caller === origin.callerOf(Lane.Ordinary)) this.#withdrawReserve(request);
    return queue.peek() === request;
  }

  /** Nobody vouches for the request any more: it waits like ordinary work. */
  #withdrawReserve(request: DispatchedRequest): void {
    const { queue } = this.#parts;
    request.work = undefined;
    if (request.lane === Lane.Ordinary) return;
    queue.remove(request);
    request.lane = Lane.Ordinary;
    queue.enqueue(request);
  }

  #voucherOf(origin: RequestOrigin, service: ServiceDefinition, incoming: IncomingRequest, nowMs: number): SessionContext | undefined {
    if (service.session !== 'none') return origin.boundSession;
    // ActivateSession: the Session that comes back is bound to another channel until it succeeds.
    return this.#parts.sessions.findReturning(incoming.header.authenticationToken, incoming.channel, nowMs);
  }
}
