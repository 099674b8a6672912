import type { Socket } from 'node:net';
import type { RemoteAddress } from '@bulkhead/contracts';
import type { PingTimers } from '@bulkhead/transport';
import type { ClientOptions } from 'ws';
import { UACP_SUBPROTOCOL, WebSocketByteTransport } from './websocket-byte-transport.ts';

export interface ConnectWebSocketOptions {
  /** Connected, with TLS where the URL says `wss`; belongs to the WebSocket from now on. */
  readonly socket: Socket;
  /** `wss://host:port/path` or `ws://…`: what the server is asked for. */
  readonly url: string;
  readonly remote: RemoteAddress;
  /** Largest MessageChunk that is received, bytes. */
  readonly maxChunkBytes: number;
  readonly idle?: PingTimers | undefined;
  readonly signal: AbortSignal;
}

/** The server refused to speak MessageChunks over a WebSocket. */
export class WebSocketRefusedError extends Error {
  override readonly name = 'WebSocketRefusedError';
  /** Of HTTP; 0 when there was no answer. */
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | undefined;

  constructor(message: string, status: number, retryAfter: string | undefined, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Makes a connected socket a WebSocket of MessageChunks. OPC 10000-6 §7.5.2.
 * @throws WebSocketRefusedError (as a rejection), or what the signal was aborted with; the socket is closed then.
 */
export async function connectWebSocket(options: ConnectWebSocketOptions): Promise<WebSocketByteTransport> {
  // Loaded where it is needed: clients without WebSockets start sooner.
  const { WebSocket } = await import('ws');
  const { socket, url, remote, maxChunkBytes, idle, signal } = options;
  const clientOptions: ClientOptions & { readonly closeTimeout: number } = {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: maxChunkBytes,
    followRedirects: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const webSocket = new WebSocket(url, [UACP_SUBPROTOCOL], clientOptions);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      webSocket.terminate();
      socket.destroy();
      reject(error instanceof Error ? error : new Error('aborted', { cause: error }));
    };
    const onAbort = (): void => fail(signal.reason);
    webSocket.on('error', (error) => fail(new WebSocketRefusedError(error.message, 0, undefined, error)));
    webSocket.once('unexpected-response', (_request, { statusCode = 0, headers }) => {
      fail(new WebSocketRefusedError(`HTTP status ${statusCode}`, statusCode, headers['retry-after']));
    });
    webSocket.once('open', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(new WebSocketByteTransport(webSocket, socket, remote, idle));
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
