import { malformed } from './der-reader.ts';

const MAX_BLOCKS = 64;
const LOOKS_LIKE_PEM = /^\s*-----BEGIN |\n-----BEGIN /;

/** Whether a file's content is PEM text rather than DER. */
export function isPem(bytes: Buffer): boolean {
  return bytes[0] !== 0x30 && LOOKS_LIKE_PEM.test(bytes.toString('latin1'));
}

/**
 * The DER bytes of all PEM blocks with this label, at most 64.
 * @param label for example `CERTIFICATE` or `X509 CRL`.
 * @throws UaStatusError `BadCertificateInvalid` if a block has no end or isn't base64.
 */
export function readPemBlocks(text: string, label: string): Buffer[] {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const blocks: Buffer[] = [];
  for (let at = text.indexOf(begin); at >= 0 && blocks.length < MAX_BLOCKS; at = text.indexOf(begin, at)) {
    const from = at + begin.length;
    at = text.indexOf(end, from);
    if (at < 0) throw malformed('PEM block without an end');
    const base64 = text.slice(from, at).replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw malformed('PEM block that is not base64');
    blocks.push(Buffer.from(base64, 'base64'));
  }
  return blocks;
}

/** DER as text between lines that say what it is. RFC 7468. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der.buffer, der.byteOffset, der.length)
    .toString('base64')
    .replaceAll(/.{1,64}/gu, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
