import { forwardedHops, type Hop, xForwardedForHops } from './forwarded.ts';
import { type IpAddress, ipAddressKey, parseIpAddress } from './ip-address.ts';
import { IpNetwork } from './ip-network.ts';
import { requireInteger } from './options.ts';

/** What is known of where a request came from. */
export interface ClientIpSource {
  /** Address of the peer the connection is with, as Node's `socket.remoteAddress`. */
  readonly remoteAddress: string | undefined;
  /** Lower-case names, as Node's `request.headers`. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface ClientIpKeyOptions {
  /** Addresses and networks in CIDR notation whose word about the client is taken. Default: none, so headers are ignored. */
  readonly trustedProxies?: readonly string[];
  /**
   * The header your proxies write. Say which: a client can send the other one. By default both are read, and if they are both there
   * and disagree, neither is believed.
   */
  readonly header?: 'forwarded' | 'x-forwarded-for';
  /** Bits by which IPv6 clients are told apart, 1..128. Default 64. */
  readonly ipv6PrefixBits?: number;
  /** Most proxies in a row that are followed, >= 1. Default 16. */
  readonly maxHops?: number;
}

/** Key of everyone whose address is not known: they share one budget. */
export const UNKNOWN_CLIENT_KEY = 'unknown';

/**
 * Makes a key from a client's IP address, for {@link KeyedRatePolicy}. Starting from the peer, each trusted proxy is asked whom it
 * speaks for, until an address is not that of a trusted proxy. Where a trusted proxy hides the client or writes nonsense, the client
 * counts as that proxy.
 * @throws RangeError for options that are wrong; the function it returns never throws.
 */
export function clientIpKey(options: ClientIpKeyOptions = {}): (source: ClientIpSource) => string {
  const trusted = (options.trustedProxies ?? []).map((text) => new IpNetwork(text));
  const prefixBits = requireInteger('ipv6PrefixBits', options.ipv6PrefixBits ?? 64, 1, 128);
  const maxHops = requireInteger('maxHops', options.maxHops ?? 16, 1, 1_000);
  const isTrusted = (address: IpAddress): boolean => trusted.some((network) => network.contains(address));
  const keyBehind = (peer: IpAddress, hops: readonly Hop[]): string => {
    let client = peer;
    for (const hop of hops) {
      if (hop === undefined || !isTrusted(client)) break;
      client = hop;
    }
    return ipAddressKey(client, prefixBits);
  };

  return (source) => {
    const peer = parseIpAddress(source.remoteAddress ?? '');
    if (peer === undefined) return UNKNOWN_CLIENT_KEY;
    if (source.headers === undefined || !isTrusted(peer)) return ipAddressKey(peer, prefixBits);
    const forwarded = options.header === 'x-forwarded-for' ? '' : joined(source.headers['forwarded']);
    const xForwardedFor = options.header === 'forwarded' ? '' : joined(source.headers['x-forwarded-for']);
    if (xForwardedFor === '') return keyBehind(peer, forwardedHops(forwarded, maxHops));
    const key = keyBehind(peer, xForwardedForHops(xForwardedFor, maxHops));
    if (forwarded === '' || keyBehind(peer, forwardedHops(forwarded, maxHops)) === key) return key;
    return ipAddressKey(peer, prefixBits);
  };
}

function joined(header: string | readonly string[] | undefined): string {
  return typeof header === 'object' ? header.join(',') : (header ?? '');
}
