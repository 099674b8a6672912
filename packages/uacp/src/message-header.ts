import { DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * Message types of the connection protocol (HEL, ACK, ERR, RHE) and of the SecureChannel (OPN, MSG, CLO).
 * OPC 10000-6 §7.1.2.2 and §6.7.2.2.
 */
export type MessageType = 'HEL' | 'ACK' | 'ERR' | 'RHE' | 'OPN' | 'MSG' | 'CLO';

/** Intermediate, final or aborting chunk of a Message. OPC 10000-6 §6.7.2.2. */
export type ChunkType = 'C' | 'F' | 'A';

/** MessageType (3), chunk type (1) and MessageSize (4). */
export const MESSAGE_HEADER_BYTES = 8;

const CHUNK_TYPE_OFFSET = 3;
const MESSAGE_SIZE_OFFSET = 4;

/** @returns what the three bytes at `offset` name. @throws UaStatusError BadTcpMessageTypeInvalid when they name nothing. */
export function readMessageType(chunk: Buffer, offset = 0): MessageType {
  const code = ((chunk[offset] as number) << 16) | ((chunk[offset + 1] as number) << 8) | (chunk[offset + 2] as number);
  switch (code) {
    case 0x4d5347:
      return 'MSG';
    case 0x4f504e:
      return 'OPN';
    case 0x434c4f:
      return 'CLO';
    case 0x48454c:
      return 'HEL';
    case 0x41434b:
      return 'ACK';
    case 0x455252:
      return 'ERR';
    case 0x524845:
      return 'RHE';
    default:
      throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, 'unknown message type');
  }
}

/** @returns the fourth byte of a SecureChannel's chunk. @throws UaStatusError BadTcpMessageTypeInvalid when it is none of C, F and A. */
export function readChunkType(chunk: Buffer, offset = 0): ChunkType {
  switch (chunk[offset + CHUNK_TYPE_OFFSET]) {
    case 0x46:
      return 'F';
    case 0x43:
      return 'C';
    case 0x41:
      return 'A';
    default:
      throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, 'unknown chunk type');
  }
}

/** @returns the length of the whole chunk, header included, as the header states it. */
export function readMessageSize(chunk: Buffer, offset = 0): number {
  return chunk.readUInt32LE(offset + MESSAGE_SIZE_OFFSET);
}

/** Writes the eight bytes at the start of `chunk`. */
export function writeMessageHeader(chunk: Buffer, type: MessageType, chunkType: ChunkType, messageSize: number): void {
  chunk[0] = type.charCodeAt(0);
  chunk[1] = type.charCodeAt(1);
  chunk[2] = type.charCodeAt(2);
  chunk[CHUNK_TYPE_OFFSET] = chunkType.charCodeAt(0);
  chunk.writeUInt32LE(messageSize, MESSAGE_SIZE_OFFSET);
}

/**
 * Checks what the eight bytes at `offset` tell: known type, chunk type allowed for it, size within `maxChunkBytes`. The fourth byte is
 * ignored for HEL, ACK, ERR and RHE (§7.1.2.2) and has to be 'F' for OPN and CLO (§6.7.2.2).
 * @returns MessageSize.
 * @throws UaStatusError BadTcpMessageTypeInvalid, BadTcpMessageTooLarge; DecodingError when the size doesn't even hold the header.
 */
export function checkMessageHeader(bytes: Buffer, offset: number, maxChunkBytes: number): number {
  const type = readMessageType(bytes, offset);
  if (type === 'MSG') readChunkType(bytes, offset);
  else if ((type === 'OPN' || type === 'CLO') && readChunkType(bytes, offset) !== 'F') {
    throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, `${type} in more than one chunk`);
  }
  const size = readMessageSize(bytes, offset);
  if (size > maxChunkBytes) {
    throw new UaStatusError(StatusCodes.BadTcpMessageTooLarge, `chunk of ${size} bytes, ${maxChunkBytes} allowed`);
  }
  if (size < MESSAGE_HEADER_BYTES) throw DecodingError.malformed(`MessageSize ${size}`);
  return size;
}
