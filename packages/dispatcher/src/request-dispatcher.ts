import type { IncomingRequest, RequestSink, Runtime, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import { defaultEncodingLimits, ServerTooBusyError, StatusCodes, UaStatusError } from '@bulkhead/types';
import { type BoundService, bindServices } from './bound-services.ts';
import { DispatchedRequest } from './dispatched-request.ts';
import { FairRequestQueue } from './fair-request-queue.ts';
import { OriginRegistry } from './origin-registry.ts';
import type { OwnerRecord } from './owner-record.ts';
import { RequestAdmission } from './request-admission.ts';
import { RequestClassification } from './request-classification.ts';
import { RequestDiagnostics } from './request-diagnostics.ts';
import type { RequestDispatcherOptions } from './request-dispatcher-options.ts';
import { RequestExecution } from './request-execution.ts';
import { refusalDetails } from './service-fault.ts';
import { serviceTable } from './service-table.ts';
import { SessionWaiters } from './session-waiters.ts';
import { TurnSlice } from './time-slice.ts';

const DEFAULT_SLICE_MS = 1;
const DEFAULT_BUSY_RETRY_AFTER_MS = 1_000;

/** Takes requests from connections, lets them wait and run by turns, and sees that each is answered once. */
export class RequestDispatcher implements RequestSink {
  /** Counts of requests since the start. */
  readonly diagnostics: RequestDiagnostics = new RequestDiagnostics();
  readonly #runtime: Runtime;
  readonly #provider: ResourceIsolationProvider;
  readonly #services: ReadonlyMap<number, BoundService>;
  readonly #admission: RequestAdmission;
  readonly #queue: FairRequestQueue<DispatchedRequest>;
  readonly #origins: OriginRegistry;
  readonly #slice: TurnSlice;
  readonly #classification: RequestClassification;
  readonly #execution: RequestExecution;
  readonly #busyRetryAfterMs: number;
  /** Tells of room that others made; undefined when the provider doesn't. */
  readonly #capacityWatch: Disposable | undefined;
  readonly #waiters: SessionWaiters;
  #flushers: (() => void)[] = [];
  #isTurnPending = false;
  #isInTurn = false;
  #isStopped = false;

  constructor(options: RequestDispatcherOptions) {
    const { runtime, provider, sessions, encodingLimits = defaultEncodingLimits } = options;
    const isFair = options.useFairScheduling ?? true;
    this.#runtime = runtime;
    this.#provider = provider;
    this.#busyRetryAfterMs = options.busyRetryAfterMs ?? DEFAULT_BUSY_RETRY_AFTER_MS;
    this.#services = bindServices(options.table ?? serviceTable, options.handlers);
    this.#admission = new RequestAdmission({
      provider,
      maxMessageBytes: options.maxMessageBytes,
      parkingPolicy: options.parkingPolicy,
      encodingLimits,
      log: runtime.log,
    });
    const queue = new FairRequestQueue<DispatchedRequest>(isFair ? options.schedulingCost : 'turn');
    const origins = new OriginRegistry(options.owners, queue, isFair);
    const slice = new TurnSlice(runtime.clock, options.sliceMs ?? DEFAULT_SLICE_MS);
    this.#queue = queue;
    this.#origins = origins;
    this.#slice = slice;
    this.#waiters = new SessionWaiters(options.sessionGate, options.sessionQueueLimit ?? 0, {
      admit: (request) => this.#readmit(request),
      refuse: (request, refusal) => this.#refuse(request, refusal),
      fail: (request, error) => this.#execution.fail(request, error),
      watchDeadline: (request) => this.#execution.watchDeadline(request),
    });
    this.#classification = new RequestClassification({ sessions, origins, queue, slice });
    this.#execution = new RequestExecution({
      runtime,
      provider,
      queue,
      origins,
      slice,
      diagnostics: this.diagnostics,
      waiters: this.#waiters,
      encodingLimits,
      busyRetryAfterMs: this.#busyRetryAfterMs,
      parkingReleasesExecution: options.decoupleHeldPublishRequests ?? true,
      wake: () => this.#wake(),
    });
    this.#capacityWatch = provider.onCapacity?.(() => {
      queue.readmit();
      this.#wake();
    });
  }

  /** Requests that wait for their first or next turn, or for a place to establish a Session. */
  get queuedCount(): number {
    return this.#queue.length + this.#waiters.length;
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

  refuse(incoming: IncomingRequest, error: UaStatusError): void {
    this.#execution.refuse(incoming, error, this.#services.get(incoming.typeId)?.name);
  }

  requestAbandoned(incoming: IncomingRequest): void {
    for (const origin of this.#origins.ofChannel(incoming.channel)) {
      const request = origin.liveRequests().find((live) => live.incoming === incoming);
      if (request !== undefined) return this.#execution.drop(request, StatusCodes.BadSecureChannelClosed);
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
    if (isHeldBack) return;
    this.#waiters.serve();
    this.#wake();
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
    this.#capacityWatch?.[Symbol.dispose]();
    for (const origin of this.#origins.all()) {
      for (const request of origin.liveRequests()) {
        if (request.phase !== 'running') this.#execution.cancel(request, StatusCodes.BadServerHalted);
      }
    }
  }

  #admit(incoming: IncomingRequest, service: BoundService): void {
    const session = this.#classification.sessionOf(incoming, service);
    const origin = this.#origins.originOf(incoming.channel, session);
    const caller = this.#classification.callerOf(origin, service, incoming, incoming.receivedAtMs);
    const { record } = caller;
    const leases = this.#admission.admit(caller.owner, incoming, service, session);
    if (leases.kind === 'refusal') {
      record.refusalCount++;
      this.#origins.requestEnded(origin);
      return this.#execution.refuseForCapacity(incoming, leases, service.name);
    }
    record.requestCount++;
    record.requestBytes += incoming.message.length;
    this.diagnostics.countReceived(service.name, session);
    const request = new DispatchedRequest(this.#execution, incoming, service, origin, leases, caller, this.#origins.isFair);
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
      const isSparse = queue.isNextSparse;
      if (!this.#start(request)) continue;
      isFirst = false;
      const isSpent = this.#slice.isSpent();
      this.#execution.charge(request, this.#slice.nowMs - startedAtMs);
      if (isSpent) return undefined;
      // What others have waiting may take long.
      if (isSparse && !queue.isNextSparse && queue.peek()?.flow !== request.flow) this.#flush();
    }
    return undefined;
  }

  /** @returns false when the request couldn't start and takes no time. */
  #start(request: DispatchedRequest): boolean {
    const execution = this.#execution;
    const error = this.#classification.reasonNotToStart(request);
    if (request.phase === 'ended') return true; // finding its Session closed ended it
    if (error !== undefined) return this.#failFirst(request, error);
    let refusal: Refusal | undefined;
    try {
      if (!this.#classification.renew(request)) return false;
      refusal = execution.acquire(request);
      if (refusal === undefined) return this.#enter(request);
    } catch (cause) {
      return this.#failFirst(request, cause);
    }
    if (this.#mayFindRoom(refusal)) {
      this.#queue.passOver();
      return false;
    }
    return this.#refuse(request, refusal);
  }

  /** Runs a request that has its slot, unless it needs a place as well and there is none. */
  #enter(request: DispatchedRequest): boolean {
    const refusal = this.#waiters.enter(request);
    if (refusal === undefined) {
      this.#queue.take();
      this.#execution.run(request);
      return true;
    }
    if (!this.#waiters.mayWait(refusal)) return this.#refuse(request, refusal);
    this.#queue.remove(request);
    this.#waiters.add(request);
    this.#execution.giveBack(request);
    return false;
  }

  /** Has the place it waited for, and its turn as soon as there is a slot. */
  #readmit(request: DispatchedRequest): void {
    request.timer?.cancel();
    request.timer = undefined;
    request.phase = 'queued';
    this.#queue.enqueueFront(request);
    this.#wake();
  }

  #refuse(request: DispatchedRequest, refusal: Refusal): true {
    request.caller.record.refusalCount++;
    return this.#failFirst(request, new ServerTooBusyError(refusalDetails(refusal), this.#busyRetryAfterMs));
  }

  #failFirst(request: DispatchedRequest, error: unknown): true {
    if (request.phase === 'waiting') this.#waiters.remove(request);
    else if (this.#queue.peek() === request) this.#queue.take();
    else this.#queue.remove(request);
    this.#execution.fail(request, error);
    return true;
  }

  /** Waiting makes sense as long as something that runs, here or on another server with this provider, will tell of its end. */
  #mayFindRoom({ reason }: Refusal): boolean {
    if (reason === 'InvalidOwner') return false;
    if (this.#execution.executingCount > 0) return true;
    return this.#capacityWatch !== undefined && reason !== 'OwnerTableFull' && this.#provider.getUsage(Stage.RequestExecution) > 0;
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
