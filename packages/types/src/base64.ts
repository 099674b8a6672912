import { DecodingError } from './ua-status-error.ts';

/** Standard base64 of bytes. */
export function formatBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * Bytes of a base64 text; white space is allowed, as XML has it.
 * @throws DecodingError when the text is not base64.
 */
export function parseBase64(text: string): Buffer {
  const compact = /\s/u.test(text) ? text.replaceAll(/\s+/gu, '') : text;
  if (compact.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/u.test(compact)) throw DecodingError.malformed('not base64');
  return Buffer.from(compact, 'base64');
}
