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
  SessionlessInvokeResponseType,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { HTTPS_JSON_PROFILE_URI } from '../https-profiles.ts';
import type { MessageFormat, RequestHead } from '../message-format.ts';

/** What `JsonFormat` works with. */
export interface JsonFormatParts {
  /** As of now: namespaces may be added while the server runs. */
  readonly context: () => JsonContext;
  readonly clock: Clock;
}

/** The bodies of one request and its response in JSON: the response comes in the flavour and the envelope of the request. */
export class JsonFormat implements MessageFormat {
  readonly contentType: string;
  readonly transportProfileUri: string = HTTPS_JSON_PROFILE_URI;
  readonly #parts: JsonFormatParts;
  readonly #flavour: JsonFlavour;
  readonly #expected: RequestType<unknown> | undefined;
  /** Came in a SessionlessInvoke. */
  #isInvoked = false;

  /** @param expected the request that the path stands for, if it does. */
  constructor(parts: JsonFormatParts, contentType: string, flavour: JsonFlavour, expected: RequestType<unknown> | undefined) {
    this.contentType = contentType;
    this.#parts = parts;
    this.#flavour = flavour;
    this.#expected = expected;
  }

  decodeHead(message: Buffer): RequestHead | UndecodableHead {
    const context = this.#parts.context();
    try {
      const request = decodeJsonRequest(parseJson(message, context.limits), context, this.#expected);
      this.#isInvoked = request.sessionless !== undefined;
      return {
        kind: 'request',
        typeId: request.type?.binaryEncodingId ?? 0,
        header: request.header,
        bodyStart: 0,
        decodeBody: () => request.decode(),
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

  /** A path says what its response is, unless that is a ServiceFault. */
  #enclose(type: ResponseType<unknown>, response: object): object {
    const context = this.#parts.context();
    if (this.#isInvoked) {
      const invoked = SessionlessInvokeResponseType.create({ serviceId: type.dataTypeId });
      return {
        ...encodeJson(SessionlessInvokeResponseType, invoked, 'verbose', context),
        Body: encodeJson(type, response, this.#flavour, context),
      };
    }
    return this.#expected === undefined
      ? encodeJsonMessage(type, response, this.#flavour, context)
      : encodeJson(type, response, this.#flavour, context);
  }
}
