import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { PingWatch, type UpgradableConnection } from '@bulkhead/transport';
import type { WebSocket } from 'ws';
import type { HttpRefusal } from '../http-refusal.ts';
import { type ConnectionSocket, HttpsConnection } from '../https-connection.ts';
import type { HttpsEnvironment } from '../https-environment.ts';
import type { MessageFormat } from '../message-format.ts';
import type { ServiceRequests } from '../service-requests.ts';
import type { SessionlessEvidence } from '../sessionless/sessionless-callers.ts';
import { ArrivingBytes } from './arriving-bytes.ts';
import { type MessageSocket, SocketExchange } from './socket-exchange.ts';

/** Why a WebSocket is closed. RFC 6455 §7.4.1. */
const CLOSE_GOING_AWAY = 1001;
const CLOSE_UNSUPPORTED_DATA = 1003;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL_ERROR = 1011;
const CLOSE_TRY_AGAIN_LATER = 1013;

/** What a `JsonSocket` is made of. */
export interface JsonSocketParts {
  readonly environment: HttpsEnvironment;
  readonly requests: ServiceRequests;
  readonly format: MessageFormat;
  readonly webSocket: WebSocket;
  readonly request: IncomingMessage;
  readonly connection: UpgradableConnection;
  /** From the subprotocol's name, for clients that can't send headers. */
  readonly accessToken: string | undefined;
}

/**
 * A WebSocket whose text messages are requests in JSON. They run side by side: one that waits, such as Publish, holds up no other.
 * OPC 10000-6 §7.5.2.
 */
export class JsonSocket implements MessageSocket, ConnectionSocket {
  /** What is kept for it, as for any connection by which requests come. */
  readonly connection: HttpsConnection;
  readonly #parts: JsonSocketParts;
  readonly #socket: Socket;
  readonly #arriving: ArrivingBytes;
  readonly #watch: PingWatch;
  #isClosing = false;

  constructor(parts: JsonSocketParts) {
    const { environment, webSocket, request, connection } = parts;
    const { remote, admission } = connection;
    this.#parts = parts;
    this.#socket = request.socket;
    this.#arriving = new ArrivingBytes(environment.provider, admission.owner);
    this.connection = new HttpsConnection(
      environment,
      { remote, owner: admission.owner },
      this,
      environment.limits.maxRequestsPerWebSocket,
    );
    // Before the WebSocket's own listener, which keeps what it gets.
    this.#socket.prependListener('data', (bytes: Buffer) => this.#onBytes(bytes));
    this.#socket.on('timeout', () => this.destroy());
    webSocket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    // 'close' follows each error and says all that matters.
    webSocket.on('error', () => {});
    const { timers } = environment.runtime;
    this.#watch = new PingWatch(
      { timers, pingIntervalMs: environment.limits.pingIntervalMs },
      () => webSocket.ping(),
      () => this.destroy(),
    );
    webSocket.on('close', () => {
      this.#watch[Symbol.dispose]();
      this.#arriving.release();
      this.connection.closed();
    });
  }

  get endpointUrl(): string {
    const { headers, url = '/' } = this.#parts.request;
    return `opc.wss://${headers.host ?? ''}${url}`;
  }

  get evidence(): SessionlessEvidence {
    const { accessToken, request } = this.#parts;
    const { authorization, 'accept-language': acceptLanguage } = request.headers;
    return {
      authorization: accessToken === undefined ? authorization : `Bearer ${accessToken}`,
      acceptLanguage,
      clientCertificate: (request.socket as Partial<TLSSocket>).getPeerX509Certificate?.()?.raw,
    };
  }

  sendText(body: Buffer, sent: () => void): void {
    this.#parts.webSocket.send(body, { binary: false, compress: false }, sent);
  }

  closeFor({ statusCode }: HttpRefusal): void {
    this.#close(statusCode === 503 ? CLOSE_TRY_AGAIN_LATER : statusCode < 500 ? CLOSE_POLICY : CLOSE_INTERNAL_ERROR);
  }

  setTimeout(timeoutMs: number): void {
    this.#socket.setTimeout(timeoutMs);
  }

  destroySoon(): void {
    this.#close(CLOSE_GOING_AWAY);
  }

  destroy(): void {
    this.#isClosing = true;
    this.#parts.webSocket.terminate();
  }

  #close(code: number): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#arriving.release();
    this.#parts.webSocket.close(code);
  }

  #onBytes(bytes: Buffer): void {
    this.#watch.heard();
    if (this.#isClosing) return;
    if (!this.#arriving.tryAdd(bytes.length)) return this.#close(CLOSE_TRY_AGAIN_LATER);
    const { pace } = this.connection;
    if (!pace.limitsReading) return;
    const { webSocket } = this.#parts;
    webSocket.pause();
    pace.beforeReading(bytes.length, () => webSocket.resume());
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isClosing) return;
    if (isBinary) return this.#close(CLOSE_UNSUPPORTED_DATA);
    const bytes = this.#arriving.take(data.length);
    if (bytes === undefined) return this.#close(CLOSE_TRY_AGAIN_LATER);
    const { hasRoom } = this.connection;
    const exchange = new SocketExchange(this.connection, this, bytes);
    if (!hasRoom) return exchange.refuse({ statusCode: 503, text: 'too many requests on this WebSocket', closes: true });
    try {
      this.#parts.requests.submit(exchange, data, this.#parts.format);
    } catch (error) {
      this.#parts.environment.runtime.log.log('error', 'https.internalError', { error });
      exchange.refuse({ statusCode: 500, text: 'internal error', closes: true });
    }
  }
}
