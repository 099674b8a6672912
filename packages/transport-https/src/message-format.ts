import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import type { DecodedRequestHead, UndecodableHead } from '@bulkhead/transport';
import type { RequestType, ResponseType } from '@bulkhead/types';

/** What is known of a request before its body is decoded; `decodeBody` where that isn't OPC UA Binary. */
export interface RequestHead extends DecodedRequestHead {
  readonly decodeBody?: ((type: RequestType<unknown>) => unknown) | undefined;
}

/** How requests and responses are written in HTTP bodies. */
export interface MessageFormat {
  readonly contentType: string;
  readonly transportProfileUri: string;
  decodeHead(message: Buffer): RequestHead | UndecodableHead;
  /** @throws UaStatusError BadResponseTooLarge beyond `maxBytes`; what the encoder finds wrong. */
  encodeResponse(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): Buffer;
}
