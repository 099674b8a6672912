import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import type { DecodedRequestHead, UndecodableHead } from '@bulkhead/transport';
import type { RequestType, ResponseType } from '@bulkhead/types';

/** What is known of a request before its body is decoded; `decodeBody` where that isn't OPC UA Binary. */
export interface RequestHead extends DecodedRequestHead {
  readonly decodeBody?: ((type: RequestType<unknown>) => unknown) | undefined;
  /** How the response is written, where that isn't as all responses of the format are. */
  readonly responseFormat?: MessageFormat | undefined;
}

/** How requests and responses are written; keeps nothing of them, so that one serves all. */
export interface MessageFormat {
  readonly contentType: string;
  readonly transportProfileUri: string;
  decodeHead(message: Buffer): RequestHead | UndecodableHead;
  /** @throws UaStatusError BadResponseTooLarge beyond `maxBytes`; what the encoder finds wrong. */
  encodeResponse(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): Buffer;
}
