import type { Socket } from 'node:net';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  BinaryReader,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  createActivateSessionResponse,
  createCloseSessionResponse,
  createCreateSessionResponse,
  createEndpointDescription,
  createOpenSecureChannelResponse,
  createResponseHeader,
  createUserTokenPolicy,
  DateTime,
  decodeNodeId,
  decodeRequestHeader,
  encodeNodeId,
  MessageSecurityMode,
  NodeId,
  OpenSecureChannelRequest,
  OpenSecureChannelResponse,
  ReadRequest,
  type ResponseHeader,
  type StructureType,
  UserTokenType,
} from '@bulkhead/types';
import { ChunkSplitter } from '../client/chunk-splitter.ts';
import { BUFFER_BYTES, endMessage, startMessage } from '../client/handshake.ts';
import { HEADER_BYTES } from '../client/plain-channel.ts';
import { type BakedReads, CHANNEL_ID, isRead, patchResponse, TOKEN_ID } from './baked-reads.ts';

const LIFETIME_MS = 3_600_000;
/** Its encoding has 4 bytes, which fixes where a request's handle stands. */
const TOKEN = NodeId.numeric(0, 1000);
const REQUEST_HANDLE_OFFSET = HEADER_BYTES + 4 + 4 + 8;
const SLAB_BYTES = 1024 * 1024;
const POLICY_NONE = 'http://opcfoundation.org/UA/SecurityPolicy#None';
const HEL = 0x48;
const OPN = 0x4f;
const MSG = 0x4d;

interface Answer {
  readonly type: StructureType<unknown>;
  readonly value: object;
}

/** One connection of the floor server: sets a session up without looking, then answers Reads from the baked ones. */
export class FloorConnection {
  readonly #socket: Socket;
  readonly #baked: BakedReads;
  #sequenceNumber = 0;
  /** Responses of one read are put side by side here and leave in one write. A slab is written to only once. */
  #slab: Buffer = Buffer.allocUnsafe(SLAB_BYTES);
  #firstByte = 0;
  #endByte = 0;
  /** Nodes of a Read by the request's size: all requests of a size are taken to be alike. */
  readonly #nodeCounts: Map<number, number> = new Map();

  constructor(socket: Socket, baked: BakedReads) {
    this.#socket = socket;
    this.#baked = baked;
    const splitter = new ChunkSplitter(BUFFER_BYTES, (bytes, start, end) => this.#onChunk(bytes, start, end));
    socket.on('data', (bytes: Buffer) => {
      splitter.push(bytes, bytes.length);
      this.#flush();
    });
    socket.on('error', () => socket.destroy());
  }

  #onChunk(bytes: Buffer, start: number, end: number): void {
    switch (bytes[start]) {
      case HEL:
        this.#append(acknowledge());
        break;
      case OPN:
        this.#append(this.#openResponse(bytes.subarray(start, end)));
        break;
      case MSG:
        if (isRead(bytes, start)) this.#answerRead(bytes, start, end);
        else this.#append(this.#response(bytes.subarray(start, end)));
        break;
      default:
        this.#socket.end();
    }
  }

  #answerRead(bytes: Buffer, start: number, end: number): void {
    let nodeCount = this.#nodeCounts.get(end - start);
    if (nodeCount === undefined) {
      nodeCount = countNodes(bytes.subarray(start, end));
      this.#nodeCounts.set(end - start, nodeCount);
    }
    const at = this.#append(this.#baked.frame(nodeCount));
    const requestHandle = bytes.readUInt32LE(start + REQUEST_HANDLE_OFFSET);
    patchResponse(this.#slab, at, ++this.#sequenceNumber, bytes.readUInt32LE(start + 20), requestHandle);
  }

