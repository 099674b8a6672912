import { type IpAddress, maskTo, parseIpAddress } from './ip-address.ts';

/** A block of addresses such as `10.0.0.0/8` or `2001:db8::/32`. */
export class IpNetwork {
  readonly #prefix: readonly number[];
  readonly #bits: number;
  readonly #groupCount: number;

  /**
   * @param text CIDR notation, or a single address. `::ffff:10.0.0.0/104` means `10.0.0.0/8`.
   * @throws RangeError if it is neither, or if bits behind the prefix are set: `10.0.0.1/8` is more likely a slip than a network.
   */
  constructor(text: string) {
    const [addressText, bitsText, ...rest] = text.split('/');
    const address = parseIpAddress(addressText!);
    if (address === undefined || rest.length > 0) throw new RangeError(`not an address or network: ${text}`);
    this.#groupCount = address.length;
    this.#bits = prefixBits(text, address, addressText!.includes(':'), bitsText);
    this.#prefix = maskTo(address, this.#bits);
    const hostBitsSet = address.some((group, index) => group !== (this.#prefix[index] ?? 0));
    if (hostBitsSet) throw new RangeError(`not a network, bits behind the prefix are set: ${text}`);
  }

  contains(address: IpAddress): boolean {
    if (address.length !== this.#groupCount) return false;
    return maskTo(address, this.#bits).every((group, index) => group === this.#prefix[index]);
  }
}

function prefixBits(text: string, address: IpAddress, isWrittenAsIpv6: boolean, bitsText: string | undefined): number {
  const width = address.length * 16;
  if (bitsText === undefined) return width;
  const skipped = isWrittenAsIpv6 ? 128 - width : 0;
  const bits = /^\d{1,3}$/.test(bitsText) ? Number(bitsText) - skipped : -1;
  if (bits < 0 || bits > width) throw new RangeError(`not a prefix length: ${text}`);
  return bits;
}
