import { INCOMPLETE, malformed, type ProxyHeader } from './proxy-header.ts';
import { readProxyHeaderV1, V1_SIGNATURE } from './proxy-header-v1.ts';
import { MAX_V2_BYTES, readProxyHeaderV2, V2_SIGNATURE } from './proxy-header-v2.ts';

/** No header is longer, whichever its version. */
export const MAX_PROXY_HEADER_BYTES: number = MAX_V2_BYTES;

/**
 * Reads the header with which `bytes` begin. Never throws; bytes that can't become a header any more are malformed at once, and
 * `MAX_PROXY_HEADER_BYTES` are never incomplete.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (begins(bytes, V1_SIGNATURE)) return bytes.length < V1_SIGNATURE.length ? INCOMPLETE : readProxyHeaderV1(bytes);
  if (begins(bytes, V2_SIGNATURE)) return bytes.length < V2_SIGNATURE.length ? INCOMPLETE : readProxyHeaderV2(bytes);
  return malformed('noSignature');
}

/** As far as both go. */
function begins(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length);
  return bytes.compare(signature, 0, length, 0, length) === 0;
}
