import {
  decodeJsonResponse,
  encodeJsonMessage,
  isBad,
  type JsonContext,
  parseJson,
  type RequestHeader,
  type RequestType,
  type ResponseType,
  ServiceFault,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import type { MessageFormat } from './message-format.ts';
import { type AnyRequest, type AnyResponse, type RequestFields, serviceError } from './service-message.ts';

const OPC_UA_URI = 'http://opcfoundation.org/UA/';

/** Compact JSON. Names of other namespaces than OPC UA's own mean something only once the server's tables are known. OPC 10000-6 §7.4.5. */
export class JsonFormat implements MessageFormat<unknown> {
  readonly contentType: string = 'application/json';
  #context: JsonContext = { namespaceUris: [OPC_UA_URI], serverUris: [] };

  /** The server's NamespaceArray and ServerArray. */
  learn(namespaceUris: readonly string[], serverUris: readonly string[]): void {
    this.#context = { namespaceUris, serverUris };
  }

  reads(contentType: string): boolean {
    return contentType === 'application/json' || contentType === 'application/opcua+uajson';
  }

  write<Request extends AnyRequest>(
    type: RequestType<Request>,
    fields: RequestFields<Request>,
    requestHeader: RequestHeader,
    maxBytes: number,
  ): Buffer {
    const request = type.create({ ...fields, requestHeader } as Partial<Request>);
    const message = Buffer.from(JSON.stringify(encodeJsonMessage(type, request, 'compact', this.#context)));
    if (message.length <= maxBytes) return message;
    throw new UaStatusError(StatusCodes.BadRequestTooLarge, `${type.name} of ${message.length} bytes, more than ${maxBytes}`);
  }

  parse(message: Buffer): unknown {
    return parseJson(message);
  }

  read<Response extends AnyResponse>(expected: ResponseType<Response>, message: unknown): Response {
    const { type, response } = decodeJsonResponse(message, this.#context, expected as ResponseType<unknown>);
    const { responseHeader } = response;
    const isFault = type.binaryEncodingId === ServiceFault.binaryEncodingId;
    if (isFault || isBad(responseHeader.serviceResult)) throw serviceError(expected.name, responseHeader);
    return response as Response;
  }
}
