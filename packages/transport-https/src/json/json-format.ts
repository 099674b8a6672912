import type { Clock, OutgoingResponseHeader } from '@bulkhead/contracts';
import type { UndecodableHead } from '@bulkhead/transport';
import {
  DecodingError,
  decodeJsonRequest,
  encodeJson,
  encodeJsonMessage,
  type JsonContext,
  type JsonFlavour,
  parseJson,
  type RequestType,
  type ResponseType,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import type { MessageFormat, RequestHead } from '../message-format.ts';

/** What `JsonFormat` works with. */
export interface JsonFormatParts {
  /** As of now: namespaces may be added while the server runs. */
  readonly context: () => JsonContext;
  readonly clock: Clock;
}

/** How a `JsonFormat` is spoken. */
export interface JsonFormatOptions {
  readonly transportProfileUri: string;
  readonly flavour: JsonFlavour;
  /** The request that a path stands for; without it, messages say themselves what they are. */
  readonly expected?: RequestType<unknown> | undefined;
}

/** The envelope of a response. */
type Envelope = 'typed' | 'path' | 'invoked';

/**
 * Requests and responses in JSON. A response says what it is, unless it came by a path that does; one to a SessionlessInvoke comes in the
 * envelope of that.
 */
export class JsonFormat implements MessageFormat {
  readonly contentType: string;
  readonly transportProfileUri: string;
  readonly #parts: JsonFormatParts;
  readonly #flavour: JsonFlavour;
  readonly #expected: RequestType<unknown> | undefined;
  readonly #envelope: Envelope;
  readonly #invoked: JsonFormat;

  constructor(parts: JsonFormatParts, options: JsonFormatOptions, isInvoked = false) {
    const { expected, flavour } = options;
    this.transportProfileUri = options.transportProfileUri;
    this.contentType = flavour === 'compact' ? 'application/json' : 'application/json; encoding=verbose';
    this.#parts = parts;
    this.#flavour = flavour;
    this.#expected = expected;
    this.#envelope = isInvoked ? 'invoked' : expected === undefined ? 'typed' : 'path';
    this.#invoked = isInvoked ? this : new JsonFormat(parts, options, true);
  }

  decodeHead(message: Buffer): RequestHead | UndecodableHead {
    const context = this.#parts.context();
    try {
      const request = decodeJsonRequest(parseJson(message, context.limits), context, this.#expected);
      return {
        kind: 'request',
        typeId: request.type?.binaryEncodingId ?? 0,
        header: request.header,
        bodyStart: 0,
        decodeBody: () => request.decode(),
        responseFormat: request.sessionless === undefined ? this : this.#invoked,
      };
    } catch (error) {
      if (!(error instanceof DecodingError)) throw error;
      return { kind: 'undecodable', requestHandle: 0, error };
    }
  }

  encodeResponse(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): Buffer {
    const response = { ...(body as object), responseHeader: { timestamp: this.#parts.clock.utcNow(), ...header } };
    const encoded = Buffer.from(JSON.stringify(this.#enclose(type, response)));
    if (encoded.length <= maxBytes) return encoded;
    throw new UaStatusError(StatusCodes.BadResponseTooLarge, `a response of more than ${maxBytes} bytes`);
  }

  #enclose(type: ResponseType<unknown>, response: object): object {
    const context = this.#parts.context();
    if (this.#envelope === 'typed') return encodeJsonMessage(type, response, this.#flavour, context);
    const plain = encodeJson(type, response, this.#flavour, context);
    return this.#envelope === 'path' ? plain : { ServiceId: type.dataTypeId, Body: plain };
  }
}
