import type { IncomingRequest, OutgoingResponseHeader, SecureChannelContext } from '@bulkhead/contracts';
import type { RequestHeader, ResponseType } from '@bulkhead/types';
import type { DecodedRequestHead } from './request-head.ts';

/** Where a request came from. */
export interface RequestOrigin {
  /** Encodes and queues; throws when the response doesn't fit. */
  sendResponse(requestId: number, type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void;
  requestLeftQueue(messageBytes: number): void;
  requestAnswered(): void;
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** A service request of a UACP connection. */
export class UacpRequest implements IncomingRequest {
  readonly channel: SecureChannelContext;
  readonly requestId: number;
  readonly typeId: number;
  readonly header: RequestHeader;
  message: Buffer;
  readonly bodyStart: number;
  readonly receivedAtMs: number;
  readonly #origin: RequestOrigin;
  readonly #messageBytes: number;
  #waits = true;
  #isAnswered = false;

  constructor(
    origin: RequestOrigin,
    channel: SecureChannelContext,
    requestId: number,
    head: DecodedRequestHead,
    message: Buffer,
    receivedAtMs: number,
  ) {
    this.channel = channel;
    this.requestId = requestId;
    this.typeId = head.typeId;
    this.header = head.header;
    this.message = message;
    this.bodyStart = head.bodyStart;
    this.receivedAtMs = receivedAtMs;
    this.#origin = origin;
    this.#messageBytes = message.length;
  }

  respond(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void {
    if (this.#isAnswered) return;
    this.#origin.sendResponse(this.requestId, type, header, body, maxBytes);
    this.#isAnswered = true;
    this.#origin.requestAnswered();
  }

  leftQueue(): void {
    if (!this.#waits) return;
    this.#waits = false;
    this.#origin.requestLeftQueue(this.#messageBytes);
  }

  releaseMessage(): void {
    this.message = NO_BYTES;
  }
}
