import type { RequestHeader } from '@bulkhead/types';
import type { SecureChannelContext } from './secure-channel-context.ts';
import type { SessionContext } from './session-context.ts';

/** Keeps one request from holding the event loop. */
export interface TimeSlice {
  /** True when this turn's slice is used up; cheap enough to ask for every operation. */
  isSpent(): boolean;
  /** Resolves in a later turn, once sockets, timers and other owners had theirs. */
  next(): Promise<void>;
}

/** Where a request says that it waits. */
export interface ParkSink {
  /**
   * Gives the execution slot back; what the request retains stays charged until it is done. Afterwards the handler should do
   * no more than finish its answer. Repeated calls are harmless.
   */
  notifyParked(): void;
}

/** What a handler gets beside the request. */
export interface ServiceContext {
  readonly channel: SecureChannelContext;
  /** Undefined only for services that need no Session. */
  readonly session: SessionContext | undefined;
  readonly header: RequestHeader;
  readonly slice: TimeSlice;
  /** Aborted when the request is cancelled, times out or its channel or Session goes. Made on first use. */
  readonly signal: AbortSignal;
  /** Monotonic ms at which the request expires; Infinity without a timeoutHint. */
  readonly deadlineMs: number;
  /** Gives the execution slot back while the request waits, if it may park. Repeated calls are harmless. */
  notifyParked(): void;
  /** Only for requests that may park: Publish, and those that the `RequestParkingPolicy` selects. The same for the whole request. */
  readonly parkSink?: ParkSink | undefined;
}

/**
 * A service. Checks in the specification's order, throws UaStatusError for a ServiceFault, returns the response without its
 * header. Synchronous where it can be.
 */
export type ServiceHandler<Request, Response> = (
  request: Request,
  context: ServiceContext,
) => Omit<Response, 'responseHeader'> | Promise<Omit<Response, 'responseHeader'>>;
