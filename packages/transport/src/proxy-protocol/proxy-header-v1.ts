import type { RemoteAddress } from '@bulkhead/contracts';
import { parseIpAddress } from '@bulkhead/limits';
import { addressText } from './proxy-address.ts';
import { INCOMPLETE, malformed, type ProxyHeader, type ProxyHeaderFault } from './proxy-header.ts';

export const V1_SIGNATURE: Buffer = Buffer.from('PROXY ', 'latin1');
/** `PROXY UNKNOWN` with the two longest addresses and ports there are, and CR LF. */
export const MAX_V1_BYTES = 107;

const CR = 0x0d;
const LF = 0x0a;
const PORT = /^(?:0|[1-9]\d{0,4})$/u;
const MAX_PORT = 65_535;

/** The line of version 1: `PROXY TCP4 192.0.2.7 192.0.2.1 49152 4840`. @param bytes begin with its signature. */
export function readProxyHeaderV1(bytes: Buffer): ProxyHeader {
  const lineFeed = bytes.subarray(0, MAX_V1_BYTES).indexOf(LF);
  if (lineFeed === -1) return bytes.length < MAX_V1_BYTES ? INCOMPLETE : malformed('tooLong');
  if (bytes[lineFeed - 1] !== CR) return malformed('fields');
  const line = bytes.toString('latin1', V1_SIGNATURE.length, lineFeed - 1);
  const byteCount = lineFeed + 1;
  // What follows UNKNOWN says nothing.
  if (line === 'UNKNOWN' || line.startsWith('UNKNOWN ')) return { kind: 'header', source: undefined, byteCount };
  const source = sourceOf(line.split(' '));
  return typeof source === 'string' ? malformed(source) : { kind: 'header', source, byteCount };
}

function sourceOf([family, source = '', destination = '', sourcePort = '', ...rest]: readonly string[]): RemoteAddress | ProxyHeaderFault {
  const [destinationPort = ''] = rest;
  if (family !== 'TCP4' && family !== 'TCP6') return 'family';
  if (rest.length !== 1) return 'fields';
  const address = addressOf(source, family);
  if (address === undefined || addressOf(destination, family) === undefined) return 'address';
  if (!isPort(sourcePort) || !isPort(destinationPort)) return 'port';
  return { address, port: Number(sourcePort) };
}

function addressOf(text: string, family: 'TCP4' | 'TCP6'): string | undefined {
  if (text.includes(':') !== (family === 'TCP6') || text.includes('%')) return undefined;
  const address = parseIpAddress(text);
  return address === undefined ? undefined : addressText(address);
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= MAX_PORT;
}
