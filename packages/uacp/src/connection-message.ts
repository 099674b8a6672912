import { BinaryReader, BinaryWriter, defaultEncodingLimits, type EncodingLimits } from '@bulkhead/types';
import { MESSAGE_HEADER_BYTES, type MessageType, writeMessageHeader } from './message-header.ts';

/** Longest String in a message of the connection protocol, in bytes of UTF-8. OPC 10000-6 §7.1.2. */
const MAX_STRING_BYTES = 4096;
const limits: EncodingLimits = { ...defaultEncodingLimits, maxStringBytes: MAX_STRING_BYTES };

/** A reader for what follows the header of a HEL, ACK, ERR or RHE chunk. */
export function messageReader(chunk: Buffer): BinaryReader {
  const reader = new BinaryReader(chunk, limits);
  reader.take(MESSAGE_HEADER_BYTES);
  return reader;
}

/** A writer that stands after the header. */
export function startMessage(): BinaryWriter {
  return new BinaryWriter(64, MESSAGE_HEADER_BYTES, MESSAGE_HEADER_BYTES + 4 * 4 + 2 * (4 + MAX_STRING_BYTES));
}

/** Puts the header in front of what was written. */
export function finishMessage(writer: BinaryWriter, type: MessageType): Buffer {
  const chunk = writer.toBuffer();
  writeMessageHeader(chunk, type, 'F', chunk.length);
  return chunk;
}
