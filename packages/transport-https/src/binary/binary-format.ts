import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import type { PlainMessages, UndecodableHead } from '@bulkhead/transport';
import type { ResponseType } from '@bulkhead/types';
import { HTTPS_BINARY_PROFILE_URI } from '../https-profiles.ts';
import type { MessageFormat, RequestHead } from '../message-format.ts';

/** OPC 10000-6 §7.4.2: the second is for clients of older versions. */
export const BINARY_CONTENT_TYPES: readonly string[] = ['application/octet-stream', 'application/opcua+uabinary'];

/** Bodies in OPC UA Binary: the NodeId of the encoding, then the fields. OPC 10000-6 §7.4.4. */
export class BinaryFormat implements MessageFormat {
  readonly contentType = 'application/octet-stream';
  readonly transportProfileUri: string = HTTPS_BINARY_PROFILE_URI;
  readonly #messages: PlainMessages;

  constructor(messages: PlainMessages) {
    this.#messages = messages;
  }

  decodeHead(message: Buffer): RequestHead | UndecodableHead {
    return this.#messages.decodeHead(message);
  }

  encodeResponse(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): Buffer {
    return this.#messages.encodeResponse(type, header, body, maxBytes);
  }
}
