import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** What of an endpoint URL is needed to connect. */
export interface EndpointAddress {
  readonly protocol: string;
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** With its `/` and with the query. */
  readonly path: string;
}

/**
 * @param protocols that are expected, each with its colon.
 * @throws UaStatusError BadTcpEndpointUrlInvalid
 */
export function parseEndpointUrl(endpointUrl: string, protocols: readonly string[], defaultPort: number): EndpointAddress {
  if (!URL.canParse(endpointUrl)) throw invalidUrl(endpointUrl, protocols);
  const { protocol, hostname, port, pathname, search } = new URL(endpointUrl);
  if (!protocols.includes(protocol) || hostname === '') throw invalidUrl(endpointUrl, protocols);
  const host = hostname.replace(/^\[|\]$/gu, '');
  return { protocol, host, port: port === '' ? defaultPort : Number(port), path: `${pathname || '/'}${search}` };
}

/** The scheme of an endpoint URL with its colon; empty when it is no URL. */
export function protocolOf(endpointUrl: string): string {
  return URL.canParse(endpointUrl) ? new URL(endpointUrl).protocol : '';
}

function invalidUrl(endpointUrl: string, protocols: readonly string[]): UaStatusError {
  const expected = protocols.map((protocol) => protocol.slice(0, -1)).join(' or ');
  return new UaStatusError(StatusCodes.BadTcpEndpointUrlInvalid, `not an ${expected} URL: ${endpointUrl.slice(0, 200)}`);
}
