import {
  BinaryReader,
  type BinaryWriter,
  DecodingError,
  decodeNodeId,
  encodeNodeId,
  isBad,
  NodeId,
  type RequestHeader,
  type RequestType,
  type ResponseHeader,
  type ResponseType,
  ServiceFault,
  type StructureType,
} from '@bulkhead/types';
import { retryAfterOfResponse } from '../retry-after.ts';
import { ServiceResultError, statusText } from '../service-result-error.ts';

/** What all requests have in common. */
export interface AnyRequest {
  requestHeader: RequestHeader;
}

/** What all responses have in common. */
export interface AnyResponse {
  responseHeader: ResponseHeader;
}

/** A request without its header; fields left out have the specification's defaults. */
export type RequestFields<Request> = Partial<Omit<Request, 'requestHeader'>>;

/** Writes a request: the NodeId of its encoding, then its fields. OPC 10000-6 §5.2.9. */
export function writeRequest<Request extends AnyRequest>(
  writer: BinaryWriter,
  type: RequestType<Request>,
  fields: RequestFields<Request>,
  requestHeader: RequestHeader,
): void {
  encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
  type.encode(writer, type.create({ ...fields, requestHeader } as Partial<Request>));
}

/**
 * Decodes a response.
 * @throws ServiceResultError for a ServiceFault or a bad ServiceResult, DecodingError for anything else that isn't `type`.
 */
export function readResponse<Response extends AnyResponse>(type: ResponseType<Response>, message: Buffer): Response {
  const reader = new BinaryReader(message);
  const typeId = decodeNodeId(reader);
  if (isEncodingOf(typeId, ServiceFault)) throw serviceError(type.name, ServiceFault.decode(reader).responseHeader);
  if (!isEncodingOf(typeId, type)) throw DecodingError.malformed(`${typeId.toString()} instead of ${type.name}`);
  const response = type.decode(reader);
  if (reader.remaining !== 0) throw DecodingError.malformed(`${reader.remaining} bytes after ${type.name}`);
  if (isBad(response.responseHeader.serviceResult)) throw serviceError(type.name, response.responseHeader);
  return response;
}

function isEncodingOf(typeId: NodeId, type: StructureType<never> | StructureType<unknown>): boolean {
  return typeId.namespaceIndex === 0 && typeId.identifier === type.binaryEncodingId;
}

/** What a ServiceFault or a bad ServiceResult means. */
export function serviceError(what: string, header: ResponseHeader): ServiceResultError {
  const { serviceResult } = header;
  return new ServiceResultError(serviceResult, `${what}: ${statusText(serviceResult)}`, retryAfterOfResponse(header));
}
