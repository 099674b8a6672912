import type {
  IncomingRequest,
  ParkSink,
  SecureChannelContext,
  ServiceContext,
  SessionContext,
  Timer,
  TimeSlice,
} from '@bulkhead/contracts';
import type { Lease, ProtectedWork, RequestLeases } from '@bulkhead/resource-isolation';
import type { RequestHeader, StatusCode } from '@bulkhead/types';
import type { BoundService } from './bound-services.ts';
import { Cancellation } from './cancellation.ts';
import { Lane, type QueuedEntry, type RequestFlow } from './owner-turns.ts';
import type { OriginCaller, RequestOrigin } from './request-origin.ts';

/**
 * `queued` → `running` (→ `parked`) → `ended`; a dropped request goes from `queued` to `ended`. One that waits for a place of the
 * `SessionGate` is `waiting`, outside of the turns, and is `queued` again with it.
 */
export type RequestPhase = 'queued' | 'waiting' | 'running' | 'parked' | 'ended';

/** What a request asks of those that run it. */
export interface RequestHost {
  isSliceSpent(): boolean;
  /** Queues `request` for its next turn. */
  yieldTurn(request: DispatchedRequest): void;
  park(request: DispatchedRequest): void;
}

/**
 * One admitted request: what waits in the queue, its leases, and the context of its handler. All in one object, because
 * there is one per request.
 */
export class DispatchedRequest implements ServiceContext, ParkSink, TimeSlice, QueuedEntry<DispatchedRequest> {
  readonly incoming: IncomingRequest;
  readonly service: BoundService;
  readonly origin: RequestOrigin;
  flow: RequestFlow<DispatchedRequest>;
  readonly leases: RequestLeases;
  readonly deadlineMs: number;
  /** What it is for, as long as a live Session vouches for that. */
  work: ProtectedWork | undefined;
  /** By `work`; all the same in arrival order. Only changed while it doesn't wait. */
  lane: Lane;
  order = 0;
  /** Who is charged for it. */
  caller: OriginCaller;
  phase: RequestPhase = 'queued';
  /** Its answer was given, or nobody is there to get one. The handler may still run. */
  isAnswered = false;
  execution: Lease | undefined = undefined;
  /** Of the `SessionGate`. */
  place: Lease | undefined = undefined;
  /** Of the timeoutHint, while it waits for a place, and once the handler turned out to be asynchronous. */
  timer: Timer | undefined = undefined;
  previousLink: DispatchedRequest | undefined = undefined;
  nextLink: DispatchedRequest | undefined = undefined;
  /** Links of the origin's list of live requests. */
  previousLive: DispatchedRequest | undefined = undefined;
  nextLive: DispatchedRequest | undefined = undefined;
  readonly #host: RequestHost;
  #cancellation: Cancellation | undefined = undefined;
  #turn: Promise<void> | undefined = undefined;
  #resume: (() => void) | undefined = undefined;

  constructor(
    host: RequestHost,
    incoming: IncomingRequest,
    service: BoundService,
    origin: RequestOrigin,
    leases: RequestLeases,
    caller: OriginCaller,
    isFair: boolean,
  ) {
    this.incoming = incoming;
    this.service = service;
    this.origin = origin;
    this.flow = origin.flow;
    this.leases = leases;
    this.work = caller === origin.callers[Lane.Ordinary] ? undefined : service.work;
    this.lane = isFair && this.work !== undefined ? Lane[this.work] : Lane.Ordinary;
    this.caller = caller;
    const timeoutMs = incoming.header.timeoutHint;
    this.deadlineMs = timeoutMs > 0 ? incoming.receivedAtMs + timeoutMs : Number.POSITIVE_INFINITY;
    this.#host = host;
  }

  get channel(): SecureChannelContext {
    return this.incoming.channel;
  }

  get session(): SessionContext | undefined {
    return this.origin.session;
  }

  get header(): RequestHeader {
    return this.incoming.header;
  }

  get slice(): TimeSlice {
    return this;
  }

  get parkSink(): ParkSink | undefined {
    return this.leases.parked === undefined ? undefined : this;
  }

  get signal(): AbortSignal {
    this.#cancellation ??= new Cancellation();
    return this.#cancellation.signal;
  }

  notifyParked(): void {
    this.#host.park(this);
  }

  isSpent(): boolean {
    return this.#host.isSliceSpent();
  }

  /** Waits for its next turn in the queue; parts of one request that ask at the same time share it. */
  next(): Promise<void> {
    if (this.phase === 'ended') return Promise.resolve();
    if (this.#turn === undefined) {
      this.#turn = new Promise((resolve) => {
        this.#resume = resolve;
      });
      this.#host.yieldTurn(this);
    }
    return this.#turn;
  }

  /** It waits in the queue for its next turn, not for its first. */
  get isWaitingForTurn(): boolean {
    return this.#resume !== undefined;
  }

  /** Lets the handler go on; it does so right after the current turn of the event loop. */
  resume(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    this.#turn = undefined;
    resume?.();
  }

  /** Aborts the handler's signal. Idempotent. */
  cancel(code: StatusCode): void {
    this.#cancellation ??= new Cancellation();
    this.#cancellation.cancel(code);
  }
}
