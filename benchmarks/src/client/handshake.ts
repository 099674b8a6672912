import { BinaryReader, BinaryWriter, UaStatusError } from '@bulkhead/types';

/** What the client offers for both directions; the largest that servers commonly take. */
export const BUFFER_BYTES: number = 65_536;

/** The server's answer to Hello. OPC 10000-6 §7.1.2.4; 0 means "no limit". */
export interface Acknowledge {
  readonly receiveBufferBytes: number;
  readonly sendBufferBytes: number;
  readonly maxMessageBytes: number;
  readonly maxChunkCount: number;
}

/** A Hello message. OPC 10000-6 §7.1.2.3. */
export function encodeHello(endpointUrl: string): Buffer {
  const writer = startMessage('HEL');
  for (const value of [0, BUFFER_BYTES, BUFFER_BYTES, 0, 0]) writer.writeUInt32(value);
  writer.writeString(endpointUrl);
  return endMessage(writer);
}

export function decodeAcknowledge(chunk: Buffer): Acknowledge {
  const reader = new BinaryReader(chunk);
  reader.take(8 + 4);
  return {
    receiveBufferBytes: reader.readUInt32(),
    sendBufferBytes: reader.readUInt32(),
    maxMessageBytes: reader.readUInt32(),
    maxChunkCount: reader.readUInt32(),
  };
}

/** An Error message (OPC 10000-6 §7.1.2.5) as the error it stands for. */
export function decodeError(chunk: Buffer): UaStatusError {
  const reader = new BinaryReader(chunk);
  reader.take(8);
  const statusCode = reader.readUInt32();
  return new UaStatusError(statusCode, `the server closed the connection: 0x${statusCode.toString(16)} ${reader.readString() ?? ''}`);
}

/** Starts a chunk of one of the kinds that consist of a single chunk; `endMessage` fills in the size. */
export function startMessage(type: string): BinaryWriter {
  const writer = new BinaryWriter();
  writer.writeBytes(Buffer.from(`${type}F`, 'latin1'));
  writer.writeUInt32(0);
  return writer;
}

export function endMessage(writer: BinaryWriter): Buffer {
  writer.patchUInt32(4, writer.length);
  return Buffer.from(writer.toBuffer());
}
