import type { Socket } from 'node:net';
import type { ClientOptions, WebSocket } from 'ws';

export interface OpenWebSocketOptions {
  /** Connected, with TLS where the URL says `wss`; belongs to the WebSocket from now on. */
  readonly socket: Socket;
  /** `wss://host:port/path` or `ws://…`: what the server is asked for. */
  readonly url: string;
  readonly protocol: string;
  /** Largest message that is received, bytes. */
  readonly maxMessageBytes: number;
  readonly signal: AbortSignal;
}

/** The server refused to speak the subprotocol over a WebSocket. */
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
 * Makes a connected socket a WebSocket. RFC 6455 §4.1.
 * @throws WebSocketRefusedError (as a rejection), or what the signal was aborted with; the socket is closed then.
 */
export async function openWebSocket(options: OpenWebSocketOptions): Promise<WebSocket> {
  // Loaded where it is needed: clients without WebSockets start sooner.
  const { WebSocket } = await import('ws');
  const { socket, url, protocol, maxMessageBytes, signal } = options;
  const clientOptions: ClientOptions & { readonly closeTimeout: number } = {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    followRedirects: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const webSocket = new WebSocket(url, [protocol], clientOptions);
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
      resolve(webSocket);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
