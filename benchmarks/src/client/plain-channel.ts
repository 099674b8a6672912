import {
  BinaryReader,
  type BinaryWriter,
  CloseSecureChannelRequest,
  decodeNodeId,
  MessageSecurityMode,
  NodeId,
  OpenSecureChannelRequest,
  OpenSecureChannelResponse,
  SecurityTokenRequestType,
} from '@bulkhead/types';
import { type Acknowledge, endMessage, startMessage } from './handshake.ts';
import { decodeResponse, encodeRequest } from './message-body.ts';
import type { MessageChannel, MessageReceiver, OpenExchange } from './message-channel.ts';

const POLICY_NONE = 'http://opcfoundation.org/UA/SecurityPolicy#None';
const TOKEN_LIFETIME_MS = 3_600_000;
/** Message header, channel id, token id, sequence number, request id. */
export const HEADER_BYTES: number = 24;
const FINAL = 0x46;
const INTERMEDIATE = 0x43;
const MSG = Buffer.from('MSG', 'latin1');

/** SecurityPolicy None. Frames can be made once and stamped again for each request. */
export class PlainChannel implements MessageChannel {
  #channelId = 0;
  #tokenId = 0;
  #sequenceNumber = 0;
  #maxBodyBytes = 0;
  #partial: Buffer[] = [];

  async open(exchange: OpenExchange, { receiveBufferBytes }: Acknowledge): Promise<void> {
    this.#maxBodyBytes = receiveBufferBytes - HEADER_BYTES;
    const fields = {
      clientProtocolVersion: 0,
      requestType: SecurityTokenRequestType.Issue,
      securityMode: MessageSecurityMode.None,
      clientNonce: null,
      requestedLifetime: TOKEN_LIFETIME_MS,
    };
    const writer = startMessage('OPN');
    writer.writeUInt32(0);
    this.#writeAsymmetricHeaders(writer, 1);
    writer.writeBytes(encodeRequest(OpenSecureChannelRequest, fields, NodeId.NULL, 1).bytes);
    const chunk = await exchange([endMessage(writer)]);
    const { securityToken } = decodeResponse(OpenSecureChannelResponse, chunk, asymmetricBodyStart(chunk), chunk.length);
    this.#channelId = securityToken.channelId;
    this.#tokenId = securityToken.tokenId;
  }

  #writeAsymmetricHeaders(writer: BinaryWriter, requestId: number): void {
    writer.writeString(POLICY_NONE);
    writer.writeByteString(null);
    writer.writeByteString(null);
    writer.writeUInt32(++this.#sequenceNumber);
    writer.writeUInt32(requestId);
  }

  encode(requestId: number, body: Buffer): readonly Buffer[] {
    const frame = this.createFrame(body);
    this.stamp(frame, 0, requestId);
    return [frame];
  }

  /** All chunks of a request in one buffer, to be stamped before it is sent. */
  createFrame(body: Buffer): Buffer {
    const chunkCount = Math.max(1, Math.ceil(body.length / this.#maxBodyBytes));
    const frame = Buffer.alloc(body.length + chunkCount * HEADER_BYTES);
    for (let chunk = 0, at = 0; chunk < chunkCount; chunk++) {
      const from = chunk * this.#maxBodyBytes;
      const part = body.subarray(from, from + this.#maxBodyBytes);
      MSG.copy(frame, at);
      frame[at + 3] = chunk === chunkCount - 1 ? FINAL : INTERMEDIATE;
      frame.writeUInt32LE(HEADER_BYTES + part.length, at + 4);
      frame.writeUInt32LE(this.#channelId, at + 8);
      frame.writeUInt32LE(this.#tokenId, at + 12);
      part.copy(frame, at + HEADER_BYTES);
      at += HEADER_BYTES + part.length;
    }
    return frame;
  }

  /** Gives the frame that starts at `start` its place in the sequence; frames must be sent in the order of stamping. */
  stamp(frame: Buffer, start: number, requestId: number): void {
    for (let at = start; ; at += frame.readUInt32LE(at + 4)) {
      frame.writeUInt32LE(++this.#sequenceNumber, at + 16);
      frame.writeUInt32LE(requestId, at + 20);
      if (frame[at + 3] === FINAL) return;
    }
  }

  decode(bytes: Buffer, start: number, end: number, receive: MessageReceiver): void {
    const kind = bytes[start + 3];
    const bodyStart = start + HEADER_BYTES;
    if (kind === FINAL && this.#partial.length === 0) {
      receive(bytes.readUInt32LE(start + 20), bytes, bodyStart, end);
      return;
    }
    if (kind !== FINAL && kind !== INTERMEDIATE) throw new Error('the server aborted a response');
    this.#partial.push(Buffer.from(bytes.subarray(bodyStart, end)));
    if (kind === INTERMEDIATE) return;
    const body = Buffer.concat(this.#partial);
    this.#partial = [];
    receive(bytes.readUInt32LE(start + 20), body, 0, body.length);
  }

  encodeClose(requestId: number): readonly Buffer[] {
    const frame = this.createFrame(encodeRequest(CloseSecureChannelRequest, {}, NodeId.NULL, requestId).bytes);
    frame.write('CLO', 0, 'latin1');
    this.stamp(frame, 0, requestId);
    return [frame];
  }
}

/** Skips the headers of an unsecured OPN chunk. */
function asymmetricBodyStart(chunk: Buffer): number {
  const reader = new BinaryReader(chunk);
  reader.take(12);
  const policyUri = reader.readString();
  if (policyUri !== POLICY_NONE) throw new Error(`the server answered with security policy ${policyUri}`);
  reader.readByteString();
  reader.readByteString();
  reader.take(8);
  const start = reader.length;
  decodeNodeId(reader);
  return start;
}
