import type { RemoteAddress } from '@bulkhead/contracts';

/**
 * What the first bytes of a proxy's connection say: whom it speaks for. PROXY protocol, versions 1 and 2, as HAProxy defines it.
 * `source` is undefined where the proxy speaks for itself, as in its health checks, or doesn't say for whom.
 */
export type ProxyHeader =
  | { readonly kind: 'header'; readonly source: RemoteAddress | undefined; readonly byteCount: number }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly reason: ProxyHeaderFault };

/** Why bytes are no header. */
export type ProxyHeaderFault = 'noSignature' | 'tooLong' | 'version' | 'command' | 'family' | 'address' | 'port' | 'fields';

export const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };

export function malformed(reason: ProxyHeaderFault): ProxyHeader {
  return { kind: 'malformed', reason };
}
