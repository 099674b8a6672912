import type { IncomingRequest, RequestSink, Runtime, SecureChannelContext, SessionContext, SessionResolver } from '@bulkhead/contracts';
import type { Refusal, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { stageNames } from '@bulkhead/resource-isolation';
import { defaultEncodingLimits, type EncodingLimits, StatusCodes, UaStatusError } from '@bulkhead/types';
import { type BoundService, bindServices } from './bound-services.ts';
import { DispatchedRequest } from './dispatched-request.ts';
import { FairRequestQueue } from './fair-request-queue.ts';
import { OriginRegistry, type ThumbprintOf } from './origin-registry.ts';
import { RequestAdmission } from './request-admission.ts';
import { RequestDiagnostics } from './request-diagnostics.ts';
import { RequestExecution } from './request-execution.ts';
import type { OwnerRecord } from './request-origin.ts';
import { type ServiceDefinition, type ServiceHandlers, serviceTable } from './service-table.ts';
import { TurnSlice } from './time-slice.ts';

/** Options of a `RequestDispatcher`. */
export interface RequestDispatcherOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly sessions: SessionResolver;
  readonly handlers: ServiceHandlers;
  /** Default: every service of OPC 10000-4. */
  readonly table?: readonly ServiceDefinition[];
  /** Charged to RequestQueueBytes per admitted request; the server's MaxMessageSize. */
  readonly maxMessageBytes: number;
  /** Longest work in one turn of the event loop, ms. Default 5. */
  readonly sliceMs?: number;
  /** False: one queue in arrival order, where nothing overtakes the front. Default true. */
  readonly useFairScheduling?: boolean;
  /** False: a parked Publish keeps its execution slot. Default true. */
  readonly decoupleHeldPublishRequests?: boolean;
  /** RetryAfterMs of `BadServerTooBusy` when the refusal doesn't know better. Default 1,000. */
  readonly busyRetryAfterMs?: number;
  readonly encodingLimits?: EncodingLimits;
  /** Needed to tell owners by their application certificate; without it they are told by user or address. */
  readonly thumbprintOf?: ThumbprintOf;
}

const DEFAULT_SLICE_MS = 5;
const DEFAULT_BUSY_RETRY_AFTER_MS = 1_000;

/** Takes requests from connections, lets them wait and run by turns, and sees that each is answered once. */
export class RequestDispatcher implements RequestSink {
  /** Counts of requests since the start. */
  readonly diagnostics: RequestDiagnostics = new RequestDiagnostics();
  readonly #runtime: Runtime;
  readonly #sessions: SessionResolver;
  readonly #services: ReadonlyMap<number, BoundService>;
  readonly #admission: RequestAdmission;
  readonly #queue: FairRequestQueue<DispatchedRequest> = new FairRequestQueue();
  readonly #origins: OriginRegistry;
  readonly #slice: TurnSlice;
  readonly #execution: RequestExecution;
  #flushers: (() => void)[] = [];
  #isTurnPending = false;
  #isInTurn = false;
  #isStopped = false;

