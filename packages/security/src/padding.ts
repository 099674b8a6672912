import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** RSA keys longer than this many bytes need the ExtraPaddingSize byte. */
const LONGEST_KEY_WITHOUT_EXTRA_BYTES = 256;

/** Whether chunks encrypted with a key of this size carry the ExtraPaddingSize byte. OPC 10000-6 §6.7.2.5. */
export function needsExtraPaddingSize(encryptionKeyBytes: number): boolean {
  return encryptionKeyBytes > LONGEST_KEY_WITHOUT_EXTRA_BYTES;
}

/**
 * Length of PaddingSize, Padding and ExtraPaddingSize together, so that content, padding and signature fill whole blocks.
 * @param contentBytes SequenceHeader and Body.
 * @param plainBlockBytes plain text block: 16 for AES; key bytes − OAEP overhead for RSA.
 */
export function paddingFieldBytes(
  contentBytes: number,
  signatureBytes: number,
  plainBlockBytes: number,
  extraPaddingSize: boolean,
): number {
  const sizeFields = extraPaddingSize ? 2 : 1;
  const remainder = (contentBytes + sizeFields + signatureBytes) % plainBlockBytes;
  return sizeFields + (remainder === 0 ? 0 : plainBlockBytes - remainder);
}

/** Writes a padding field of `fieldBytes` (from `paddingFieldBytes`) at `offset`; gives the offset behind it. */
export function writePadding(chunk: Buffer, offset: number, fieldBytes: number, extraPaddingSize: boolean): number {
  const paddingSize = fieldBytes - (extraPaddingSize ? 2 : 1);
  const paddingEnd = offset + 1 + paddingSize;
  chunk.fill(paddingSize & 0xff, offset, paddingEnd);
  if (!extraPaddingSize) return paddingEnd;
  chunk[paddingEnd] = paddingSize >>> 8;
  return paddingEnd + 1;
}

/**
 * Finds where the content of a decrypted chunk ends. Call it after the signature has been verified: the check then tells
 * nobody anything about forged chunks. Every padding byte is looked at, whatever the first ones say.
 * @param start first byte of the SequenceHeader, @param end first byte of the signature.
 * @returns the offset of the PaddingSize byte, i.e. the end of the body.
 * @throws UaStatusError `BadSecurityChecksFailed` if the padding isn't as OPC 10000-6 §6.7.2.5 wants it.
 */
export function contentEnd(chunk: Buffer, start: number, end: number, extraPaddingSize: boolean): number {
  const paddingEnd = extraPaddingSize ? end - 1 : end;
  const lowByte = chunk[paddingEnd - 1] ?? 0;
  const paddingSize = extraPaddingSize ? ((chunk[paddingEnd] ?? 0) << 8) | lowByte : lowByte;
  const sizeOffset = paddingEnd - 1 - paddingSize;
  let differing = sizeOffset < start ? 1 : 0;
  for (let i = Math.max(start, sizeOffset); i < paddingEnd; i++) differing |= (chunk[i] ?? 0) ^ lowByte;
  if (differing !== 0) throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'malformed padding');
  return sizeOffset;
}
