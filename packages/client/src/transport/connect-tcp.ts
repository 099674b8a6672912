import { connect, type Socket } from 'node:net';
import { foldAddress } from '@bulkhead/transport';
import { SocketByteTransport } from '@bulkhead/transport-tcp';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { abortError } from '../deadline.ts';
import type { ClientTransport, TransportConnector } from './client-transport.ts';

/** Port of opc.tcp URLs that name none. OPC 10000-6 §7.2. */
const DEFAULT_PORT = 4840;
const KEEP_ALIVE_DELAY_MS = 60_000;

export interface TcpConnectorOptions {
  /** Source address, such as 127.0.0.2; default: the system's choice. */
  readonly localAddress?: string | undefined;
}

/** Connects by opc.tcp. */
export function tcpConnector(options: TcpConnectorOptions = {}): TransportConnector {
  return (endpointUrl, signal) => connectTcp(endpointUrl, options.localAddress, signal);
}

function connectTcp(endpointUrl: string, localAddress: string | undefined, signal: AbortSignal): Promise<ClientTransport> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const { host, port } = parseTcpUrl(endpointUrl);
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    const onAbort = (): void => {
      socket.destroy();
      reject(abortError(signal));
    };
    // Stays for the socket's life: 'close' follows each error and says all that matters then.
    socket.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(connectError(error, endpointUrl));
    });
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(transportOf(socket, host, port));
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function transportOf(socket: Socket, host: string, port: number): ClientTransport {
  return new SocketByteTransport(socket, { address: foldAddress(socket.remoteAddress ?? host), port: socket.remotePort ?? port });
}

/** @throws UaStatusError BadTcpEndpointUrlInvalid */
function parseTcpUrl(endpointUrl: string): { readonly host: string; readonly port: number } {
  if (!URL.canParse(endpointUrl)) throw invalidUrl(endpointUrl);
  const { protocol, hostname, port } = new URL(endpointUrl);
  if (protocol !== 'opc.tcp:' || hostname === '') throw invalidUrl(endpointUrl);
  return { host: hostname.replace(/^\[|\]$/gu, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
}

function invalidUrl(endpointUrl: string): UaStatusError {
  return new UaStatusError(StatusCodes.BadTcpEndpointUrlInvalid, `not an opc.tcp URL: ${endpointUrl.slice(0, 200)}`);
}

function connectError(error: Error, endpointUrl: string): UaStatusError {
  const { code } = error as NodeJS.ErrnoException;
  const statusCode =
    code === 'ECONNREFUSED'
      ? StatusCodes.BadConnectionRejected
      : code === 'ETIMEDOUT'
        ? StatusCodes.BadTimeout
        : StatusCodes.BadCommunicationError;
  return new UaStatusError(statusCode, `${endpointUrl}: ${error.message}`, { cause: error });
}
