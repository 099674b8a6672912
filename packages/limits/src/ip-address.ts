/** An IP address as 16-bit groups: 2 for IPv4, 8 for IPv6. An IPv4-mapped IPv6 address is the IPv4 address it stands for. */
export type IpAddress = readonly number[];

/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const MAX_TEXT_LENGTH = 45;

/**
 * Reads an IPv4 or IPv6 address; a zone (`%eth0`) is ignored. Strict: no octal, no hexadecimal octets, no leading zeros in IPv4.
 * @returns undefined for anything else, of whatever length.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const zone = text.indexOf('%');
  const groups = parseIpv6(zone === -1 ? text : text.slice(0, zone));
  return groups !== undefined && isMappedIpv4(groups) ? groups.slice(6) : groups;
}

/**
 * The text under which an address counts: IPv4 as it is written, IPv6 by its first `ipv6PrefixBits` bits, because a single client
 * usually has at least a /64 to choose addresses from.
 */
export function ipAddressKey(address: IpAddress, ipv6PrefixBits: number): string {
  if (address.length === 2) return address.map((group) => `${group >> 8}.${group & 0xff}`).join('.');
  const groups = maskTo(address, ipv6PrefixBits).map((group) => group.toString(16));
  return `${groups.join(':')}/${ipv6PrefixBits}`;
}

/** The groups that hold the first `bits` bits, everything behind them cleared. */
export function maskTo(address: IpAddress, bits: number): number[] {
  const groups = address.slice(0, Math.ceil(bits / 16));
  const spareBits = groups.length * 16 - bits;
  if (spareBits > 0) groups[groups.length - 1]! &= 0xffff << spareBits;
  return groups;
}

function isMappedIpv4(groups: IpAddress): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

function parseIpv4(text: string): number[] | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const octets = text.split('.').map((octet) => (/^(?:0|[1-9]\d{0,2})$/.test(octet) ? Number(octet) : 256));
  const [a, b, c, d] = octets as [number, number, number, number];
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) return undefined;
  return [(a << 8) | b, (c << 8) | d];
}

function parseIpv6(text: string): number[] | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [parseGroups(halves[0]!, halves.length === 1), parseGroups(halves[1] ?? '', true)];
  if (head === undefined || tail === undefined) return undefined;
  const zeros = 8 - head.length - tail.length;
  if (halves.length === 1 ? zeros !== 0 : zeros < 1) return undefined;
  return [...head, ...new Array<number>(zeros).fill(0), ...tail];
}

/** @param isEnd only at its end may an address be written in IPv4's way. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const ipv4 = isEnd && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 === undefined) return undefined;
    groups.push(...ipv4);
  }
  return groups;
}