  constructor(options: RequestDispatcherOptions) {
    const { runtime, provider, sessions } = options;
    this.#runtime = runtime;
    this.#sessions = sessions;
    this.#services = bindServices(options.table ?? serviceTable, options.handlers);
    this.#admission = new RequestAdmission(provider, options.maxMessageBytes);
    this.#origins = new OriginRegistry(provider, this.#queue, options.useFairScheduling ?? true, options.thumbprintOf);
    this.#slice = new TurnSlice(runtime.clock, options.sliceMs ?? DEFAULT_SLICE_MS);
    this.#execution = new RequestExecution({
      runtime,
      provider,
      sessions,
      queue: this.#queue,
      origins: this.#origins,
      slice: this.#slice,
      diagnostics: this.diagnostics,
      encodingLimits: options.encodingLimits ?? defaultEncodingLimits,
      busyRetryAfterMs: options.busyRetryAfterMs ?? DEFAULT_BUSY_RETRY_AFTER_MS,
      parkingReleasesExecution: options.decoupleHeldPublishRequests ?? true,
      wake: () => this.#wake(),
    });
  }

  /** Requests that wait for their first or next turn. */
  get queuedCount(): number {
    return this.#queue.length;
  }

  /** Requests that hold an execution slot. */
  get executingCount(): number {
    return this.#execution.executingCount;
  }

  get parkedCount(): number {
    return this.#execution.parkedCount;
  }

  /** Owners known now, with the time their requests held the event loop. */
  owners(): IterableIterator<OwnerRecord> {
    return this.#origins.owners();
  }

  submit(incoming: IncomingRequest): void {
    if (!incoming.channel.isOpen) {
      incoming.leftQueue();
      return;
    }
    const service = this.#services.get(incoming.typeId);
    if (this.#isStopped) return this.#execution.refuse(incoming, new UaStatusError(StatusCodes.BadServerHalted, 'stopped'), service?.name);
    if (service === undefined)
      return this.#execution.refuse(incoming, new UaStatusError(StatusCodes.BadServiceUnsupported, `type ${incoming.typeId}`));
    try {
      this.#admit(incoming, service);
    } catch (error) {
      this.#execution.refuse(incoming, error, service.name);
    }
  }

  channelClosed(channel: SecureChannelContext): void {
    for (const origin of this.#origins.ofChannel(channel)) {
      for (const request of origin.liveRequests()) this.#execution.drop(request, StatusCodes.BadSecureChannelClosed);
    }
    this.#origins.channelClosed(channel);
  }

  channelHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void {
    this.#origins.setHeldBack(channel, isHeldBack);
    if (!isHeldBack) this.#wake();
  }

  /** Answers what is open for a Session that was closed with `BadSessionClosed`; its CloseSession goes on. */
  sessionClosed(session: SessionContext): void {
    for (const request of this.#liveRequestsOf(session)) {
      if (request.service.name !== 'CloseSession') this.#execution.cancel(request, StatusCodes.BadSessionClosed);
    }
  }

  /** Answers what a Session left open on the channel it moved away from with `BadSecureChannelClosed`. */
  sessionMoved(session: SessionContext, previous: SecureChannelContext): void {
    for (const request of this.#liveRequestsOf(session)) {
      if (request.channel === previous) this.#execution.cancel(request, StatusCodes.BadSecureChannelClosed);
    }
  }

  /**
   * The Cancel service (OPC 10000-4 §5.7.5): requests of the Session with this handle end with `BadRequestCancelledByClient`.
   * @returns how many were cancelled.
   */
  cancel(session: SessionContext, requestHandle: number): number {
    let count = 0;
    for (const request of this.#liveRequestsOf(session)) {
      if (request.header.requestHandle !== requestHandle || request.isAnswered || request.service.name === 'Cancel') continue;
      this.#execution.cancel(request, StatusCodes.BadRequestCancelledByClient);
      count++;
    }
    return count;
  }

  onTurnEnd(flush: () => void): void {
    this.#flushers.push(flush);
    this.#scheduleTurn();
  }

  /**
   * Answers whatever waits or is parked, and whatever comes from now on, with `BadServerHalted`. What runs may end.
   * Idempotent.
   */
  stop(): void {
    this.#isStopped = true;
    for (const origin of this.#origins.all()) {
      for (const request of origin.liveRequests()) {
        if (request.phase !== 'running') this.#execution.cancel(request, StatusCodes.BadServerHalted);
      }
    }
  }

  #admit(incoming: IncomingRequest, service: BoundService): void {
    const { channel, header } = incoming;
    let session: SessionContext | undefined;
    if (service.session !== 'none') {
      const needsActivation = service.session === 'activated';
      session = this.#sessions.resolve(header.authenticationToken, channel, needsActivation, incoming.receivedAtMs);
    }
    const origin = this.#origins.originOf(channel, session);
    const leases = this.#admission.admit(origin.record.owner, service);
    if (leases.kind === 'refusal') {
      this.#origins.requestEnded(origin);
      throw tooBusy(leases);
    }
    this.diagnostics.countReceived(service.name, session);
    const request = new DispatchedRequest(this.#execution, incoming, service, origin, leases);
    origin.addLive(request);
    this.#queue.enqueue(request);
    this.#scheduleTurn();
  }

  #liveRequestsOf(session: SessionContext): DispatchedRequest[] {
    return this.#origins.ofSession(session).flatMap((origin) => origin.liveRequests());
  }

  #wake(): void {
    if (this.#queue.peek() !== undefined) this.#scheduleTurn();
  }

  #scheduleTurn(): void {
    if (this.#isTurnPending || this.#isInTurn) return;
    this.#isTurnPending = true;
    this.#runtime.turns.defer(this.#runTurn);
  }

  /** One turn: works for at most a slice, sends what was answered, and asks for another turn if there is more. */
  readonly #runTurn = (): void => {
    this.#isTurnPending = false;
    this.#isInTurn = true;
    this.#slice.begin();
    const resumed = this.#work();
    this.#flush();
    this.#isInTurn = false;
    if (this.#queue.peek() !== undefined || this.#flushers.length > 0) this.#scheduleTurn();
    if (resumed !== undefined) this.#execution.resume(resumed);
  };

  /** @returns a request whose handler goes on after this turn; it gets the turn for itself. */
  #work(): DispatchedRequest | undefined {
    const queue = this.#queue;
    let isFirst = true;
    for (let request = queue.peek(); request !== undefined; request = queue.peek()) {
      if (request.isWaitingForTurn) return isFirst ? queue.take() : undefined;
      const startedAtMs = this.#slice.nowMs;
      if (!this.#start(request)) continue;
      isFirst = false;
      const isSpent = this.#slice.isSpent();
      request.origin.record.executionMs += this.#slice.nowMs - startedAtMs;
      if (isSpent) return undefined;
    }
    return undefined;
  }

  /** @returns false when the request couldn't start and takes no time. */
  #start(request: DispatchedRequest): boolean {
    const execution = this.#execution;
    const error = execution.reasonNotToStart(request);
    if (request.phase === 'ended') return true; // finding its Session closed ended it
    if (error !== undefined) {
      this.#queue.take();
      execution.fail(request, error);
      return true;
    }
    let refusal: Refusal | undefined;
    try {
      refusal = execution.acquire(request);
    } catch (cause) {
      this.#queue.take();
      execution.fail(request, cause);
      return true;
    }
    if (refusal === undefined) {
      this.#queue.take();
      execution.run(request);
      return true;
    }
    if (execution.executingCount > 0) this.#queue.passOver();
    else {
      // Nothing that ends here could make room, so waiting would have no end.
      this.#queue.take();
      execution.fail(request, tooBusy(refusal));
    }
    return false;
  }

  #flush(): void {
    const flushers = this.#flushers;
    if (flushers.length === 0) return;
    this.#flushers = [];
    for (const flush of flushers) {
      try {
        flush();
      } catch (error) {
        this.#runtime.log.log('error', 'dispatcher.flush-failed', { error });
      }
    }
  }
}

function tooBusy(refusal: Refusal): UaStatusError {
  const { stage, reason, usage, limit } = refusal;
  return new UaStatusError(StatusCodes.BadServerTooBusy, `${stageNames[stage]}: ${reason}, ${usage} of ${limit}`);
}
