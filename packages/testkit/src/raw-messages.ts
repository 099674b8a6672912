import {
  BinaryReader,
  BinaryWriter,
  decodeNodeId,
  decodeResponseHeader,
  encodeNodeId,
  MessageSecurityMode,
  NodeId,
  OpenSecureChannelRequest,
  OpenSecureChannelResponse,
  type RequestType,
  type ResponseHeader,
  type ResponseType,
  SecurityTokenRequestType,
  type StructureType,
} from '@bulkhead/types';
import { encodeHello, type Hello } from '@bulkhead/uacp';

export const SECURITY_POLICY_NONE = 'http://opcfoundation.org/UA/SecurityPolicy#None';

const CHUNK_HEADER_BYTES = 8;

/** A chunk with a correct MessageSize around any bytes; nothing about the arguments is checked. */
export function rawChunk(messageType: string, chunkType: string, rest: Uint8Array): Buffer {
  const chunk = Buffer.alloc(CHUNK_HEADER_BYTES + rest.length);
  chunk.write(messageType.slice(0, 3) + chunkType.slice(0, 1), 'latin1');
  chunk.writeUInt32LE(chunk.length, 4);
  chunk.set(rest, CHUNK_HEADER_BYTES);
  return chunk;
}

export function rawHello(overrides: Partial<Hello> = {}): Buffer {
  return encodeHello({
    protocolVersion: 0,
    receiveBufferSize: 65_536,
    sendBufferSize: 65_536,
    maxMessageSize: 0,
    maxChunkCount: 0,
    endpointUrl: 'opc.tcp://localhost:4840',
    ...overrides,
  });
}

/** The three letters that a chunk starts with. */
export function chunkTypeOf(chunk: Buffer): string {
  return chunk.toString('latin1', 0, 3);
}

/** TypeId and structure, as the body of a message. */
export function encodeMessage<T>(type: StructureType<T>, value: T): Buffer {
  const writer = new BinaryWriter();
  encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
  type.encode(writer, value);
  return writer.toBuffer();
}

/** A service response as it came. */
export class RawResponse {
  readonly requestId: number;
  readonly typeId: number;
  readonly header: ResponseHeader;
  readonly message: Buffer;

  constructor(requestId: number, message: Buffer) {
    const reader = new BinaryReader(message);
    this.requestId = requestId;
    this.typeId = decodeNodeId(reader).identifier as number;
    this.header = decodeResponseHeader(reader);
    this.message = message;
  }

  /** @throws Error when it is another response: a ServiceFault, mostly. */
  decode<T>(type: ResponseType<T>): T {
    if (this.typeId !== type.binaryEncodingId) {
      throw new Error(`response ${this.typeId} with 0x${this.header.serviceResult.toString(16)} instead of ${type.name}`);
    }
    const reader = new BinaryReader(this.message);
    decodeNodeId(reader);
    return type.decode(reader);
  }
}

/** The client's half of a SecureChannel with SecurityPolicy None, written out by hand so that tests can bend any part of it. */
export class RawNoneChannel {
  channelId = 0;
  tokenId = 0;
  /** SequenceNumber of the next chunk. */
  nextSequenceNumber = 1;
  /** RequestId of the next request. */
  nextRequestId = 1;
  /** Bodies of intermediate chunks by RequestId. */
  readonly #intermediate: Map<number, Buffer[]> = new Map();

  openRequest(requestType: SecurityTokenRequestType = SecurityTokenRequestType.Issue, requestedLifetime = 3_600_000): Buffer {
    const body = encodeMessage(
      OpenSecureChannelRequest,
      OpenSecureChannelRequest.create({ requestType, securityMode: MessageSecurityMode.None, requestedLifetime }),
    );
    const writer = new BinaryWriter();
    writer.writeUInt32(this.channelId);
    writer.writeString(SECURITY_POLICY_NONE);
    writer.writeByteString(null);
    writer.writeByteString(null);
    this.#writeSequenceHeader(writer);
    writer.writeBytes(body);
    return rawChunk('OPN', 'F', writer.toBuffer());
  }

  /** Takes ids and token from an OPN response. */
  acceptOpen(chunk: Buffer): OpenSecureChannelResponse {
    const reader = new BinaryReader(chunk);
    reader.take(CHUNK_HEADER_BYTES + 4);
    reader.readString();
    reader.readByteString();
    reader.readByteString();
    reader.take(8);
    decodeNodeId(reader);
    const response = OpenSecureChannelResponse.decode(reader);
    this.channelId = response.securityToken.channelId;
    this.tokenId = response.securityToken.tokenId;
    return response;
  }

  /** One MSG or CLO chunk with the next SequenceNumber. */
  chunk(messageType: string, chunkType: string, requestId: number, body: Uint8Array): Buffer {
    const writer = new BinaryWriter();
    writer.writeUInt32(this.channelId);
    writer.writeUInt32(this.tokenId);
    writer.writeUInt32(this.nextSequenceNumber++);
    writer.writeUInt32(requestId);
    writer.writeBytes(body);
    return rawChunk(messageType, chunkType, writer.toBuffer());
  }

  /** A request in one chunk, with the next RequestId. */
  request<T>(type: RequestType<T>, init: Partial<T> = {}): Buffer {
    return this.chunk('MSG', 'F', this.nextRequestId++, encodeMessage(type, type.create(init)));
  }

  /** @returns the response once its final chunk came. */
  receive(chunk: Buffer): RawResponse | undefined {
    if (chunkTypeOf(chunk) !== 'MSG') throw new Error(`${chunkTypeOf(chunk)} instead of MSG`);
    const requestId = chunk.readUInt32LE(20);
    const body = chunk.subarray(24);
    const kind = chunk.toString('latin1', 3, 4);
    const before = this.#intermediate.get(requestId) ?? [];
    if (kind === 'C') {
      this.#intermediate.set(requestId, [...before, body]);
      return undefined;
    }
    this.#intermediate.delete(requestId);
    if (kind === 'A') throw new Error(`response ${requestId} aborted`);
    return new RawResponse(requestId, Buffer.concat([...before, body]));
  }

  #writeSequenceHeader(writer: BinaryWriter): void {
    writer.writeUInt32(this.nextSequenceNumber++);
    writer.writeUInt32(this.nextRequestId++);
  }
}

/** Cuts received bytes into chunks by their stated sizes; bounded by the test that feeds it. */
export class ChunkInbox {
  #bytes: Buffer = Buffer.alloc(0);
  readonly chunks: Buffer[] = [];

  push(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= CHUNK_HEADER_BYTES) {
      const size = this.#bytes.readUInt32LE(4);
      if (size < CHUNK_HEADER_BYTES) throw new Error(`chunk that states ${size} bytes`);
      if (this.#bytes.length < size) return;
      this.chunks.push(this.#bytes.subarray(0, size));
      this.#bytes = this.#bytes.subarray(size);
    }
  }
}
