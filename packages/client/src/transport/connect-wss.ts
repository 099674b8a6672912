import { isIPv6, type Socket } from 'node:net';
import type { RemoteAddress } from '@bulkhead/contracts';
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
  return (endpointUrl, signal) =>
    connectWss({ endpointUrl, localAddress, trust, signal }, (connected) => connectWebSocket({ ...connected, maxChunkBytes, signal }));
}

/** What `connectWss` works with. */
export interface ConnectWssOptions {
  readonly endpointUrl: string;
  readonly localAddress: string | undefined;
  readonly trust: TlsTrust;
  readonly signal: AbortSignal;
}

/** Where a WebSocket is to be opened. */
export interface ConnectedSocket {
  readonly socket: Socket;
  readonly url: string;
  readonly remote: RemoteAddress;
}

/**
 * Connects, with TLS where the URL says so, and lets `upgrade` make it a WebSocket.
 * @throws UaStatusError (as a rejection) of `connectSocket`, BadTcpServerTooBusy or BadConnectionRejected of the server.
 */
export async function connectWss<T>(options: ConnectWssOptions, upgrade: (connected: ConnectedSocket) => Promise<T>): Promise<T> {
  const { endpointUrl, localAddress, trust, signal } = options;
  const { protocol, host, port, path } = parseEndpointUrl(endpointUrl, WSS_PROTOCOLS, DEFAULT_PORT);
  const isSecure = protocol.endsWith('wss:');
  const socket = await connectSocket({ endpointUrl, host, port, localAddress, trust: isSecure ? trust : undefined }, signal);
  const url = `${isSecure ? 'wss' : 'ws'}://${isIPv6(host) ? `[${host}]` : host}:${port}${path}`;
  try {
    return await upgrade({ socket, url, remote: remoteOf(socket, host, port) });
  } catch (error) {
    throw error instanceof WebSocketRefusedError ? refusedError(error, endpointUrl) : abortError(signal);
  }
}

function refusedError({ status, message, retryAfter }: WebSocketRefusedError, endpointUrl: string): ServiceResultError {
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfterOfHttpHeader(retryAfter, Date.now());
  const isBusy = status === 503 || status === 429;
  const code = isBusy ? StatusCodes.BadTcpServerTooBusy : StatusCodes.BadConnectionRejected;
  return new ServiceResultError(code, `${endpointUrl}: ${message}`, retryAfterMs);
}
