import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { RemoteAddress } from '@bulkhead/contracts';
import { foldAddress } from '@bulkhead/transport';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { abortError } from '../deadline.ts';

/** Whether to go on with a server whose TLS certificate no authority of the operating system vouches for. */
export interface TlsTrust {
  /**
   * @param certificateChain DER, the server's own certificate first.
   * @throws UaStatusError (as a rejection) BadCertificate… when it isn't trusted.
   */
  checkTlsCertificate(certificateChain: Buffer, host: string): Promise<void>;
}

export interface ConnectSocketOptions {
  readonly endpointUrl: string;
  readonly host: string;
  readonly port: number;
  /** Source address; default: the system's choice. */
  readonly localAddress: string | undefined;
  /** With TLS; undefined for none. */
  readonly trust: TlsTrust | undefined;
}

const KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Connects, with TLS if asked for.
 * @throws UaStatusError (as a rejection) BadConnectionRejected, BadTimeout, BadCommunicationError, BadCertificate…, or what the signal
 * was aborted with. Nothing stays open then.
 */
export async function connectSocket(options: ConnectSocketOptions, signal: AbortSignal): Promise<Socket> {
  if (signal.aborted) throw abortError(signal);
  const { host, port, localAddress, trust, endpointUrl } = options;
  const address = { host, port, ...(localAddress === undefined ? {} : { localAddress }) };
  const tcp = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS };
  if (trust === undefined) return untilConnected(connect({ ...address, ...tcp }), 'connect', endpointUrl, signal);
  // Whether the certificate is trusted is checked below, before anything is sent.
  const tls = { servername: isIP(host) === 0 ? host : '', rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
  const socket = await untilConnected(connectTls({ ...address, ...tls }), 'secureConnect', endpointUrl, signal);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
  try {
    if (!socket.authorized) await trust.checkTlsCertificate(chainOf(socket), host);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Where the other end is. */
export function remoteOf({ remoteAddress, remotePort }: Socket, host: string, port: number): RemoteAddress {
  return { address: foldAddress(remoteAddress ?? host), port: remotePort ?? port };
}

function untilConnected<S extends Socket>(socket: S, event: string, endpointUrl: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      socket.destroy();
      reject(abortError(signal));
    };
    // Stays for the socket's life: 'close' follows each error and says all that matters then.
    socket.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(connectError(error, endpointUrl));
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      reject(new UaStatusError(StatusCodes.BadConnectionClosed, `${endpointUrl}: closed before it was connected`));
    });
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** The certificates that the server showed, each once. */
function chainOf(socket: TLSSocket): Buffer {
  const chain: Buffer[] = [];
  let link = socket.getPeerCertificate(true);
  while (link?.raw !== undefined && !chain.some((der) => der.equals(link.raw))) {
    chain.push(link.raw);
    link = link.issuerCertificate;
  }
  return Buffer.concat(chain);
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
