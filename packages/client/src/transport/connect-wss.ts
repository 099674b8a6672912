import { isIPv6 } from 'node:net';
import { connectWebSocket, WebSocketRefusedError } from '@bulkhead/transport-websocket';
import { StatusCodes } from '@bulkhead/types';
import { abortError } from '../deadline.ts';
import { retryAfterOfHttpHeader } from '../retry-after.ts';
import { ServiceResultError } from '../service-result-error.ts';
import type { TransportConnector } from './client-transport.ts';
import { connectSocket, remoteOf, type TlsTrust } from './connect-socket.ts';
import { parseEndpointUrl } from './endpoint-url.ts';

/** Port of opc.wss URLs that name none: that of HTTPS. OPC 10000-6 §7.5. */
const DEFAULT_PORT = 443;
/** `opc.ws` is no scheme of the specification: without TLS, for a server whose TLS ends at a proxy in front. */
export const WSS_PROTOCOLS: readonly string[] = ['opc.wss:', 'wss:', 'opc.ws:', 'ws:'];

export interface WssConnectorOptions {
  /** Source address, such as 127.0.0.2; default: the system's choice. */
  readonly localAddress?: string | undefined;
  /** Largest MessageChunk that is received, bytes. */
  readonly maxChunkBytes: number;
  readonly trust: TlsTrust;
}

/** Connects by WebSocket with subprotocol opcua+uacp. OPC 10000-6 §7.5.2. */
export function wssConnector({ localAddress, maxChunkBytes, trust }: WssConnectorOptions): TransportConnector {
  return async (endpointUrl, signal) => {
    const { protocol, host, port, path } = parseEndpointUrl(endpointUrl, WSS_PROTOCOLS, DEFAULT_PORT);
    const isSecure = protocol.endsWith('wss:');
    const socket = await connectSocket({ endpointUrl, host, port, localAddress, trust: isSecure ? trust : undefined }, signal);
    const url = `${isSecure ? 'wss' : 'ws'}://${isIPv6(host) ? `[${host}]` : host}:${port}${path}`;
    try {
      return await connectWebSocket({ socket, url, remote: remoteOf(socket, host, port), maxChunkBytes, signal });
    } catch (error) {
      throw error instanceof WebSocketRefusedError ? refusedError(error, endpointUrl) : abortError(signal);
    }
  };
}

function refusedError({ status, message, retryAfter }: WebSocketRefusedError, endpointUrl: string): ServiceResultError {
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfterOfHttpHeader(retryAfter, Date.now());
  const isBusy = status === 503 || status === 429;
  const code = isBusy ? StatusCodes.BadTcpServerTooBusy : StatusCodes.BadConnectionRejected;
  return new ServiceResultError(code, `${endpointUrl}: ${message}`, retryAfterMs);
}
