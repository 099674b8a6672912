import { parseIpAddress } from './ip-address.ts';

/**
 * The group of callers that an observed address belongs to: an IPv4 address by itself, its IPv4-mapped form the same; IPv6
 * addresses by their first bits, for one host commonly has a whole subnet of them. Text that is no address is a group of its own.
 * @param ipv6PrefixLength 1..128.
 */
export function addressGroup(address: string, ipv6PrefixLength: number): string {
  if (!address.includes(':')) return address;
  const zoneAt = address.indexOf('%');
  const bytes = parseIpAddress(zoneAt < 0 ? address : address.slice(0, zoneAt));
  if (bytes === undefined) return address;
  if (bytes.length === 4) return bytes.join('.');
  const zone = zoneAt < 0 ? '' : address.slice(zoneAt);
  return prefixText(bytes, ipv6PrefixLength) + zone;
}

function prefixText(bytes: Uint8Array, prefixLength: number): string {
  const groups: string[] = [];
  for (let group = 0; group * 16 < prefixLength; group++) {
    const bits = Math.min(16, prefixLength - group * 16);
    const value = ((bytes[group * 2] as number) << 8) | (bytes[group * 2 + 1] as number);
    groups.push((value & (0xffff << (16 - bits))).toString(16));
  }
  return `${groups.join(':')}${groups.length < 8 ? '::' : ''}/${prefixLength}`;
}
