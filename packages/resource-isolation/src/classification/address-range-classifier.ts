import { checkInteger, ResourceIsolationOptionsError } from '../options-error.ts';
import type { CallerIdentity } from '../owner.ts';
import type { ResourceIsolationClassifier } from './classifier.ts';
import { parseIpAddress } from './ip-address.ts';

/** Connections from these addresses belong to `identity`. */
export interface AddressRangeRule {
  /** Addresses or ranges, such as `192.168.7.5`, `10.0.0.0/8`, `fd00:1::/32`. */
  readonly ranges: readonly string[];
  readonly identity: CallerIdentity;
}

interface Range {
  readonly bytes: Uint8Array;
  readonly prefixLength: number;
}

/**
 * Classifies connections by where they come from; the first rule that has the address counts. An address proves nothing by
 * itself: firewalls or gateways have to see to it that nobody else gets through from there.
 */
export class AddressRangeClassifier implements ResourceIsolationClassifier {
  readonly #rules: readonly { readonly ranges: readonly Range[]; readonly identity: CallerIdentity }[];

  /** @throws ResourceIsolationOptionsError for what is no range. */
  constructor(rules: readonly AddressRangeRule[]) {
    this.#rules = rules.map(({ ranges, identity }, rule) => ({
      ranges: ranges.map((range, at) => parseRange(`rules[${rule}].ranges[${at}]`, range)),
      identity,
    }));
  }

  classifyIngress(address: string): CallerIdentity | undefined {
    const bytes = parseIpAddress(address);
    if (bytes === undefined) return undefined;
    return this.#rules.find(({ ranges }) => ranges.some((range) => contains(range, bytes)))?.identity;
  }
}

function parseRange(path: string, text: string): Range {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = rest.length === 0 ? parseIpAddress(address) : undefined;
  if (bytes === undefined) throw new ResourceIsolationOptionsError(path, 'an address or range', text);
  const bits = bytes.length * 8;
  if (prefix === undefined) return { bytes, prefixLength: bits };
  const isMapped = bits === 32 && address.includes(':');
  const length = checkInteger(path, /^\d{1,3}$/u.test(prefix) ? Number(prefix) : Number.NaN, 0, 128);
  return { bytes, prefixLength: checkInteger(path, isMapped ? length - 96 : length, 0, bits) };
}

function contains({ bytes, prefixLength }: Range, address: Uint8Array): boolean {
  if (address.length !== bytes.length) return false;
  const wholeBytes = prefixLength >> 3;
  for (let at = 0; at < wholeBytes; at++) if (address[at] !== bytes[at]) return false;
  const mask = (0xff00 >> (prefixLength & 7)) & 0xff;
  return mask === 0 || ((address[wholeBytes] as number) & mask) === ((bytes[wholeBytes] as number) & mask);
}
