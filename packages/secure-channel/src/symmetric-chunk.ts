import { contentEnd, paddingFieldBytes, type SymmetricKeys, writePadding } from '@bulkhead/security';
import { DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import { BODY_OFFSET, SEQUENCE_HEADER_BYTES, SEQUENCE_HEADER_OFFSET } from './chunk-layout.ts';

/**
 * Decrypts in place, verifies and finds the end of the body of a MSG or CLO chunk. Whatever is wrong with padding, signature
 * or length gives the same answer. OPC 10000-6 §6.7.7.
 * @param keys undefined with MessageSecurityMode None.
 * @returns the offset behind the body; it starts at `BODY_OFFSET`.
 * @throws UaStatusError BadSecurityChecksFailed; DecodingError for a chunk without keys that is too short.
 */
export function openSymmetricChunk(chunk: Buffer, keys: SymmetricKeys | undefined, isEncrypted: boolean): number {
  if (keys === undefined) {
    if (chunk.length < BODY_OFFSET) throw DecodingError.malformed(`chunk of ${chunk.length} bytes`);
    return chunk.length;
  }
  if (isEncrypted) keys.decryptInPlace(chunk, SEQUENCE_HEADER_OFFSET, chunk.length);
  const signatureStart = chunk.length - keys.signatureBytes;
  if (signatureStart < BODY_OFFSET || !keys.verify(chunk.subarray(0, signatureStart), chunk.subarray(signatureStart))) {
    throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'chunk not authentic');
  }
  if (!isEncrypted) return signatureStart;
  return contentEnd(chunk, BODY_OFFSET, signatureStart, false);
}

/** Bytes that follow a body of `bodyBytes`: padding and signature. */
export function tailBytes(bodyBytes: number, keys: SymmetricKeys | undefined, isEncrypted: boolean): number {
  if (keys === undefined) return 0;
  if (!isEncrypted) return keys.signatureBytes;
  const contentBytes = SEQUENCE_HEADER_BYTES + bodyBytes;
  return paddingFieldBytes(contentBytes, keys.signatureBytes, keys.blockBytes, false) + keys.signatureBytes;
}

/** Largest body that a chunk of `chunkBytes` can carry. OPC 10000-6 §6.7.2.5. */
export function maxBodyBytes(chunkBytes: number, keys: SymmetricKeys | undefined, isEncrypted: boolean): number {
  if (keys === undefined) return chunkBytes - BODY_OFFSET;
  if (!isEncrypted) return chunkBytes - BODY_OFFSET - keys.signatureBytes;
  const encryptedBytes = chunkBytes - SEQUENCE_HEADER_OFFSET;
  return encryptedBytes - (encryptedBytes % keys.blockBytes) - SEQUENCE_HEADER_BYTES - 1 - keys.signatureBytes;
}

/** Pads, signs and encrypts a chunk in place; all its headers are written and `tailBytes` are free behind the body. */
export function sealSymmetricChunk(chunk: Buffer, bodyEnd: number, keys: SymmetricKeys | undefined, isEncrypted: boolean): void {
  if (keys === undefined) return;
  let signatureStart = bodyEnd;
  if (isEncrypted) {
    signatureStart = chunk.length - keys.signatureBytes;
    writePadding(chunk, bodyEnd, signatureStart - bodyEnd, false);
  }
  keys.signInPlace(chunk, 0, signatureStart);
  if (isEncrypted) keys.encryptInPlace(chunk, SEQUENCE_HEADER_OFFSET, chunk.length);
}
