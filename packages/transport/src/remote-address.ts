import type { RemoteAddress } from '@bulkhead/contracts';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu;

/** IPv4-mapped IPv6 addresses become IPv4: it is the same caller. */
export function foldAddress(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** What a socket knows of its other end. */
export interface SocketAddress {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** The other end of a socket; undefined when it is gone already. */
export function remoteAddressOf(socket: SocketAddress): RemoteAddress | undefined {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: foldAddress(remoteAddress), port: remotePort };
}
