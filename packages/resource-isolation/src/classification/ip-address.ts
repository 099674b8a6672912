const MAPPED_PREFIX_BYTES = 12;

/**
 * The bytes of an address: 4, or 16 for IPv6; an IPv4-mapped IPv6 address is its 4. Without a zone.
 * @returns undefined for what is no address.
 */
export function parseIpAddress(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const bytes = parseIpv6(text);
  return bytes !== undefined && isMapped(bytes) ? bytes.slice(MAPPED_PREFIX_BYTES) : bytes;
}

/** The IPv4 form of an IPv4-mapped address; other text as it is. */
export function foldMappedAddress(text: string): string {
  if (!text.includes(':')) return text;
  const bytes = parseIpAddress(text);
  return bytes?.length === 4 ? bytes.join('.') : text;
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/u.test(part) && Number(part) <= 255)) return undefined;
  return Uint8Array.from(parts, Number);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, at) => parseGroups(half, at === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const length = head.length + (tail?.length ?? 0);
  if (tail === undefined ? length !== 16 : length > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  if (tail !== undefined) bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** One side of `::`. @param isLast its last group may be an IPv4 address. */
function parseGroups(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    if (isLast && at === groups.length - 1 && group.includes('.')) {
      const embedded = parseIpv4(group);
      if (embedded === undefined) return undefined;
      bytes.push(...embedded);
    } else {
      if (!/^[\da-f]{1,4}$/iu.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);
}
