import { finishMessage, messageReader, startMessage } from './connection-message.ts';

/** A server's answer to a Hello. OPC 10000-6 §7.1.2.4. */
export interface Acknowledge {
  readonly protocolVersion: number;
  /** Largest chunk in bytes that the server can receive; not above the Hello's SendBufferSize. */
  readonly receiveBufferSize: number;
  /** Largest chunk in bytes that the server will send; not above the Hello's ReceiveBufferSize. */
  readonly sendBufferSize: number;
  /** Largest request in bytes; 0: the server has no limit. */
  readonly maxMessageSize: number;
  /** Most chunks in a request; 0: the server has no limit. */
  readonly maxChunkCount: number;
}

export function encodeAcknowledge(acknowledge: Acknowledge): Buffer {
  const writer = startMessage();
  writer.writeUInt32(acknowledge.protocolVersion);
  writer.writeUInt32(acknowledge.receiveBufferSize);
  writer.writeUInt32(acknowledge.sendBufferSize);
  writer.writeUInt32(acknowledge.maxMessageSize);
  writer.writeUInt32(acknowledge.maxChunkCount);
  return finishMessage(writer, 'ACK');
}

/** @param chunk a whole ACK chunk. @throws DecodingError */
export function decodeAcknowledge(chunk: Buffer): Acknowledge {
  const reader = messageReader(chunk);
  return {
    protocolVersion: reader.readUInt32(),
    receiveBufferSize: reader.readUInt32(),
    sendBufferSize: reader.readUInt32(),
    maxMessageSize: reader.readUInt32(),
    maxChunkCount: reader.readUInt32(),
  };
}
