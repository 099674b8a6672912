import { addressOfBytes } from './proxy-address.ts';
import { INCOMPLETE, malformed, type ProxyHeader } from './proxy-header.ts';

export const V2_SIGNATURE: Buffer = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** With its TLVs; what fits into the smallest segment that every host takes. */
export const MAX_V2_BYTES = 536;

const FIXED_BYTES = 16;
const VERSION = 2;
const LOCAL = 0;
const PROXY = 1;
/** UNIX is the last family that there is, datagrams the last protocol. */
const LAST_FAMILY = 3;
const LAST_PROTOCOL = 2;
const STREAM = 1;
/** Bytes of an address by its family: UNSPEC, INET, INET6, UNIX. */
const addressBytes: readonly number[] = [0, 4, 16, 108];
const PORT_BYTES = 2;

/** The binary header of version 2, its TLVs skipped. @param bytes begin with its signature. */
export function readProxyHeaderV2(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE;
  const versionAndCommand = bytes.readUInt8(12);
  const familyAndProtocol = bytes.readUInt8(13);
  const byteCount = FIXED_BYTES + bytes.readUInt16BE(14);
  if (versionAndCommand >> 4 !== VERSION) return malformed('version');
  const command = versionAndCommand & 0xf;
  if (command !== LOCAL && command !== PROXY) return malformed('command');
  if (byteCount > MAX_V2_BYTES) return malformed('tooLong');
  const [family, protocol] = [familyAndProtocol >> 4, familyAndProtocol & 0xf];
  if (command === PROXY) {
    if (family > LAST_FAMILY || protocol > LAST_PROTOCOL) return malformed('family');
    if (byteCount < FIXED_BYTES + addressBlockBytes(family)) return malformed('address');
  }
  if (bytes.length < byteCount) return INCOMPLETE;
  const source = command === PROXY ? sourceOf(bytes.subarray(FIXED_BYTES, byteCount), family, protocol) : undefined;
  return { kind: 'header', source, byteCount };
}

/** Source, destination, and their ports where the family has ports. */
function addressBlockBytes(family: number): number {
  const length = addressBytes[family] ?? 0;
  return 2 * (length + (isInternet(family) ? PORT_BYTES : 0));
}

/** Undefined for what no TCP client is behind: the specification has receivers take those as if nothing had been said. */
function sourceOf(block: Buffer, family: number, protocol: number): { address: string; port: number } | undefined {
  if (!isInternet(family) || protocol !== STREAM) return undefined;
  const length = addressBytes[family] ?? 0;
  return { address: addressOfBytes(block.subarray(0, length)), port: block.readUInt16BE(2 * length) };
}

function isInternet(family: number): boolean {
  return family === 1 || family === 2;
}
