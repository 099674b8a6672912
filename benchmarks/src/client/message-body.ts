import {
  BinaryReader,
  BinaryWriter,
  createRequestHeader,
  DateTime,
  decodeNodeId,
  encodeNodeId,
  NodeId,
  type RequestHeader,
  type RequestType,
  type ResponseHeader,
  type ResponseType,
  ServiceFault,
  type StructureType,
  statusCodeEntry,
  UaStatusError,
} from '@bulkhead/types';

/** How long a server may take for an answer before the run counts as failed. */
export const CALL_TIMEOUT_MS: number = 30_000;

export interface RequestBody {
  readonly bytes: Buffer;
  /** Where the RequestHandle stands in `bytes`. */
  readonly handleOffset: number;
}

/** Encodes a request: type id, header, fields. */
export function encodeRequest<Q extends { requestHeader: RequestHeader }>(
  type: RequestType<Q>,
  fields: Omit<Q, 'requestHeader'>,
  authenticationToken: NodeId,
  requestHandle: number,
): RequestBody {
  const requestHeader = createRequestHeader({
    authenticationToken,
    timestamp: DateTime.fromUnixMs(Date.now()),
    requestHandle,
    timeoutHint: CALL_TIMEOUT_MS,
  });
  const writer = new BinaryWriter();
  encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
  // The handle follows the token and the 8-byte timestamp. OPC 10000-4 §7.32.
  const tokenStart = writer.length;
  encodeNodeId(writer, authenticationToken);
  const handleOffset = writer.length + 8;
  writer.length = tokenStart;
  type.encode(writer, { ...fields, requestHeader } as Q);
  return { bytes: Buffer.from(writer.toBuffer()), handleOffset };
}

/**
 * Decodes a response of the expected type.
 * @throws UaStatusError for a ServiceFault or a bad service result. @throws Error for any other type.
 */
export function decodeResponse<S extends { responseHeader: ResponseHeader }>(
  type: ResponseType<S>,
  bytes: Buffer,
  start: number,
  end: number,
): S {
  const reader = new BinaryReader(bytes.subarray(start, end));
  const typeId = decodeNodeId(reader);
  if (isEncodingOf(ServiceFault, typeId)) throw serviceError(type.name, ServiceFault.decode(reader).responseHeader.serviceResult);
  if (!isEncodingOf(type, typeId)) throw new Error(`${type.name} expected, the answer is of type ${typeId.toString()}`);
  const response = type.decode(reader);
  if (reader.remaining !== 0) throw new Error(`${reader.remaining} bytes after ${type.name}`);
  const { serviceResult } = response.responseHeader;
  if (serviceResult !== 0) throw serviceError(type.name, serviceResult);
  return response;
}

/** A status code by its name. */
export function statusName(statusCode: number): string {
  return statusCodeEntry(statusCode)?.name ?? `0x${statusCode.toString(16)}`;
}

function isEncodingOf(type: StructureType<unknown>, typeId: NodeId): boolean {
  return typeId.namespaceIndex === 0 && typeId.identifier === type.binaryEncodingId;
}

function serviceError(what: string, statusCode: number): UaStatusError {
  return new UaStatusError(statusCode, `${what}: ${statusName(statusCode)}`);
}
