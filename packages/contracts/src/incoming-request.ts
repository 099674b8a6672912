import type { DiagnosticInfo, ExtensionObject, RequestHeader, RequestType, ResponseType, UaStatusError } from '@bulkhead/types';
import type { SecureChannelContext } from './secure-channel-context.ts';

/**
 * One service request on its way up, made by a connection. Exactly one of its endings happens: `respond` once, or the
 * channel goes away first.
 */
export interface IncomingRequest {
  readonly channel: SecureChannelContext;
  /** RequestId of the SequenceHeader; not the RequestHandle. */
  readonly requestId: number;
  /** Numeric id (namespace 0) of the request's binary encoding; 0 when the id is of another kind. */
  readonly typeId: number;
  readonly header: RequestHeader;
  /** The message; what follows the RequestHeader starts at `bodyStart` and stays bytes until the request runs. */
  readonly message: Buffer;
  readonly bodyStart: number;
  /** Monotonic ms. */
  readonly receivedAtMs: number;
  /**
   * Decodes what follows the RequestHeader of a message that isn't OPC UA Binary; left out where `message` is.
   * @throws UaStatusError
   */
  decodeBody?(type: RequestType<unknown>): unknown;
  /**
   * Encodes and queues the response.
   * @param body everything of the response but its header, as `type.encodeBody` takes it.
   * @param maxBytes largest response that the client accepts; 0 when it named no limit.
   * @throws UaStatusError BadEncodingLimitsExceeded or BadResponseTooLarge when it doesn't fit; nothing was sent then.
   */
  respond(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void;
  /** The dispatcher calls this once when the request no longer waits; it frees the connection's read-ahead. */
  leftQueue(): void;
  /** The body is decoded: its bytes (and the receive buffer around them) need not be kept any longer. */
  releaseMessage(): void;
}

/** What a response's header carries beyond what the connection knows. */
export interface OutgoingResponseHeader {
  readonly requestHandle: number;
  readonly serviceResult: number;
  readonly serviceDiagnostics: DiagnosticInfo | null;
  readonly stringTable: readonly (string | null)[] | null;
  readonly additionalHeader: ExtensionObject;
}

/** Where connections deliver requests: the dispatcher. */
export interface RequestSink {
  submit(request: IncomingRequest): void;
  /** Answers a request that its transport admits no further. */
  refuse(request: IncomingRequest, error: UaStatusError): void;
  /** Nobody is there any more to take the answer of a request, though its channel is open: it is dropped or cancelled. Idempotent. */
  requestAbandoned(request: IncomingRequest): void;
  /** The channel is closed: whatever waits is dropped, whatever runs or is parked is cancelled. Idempotent. */
  channelClosed(channel: SecureChannelContext): void;
  /**
   * The channel's peer doesn't take its responses, or takes them again: while it is held back, none of its waiting requests
   * starts, as nobody would take the answer.
   */
  channelHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void;
  /** Responses queued since the last flush should go out now. The dispatcher calls the registered flushers at the end of a turn. */
  onTurnEnd(flush: () => void): void;
}
