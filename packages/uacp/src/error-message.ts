import { DecodingError, type StatusCode, StatusCodes } from '@bulkhead/types';
import { finishMessage, messageReader, startMessage } from './connection-message.ts';

/** Longest Reason in bytes of UTF-8. OPC 10000-6 §7.1.2.5. */
export const MAX_REASON_BYTES = 4096;

/** The last message on a connection: why the sender closes it. OPC 10000-6 §7.1.2.5. */
export interface ErrorMessage {
  readonly error: StatusCode;
  /** Empty when the sender gave none or one that is longer than 4,096 bytes. */
  readonly reason: string;
}

/** A reason of more than 4,096 bytes is cut at a character's end. */
export function encodeErrorMessage(message: ErrorMessage): Buffer {
  const writer = startMessage();
  writer.writeUInt32(message.error);
  writer.writeString(truncateReason(message.reason));
  return finishMessage(writer, 'ERR');
}

/** @param chunk a whole ERR chunk. @throws DecodingError */
export function decodeErrorMessage(chunk: Buffer): ErrorMessage {
  const reader = messageReader(chunk);
  const error = reader.readUInt32();
  try {
    return { error, reason: reader.readString() ?? '' };
  } catch (failure) {
    // A reason that is too long shall be ignored (§7.1.2.5); the error still counts.
    if (failure instanceof DecodingError && failure.statusCode === StatusCodes.BadEncodingLimitsExceeded) return { error, reason: '' };
    throw failure;
  }
}

/** Cuts `reason` to at most 4,096 bytes of UTF-8 without splitting a character. */
export function truncateReason(reason: string): string {
  if (reason.length * 3 <= MAX_REASON_BYTES || Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  const bytes = Buffer.from(reason);
  let end = MAX_REASON_BYTES;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
