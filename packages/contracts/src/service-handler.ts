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
  /** Gives the execution slot back while the request waits (Publish). Repeated calls are harmless. */
  notifyParked(): void;
}

/**
 * A service. Checks in the specification's order, throws UaStatusError for a ServiceFault, returns the response without its
 * header. Synchronous where it can be.
 */
export type ServiceHandler<Request, Response> = (
  request: Request,
  context: ServiceContext,
) => Omit<Response, 'responseHeader'> | Promise<Omit<Response, 'responseHeader'>>;
