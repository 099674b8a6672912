import type { IncomingRequest, Logger, OutgoingResponseHeader, Runtime } from '@bulkhead/contracts';
import { type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import {
  BinaryReader,
  DecodingError,
  type EncodingLimits,
  ExtensionObject,
  type RefusalDetails,
  ServerTooBusyError,
  ServiceFault,
  type StatusCode,
  StatusCodes,
  StringMemory,
  UaStatusError,
} from '@bulkhead/types';
import type { BoundService } from './bound-services.ts';
import type { DispatchedRequest, RequestHost } from './dispatched-request.ts';
import type { FairRequestQueue } from './fair-request-queue.ts';
import type { OriginRegistry } from './origin-registry.ts';
import { ParkedRequests } from './parked-requests.ts';
import type { RequestDiagnostics } from './request-diagnostics.ts';
import { FAULT_BODY, faultCodeOf, faultHeader, refusalDetails, retryAfterMsOf } from './service-fault.ts';
import type { ServiceName } from './service-messages.ts';
import type { SessionWaiters } from './session-waiters.ts';
import type { TurnSlice } from './time-slice.ts';

/** What `RequestExecution` works with. */
export interface RequestExecutionParts {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly queue: FairRequestQueue<DispatchedRequest>;
  readonly origins: OriginRegistry;
  readonly slice: TurnSlice;
  readonly diagnostics: RequestDiagnostics;
  readonly waiters: SessionWaiters;
  readonly encodingLimits: EncodingLimits;
  readonly busyRetryAfterMs: number;
  readonly parkingReleasesExecution: boolean;
  /** Something may be able to run now. */
  readonly wake: () => void;
}

/**
 * What happens to a request from its turn in the queue to its end: stage RequestExecution, decoding, handler, answer,
 * release of its leases. Each request is answered at most once and ends exactly once.
 */
export class RequestExecution implements RequestHost {
  readonly #parts: RequestExecutionParts;
  readonly #log: Logger;
  readonly #parked: ParkedRequests;
  /** One for all bodies: decoding is synchronous. */
  readonly #reader: BinaryReader;
  #executingCount = 0;

  constructor(parts: RequestExecutionParts) {
    this.#parts = parts;
    this.#log = parts.runtime.log;
    this.#parked = new ParkedRequests(parts.parkingReleasesExecution);
    this.#reader = new BinaryReader(Buffer.alloc(0), parts.encodingLimits);
    this.#reader.strings = new StringMemory();
  }

  /** Requests that hold an execution slot. */
  get executingCount(): number {
    return this.#executingCount;
  }

  get parkedCount(): number {
    return this.#parked.count;
  }

  isSliceSpent(): boolean {
    return this.#parts.slice.isSpent();
  }

  yieldTurn(request: DispatchedRequest): void {
    this.#parts.queue.enqueueFront(request);
    this.#parts.wake();
  }

  park(request: DispatchedRequest): void {
    if (this.#parked.park(request)) this.#slotFreed();
  }

  /** Lets a handler that waited for its turn go on; its code runs right after the current turn of the event loop. */
  resume(request: DispatchedRequest): void {
    const startedAtMs = this.#parts.slice.nowMs;
    // Registered after the handler's own continuation, so it runs when that gave the event loop back.
    void request.next().then(() => this.charge(request, this.#parts.runtime.clock.nowMs() - startedAtMs));
    request.resume();
  }

  /** The request held the event loop for so long. */
  charge(request: DispatchedRequest, ms: number): void {
    request.caller.record.executionMs += ms;
    this.#parts.queue.charge(request.flow, ms);
  }

  /** Stage RequestExecution, for the owner that the request has now. @returns why it was refused, or undefined. */
  acquire(request: DispatchedRequest): Refusal | undefined {
    const answer = this.#parts.provider.tryAcquire(Stage.RequestExecution, request.caller.owner, 1);
    if (answer.kind === 'refusal') return answer;
    request.execution = answer;
    this.#executingCount++;
    return undefined;
  }

  /** The request can't run after all. There is as much room as before it took its slot: nobody else need be asked again. */
  giveBack(request: DispatchedRequest): void {
    request.execution?.[Symbol.dispose]();
    request.execution = undefined;
    this.#executingCount--;
  }

  /** Has the request end when its timeoutHint passes. */
  watchDeadline(request: DispatchedRequest): void {
    if (request.deadlineMs === Number.POSITIVE_INFINITY) return;
    const { clock, timers } = this.#parts.runtime;
    const delayMs = Math.max(0, request.deadlineMs - clock.nowMs());
    request.timer = timers.after(delayMs, () => this.cancel(request, StatusCodes.BadTimeout));
  }

  /** Runs a request that was taken from the queue and has its slot. Never throws. */
  run(request: DispatchedRequest): void {
    request.phase = 'running';
    request.caller.record.noteWait(this.#parts.slice.nowMs - request.incoming.receivedAtMs);
    this.#leaveQueue(request);
    try {
      const { service, incoming } = request;
      const body = incoming.decodeBody === undefined ? this.#decode(service, incoming) : incoming.decodeBody(service.request);
      incoming.releaseMessage();
      const result = service.handler(body, request);
      if (result instanceof Promise) this.#await(request, result);
      else this.#succeed(request, result);
    } catch (error) {
      this.fail(request, error);
    }
  }

  /** Answers with the fault for `error` and ends the request. */
  fail(request: DispatchedRequest, error: unknown): void {
    if (request.phase === 'ended') return;
    if (!request.isAnswered) this.#parts.diagnostics.countRejected(request.service.name, request.session, faultCodeOf(error));
    this.#answerWithFault(request, error);
    this.#end(request);
  }

  /** Answers at once with `code` and aborts the handler; a request whose handler runs ends when that does. */
  cancel(request: DispatchedRequest, code: StatusCode): void {
    if (!request.isAnswered) this.#answerWithFault(request, new UaStatusError(code, 'cancelled'));
    this.#abandon(request, code);
  }

  /** Like `cancel`, but nobody is there to get an answer. */
  drop(request: DispatchedRequest, code: StatusCode): void {
    request.isAnswered = true;
    this.#abandon(request, code);
  }

  /** Answers a request for which there is no room. */
  refuseForCapacity(incoming: IncomingRequest, refusal: Refusal, service: ServiceName): void {
    incoming.leftQueue();
    this.#parts.diagnostics.countRejected(service, undefined, StatusCodes.BadServerTooBusy);
    this.#sendFault(incoming, StatusCodes.BadServerTooBusy, this.#parts.busyRetryAfterMs, refusalDetails(refusal), service);
  }

  /** Answers a request that was never admitted. @param service undefined when there is none of that kind. */
  refuse(incoming: IncomingRequest, error: unknown, service?: ServiceName): void {
    incoming.leftQueue();
    this.#parts.diagnostics.countRejected(service, undefined, faultCodeOf(error));
    this.#respondWithFault(incoming, error, service);
  }

  #decode(service: BoundService, incoming: IncomingRequest): unknown {
    const reader = this.#reader;
    reader.reset(incoming.message, incoming.bodyStart);
    const body = service.request.decodeBody(reader, incoming.header);
    if (reader.remaining !== 0) throw DecodingError.malformed(`${reader.remaining} bytes after ${service.name}Request`);
    return body;
  }

  #abandon(request: DispatchedRequest, code: StatusCode): void {
    if (request.phase === 'queued') {
      this.#parts.queue.remove(request);
      this.#end(request);
      // In arrival order the next one may have room where this one had none.
      this.#parts.wake();
    } else if (request.phase === 'waiting') this.#end(request);
    else if (request.phase !== 'ended') request.cancel(code);
  }

  #await(request: DispatchedRequest, result: Promise<object>): void {
    result.then(
      (body) => {
        const { clock } = this.#parts.runtime;
        const startedAtMs = clock.nowMs();
        this.#succeed(request, body);
        this.charge(request, clock.nowMs() - startedAtMs);
      },
      (error: unknown) => this.fail(request, error),
    );
    this.watchDeadline(request);
  }

  #succeed(request: DispatchedRequest, body: object): void {
    if (!request.isAnswered) {
      request.isAnswered = true;
      const { incoming, service } = request;
      try {
        const maxBytes = request.session?.maxResponseMessageBytes ?? 0;
        incoming.respond(service.response, goodHeader(incoming.header.requestHandle), body, maxBytes);
      } catch (error) {
        this.#parts.diagnostics.countRejected(service.name, request.session, faultCodeOf(error));
        this.#respondWithFault(incoming, error, service.name);
      }
    }
    this.#end(request);
  }

  #answerWithFault(request: DispatchedRequest, error: unknown): void {
    if (request.isAnswered) return;
    request.isAnswered = true;
    this.#respondWithFault(request.incoming, error, request.service.name);
  }

  #respondWithFault(incoming: IncomingRequest, error: unknown, service: string | undefined): void {
    const code = faultCodeOf(error);
    if (code === StatusCodes.BadInternalError) this.#log.log('error', 'dispatcher.internal-error', { service, error });
    const refusal = error instanceof ServerTooBusyError ? error.refusal : undefined;
    this.#sendFault(incoming, code, retryAfterMsOf(error, this.#parts.busyRetryAfterMs), refusal, service);
  }

  #sendFault(
    incoming: IncomingRequest,
    code: StatusCode,
    retryAfterMs: number,
    refusal: RefusalDetails | undefined,
    service: string | undefined,
  ): void {
    if (!incoming.channel.isOpen) return;
    const header = faultHeader(incoming.header.requestHandle, code, retryAfterMs, refusal);
    try {
      incoming.respond(ServiceFault, header, FAULT_BODY, 0);
    } catch (cause) {
      this.#log.log('error', 'dispatcher.fault-not-sent', { service, code, error: cause });
    }
  }

  #leaveQueue(request: DispatchedRequest): void {
    request.leases.queue[Symbol.dispose]();
    request.incoming.leftQueue();
  }

  /** Gives back what the request holds, newest first. */
  #end(request: DispatchedRequest): void {
    if (request.phase === 'ended') return;
    if (request.isWaitingForTurn) {
      this.#parts.queue.remove(request);
      request.resume();
    }
    if (request.phase === 'parked') this.#parked.remove(request);
    if (request.phase === 'waiting') this.#parts.waiters.remove(request);
    const wasQueued = request.phase === 'queued' || request.phase === 'waiting';
    request.phase = 'ended';
    request.timer?.cancel();
    request.timer = undefined;
    const { execution, leases, origin, place } = request;
    request.execution = undefined;
    request.place = undefined;
    execution?.[Symbol.dispose]();
    leases.parked?.[Symbol.dispose]();
    leases.bytes[Symbol.dispose]();
    if (wasQueued) this.#leaveQueue(request);
    origin.removeLive(request);
    this.#parts.origins.requestEnded(origin);
    if (execution !== undefined) this.#slotFreed();
    // Last, as it lets in who waits for it.
    place?.[Symbol.dispose]();
  }

  #slotFreed(): void {
    this.#executingCount--;
    this.#parts.queue.readmit();
    this.#parts.wake();
  }
}

function goodHeader(requestHandle: number): OutgoingResponseHeader {
  return {
    requestHandle,
    serviceResult: StatusCodes.Good,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: ExtensionObject.NULL,
  };
}