  /** @returns where the frame starts in the slab. */
  #append(frame: Buffer): number {
    if (this.#endByte + frame.length > SLAB_BYTES) {
      this.#flush();
      this.#slab = Buffer.allocUnsafe(SLAB_BYTES);
      this.#firstByte = 0;
      this.#endByte = 0;
    }
    const at = this.#endByte;
    this.#endByte += frame.copy(this.#slab, at);
    return at;
  }

  #flush(): void {
    if (this.#firstByte === this.#endByte) return;
    this.#socket.write(this.#slab.subarray(this.#firstByte, this.#endByte));
    this.#firstByte = this.#endByte;
  }

  #openResponse(chunk: Buffer): Buffer {
    const reader = new BinaryReader(chunk);
    reader.take(12);
    reader.readString();
    reader.readByteString();
    reader.readByteString();
    reader.take(4);
    const requestId = reader.readUInt32();
    decodeNodeId(reader);
    const { requestHandle } = OpenSecureChannelRequest.decode(reader).requestHeader;
    const now = DateTime.fromUnixMs(Date.now());
    const securityToken = { channelId: CHANNEL_ID, tokenId: TOKEN_ID, createdAt: now, revisedLifetime: LIFETIME_MS };
    const writer = startMessage('OPN');
    writer.writeUInt32(CHANNEL_ID);
    writer.writeString(POLICY_NONE);
    writer.writeByteString(null);
    writer.writeByteString(null);
    writer.writeUInt32(++this.#sequenceNumber);
    writer.writeUInt32(requestId);
    encodeNodeId(writer, NodeId.numeric(0, OpenSecureChannelResponse.binaryEncodingId));
    OpenSecureChannelResponse.encode(writer, createOpenSecureChannelResponse({ responseHeader: header(requestHandle), securityToken }));
    return endMessage(writer);
  }

  #response(chunk: Buffer): Buffer {
    const reader = new BinaryReader(chunk);
    reader.take(HEADER_BYTES);
    const typeId = decodeNodeId(reader).identifier;
    const { type, value } = answer(typeId as number, header(decodeRequestHeader(reader).requestHandle));
    const writer = startMessage('MSG');
    writer.writeUInt32(CHANNEL_ID);
    writer.writeUInt32(TOKEN_ID);
    writer.writeUInt32(++this.#sequenceNumber);
    writer.writeUInt32(chunk.readUInt32LE(20));
    encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
    type.encode(writer, value);
    return endMessage(writer);
  }
}

function answer(requestTypeId: number, responseHeader: ResponseHeader): Answer {
  switch (requestTypeId) {
    case CreateSessionRequest.binaryEncodingId:
      return {
        type: CreateSessionResponse,
        value: createCreateSessionResponse({ responseHeader, authenticationToken: TOKEN, serverEndpoints: [endpoint()] }),
      };
    case ActivateSessionRequest.binaryEncodingId:
      return { type: ActivateSessionResponse, value: createActivateSessionResponse({ responseHeader }) };
    case CloseSessionRequest.binaryEncodingId:
      return { type: CloseSessionResponse, value: createCloseSessionResponse({ responseHeader }) };
    default:
      throw new Error(`the floor server has no answer to type ${requestTypeId}`);
  }
}

function endpoint(): ReturnType<typeof createEndpointDescription> {
  const userIdentityTokens = [createUserTokenPolicy({ policyId: 'anonymous', tokenType: UserTokenType.Anonymous })];
  return createEndpointDescription({ securityMode: MessageSecurityMode.None, securityPolicyUri: POLICY_NONE, userIdentityTokens });
}

function header(requestHandle: number): ResponseHeader {
  return createResponseHeader({ timestamp: DateTime.fromUnixMs(Date.now()), requestHandle });
}

function acknowledge(): Buffer {
  const writer = startMessage('ACK');
  for (const value of [0, BUFFER_BYTES, BUFFER_BYTES, 0, 0]) writer.writeUInt32(value);
  return endMessage(writer);
}

function countNodes(chunk: Buffer): number {
  const reader = new BinaryReader(chunk);
  reader.take(HEADER_BYTES);
  decodeNodeId(reader);
  return ReadRequest.decode(reader).nodesToRead?.length ?? 0;
}
