import { type IpAddress, parseIpAddress } from '@bulkhead/limits';

/**
 * An address as node:net writes those of sockets, so that a client has one text whatever way it came: IPv4-mapped addresses are IPv4,
 * IPv6 is compressed (RFC 5952).
 */
export function addressText(address: IpAddress): string {
  if (address.length === 2) return address.map((group) => `${group >> 8}.${group & 0xff}`).join('.');
  const full = address.map((group) => group.toString(16)).join(':');
  return new URL(`http://[${full}]`).hostname.slice(1, -1);
}

/** The address of 4 or 16 bytes. */
export function addressOfBytes(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2) groups.push(bytes.readUInt16BE(at).toString(16));
  const text = groups.join(':');
  // Parsing tells IPv4-mapped ones.
  const address = parseIpAddress(text);
  return address === undefined ? text : addressText(address);
}
