import { type BinaryReader, DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import { finishMessage, messageReader, startMessage } from './connection-message.ts';

/** Longest EndpointUrl or ServerUri in bytes of UTF-8. OPC 10000-6 §7.1.2.3. */
export const MAX_ENDPOINT_URL_BYTES = 4096;

/** What a client opens a connection with. OPC 10000-6 §7.1.2.3. */
export interface Hello {
  readonly protocolVersion: number;
  /** Largest chunk in bytes that the client can receive. */
  readonly receiveBufferSize: number;
  /** Largest chunk in bytes that the client will send. */
  readonly sendBufferSize: number;
  /** Largest response in bytes; 0: the client has no limit. */
  readonly maxMessageSize: number;
  /** Most chunks in a response; 0: the client has no limit. */
  readonly maxChunkCount: number;
  /** Empty when the client sent a null string. */
  readonly endpointUrl: string;
}

export function encodeHello(hello: Hello): Buffer {
  const writer = startMessage();
  writer.writeUInt32(hello.protocolVersion);
  writer.writeUInt32(hello.receiveBufferSize);
  writer.writeUInt32(hello.sendBufferSize);
  writer.writeUInt32(hello.maxMessageSize);
  writer.writeUInt32(hello.maxChunkCount);
  writer.writeString(hello.endpointUrl);
  return finishMessage(writer, 'HEL');
}

/**
 * @param chunk a whole HEL chunk. Bytes after the known fields are ignored: a later protocol version may add some.
 * @throws DecodingError; UaStatusError BadTcpEndpointUrlInvalid when the EndpointUrl has more than 4,096 bytes.
 */
export function decodeHello(chunk: Buffer): Hello {
  const reader = messageReader(chunk);
  return {
    protocolVersion: reader.readUInt32(),
    receiveBufferSize: reader.readUInt32(),
    sendBufferSize: reader.readUInt32(),
    maxMessageSize: reader.readUInt32(),
    maxChunkCount: reader.readUInt32(),
    endpointUrl: readUrl(reader),
  };
}

/** Reads a String of at most 4,096 bytes. @throws UaStatusError BadTcpEndpointUrlInvalid when it is longer, DecodingError */
export function readUrl(reader: BinaryReader): string {
  try {
    return reader.readString() ?? '';
  } catch (error) {
    if (!(error instanceof DecodingError && error.statusCode === StatusCodes.BadEncodingLimitsExceeded)) throw error;
    throw new UaStatusError(StatusCodes.BadTcpEndpointUrlInvalid, 'URL of more than 4096 bytes', { cause: error });
  }
}
