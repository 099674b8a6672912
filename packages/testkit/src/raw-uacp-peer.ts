import { connect, type Socket } from 'node:net';
import type { OpenSecureChannelResponse, RequestType, ResponseType, SecurityTokenRequestType } from '@bulkhead/types';
import { type Acknowledge, decodeAcknowledge, decodeErrorMessage, type ErrorMessage, type Hello } from '@bulkhead/uacp';
import { ChunkInbox, chunkTypeOf, RawNoneChannel, type RawResponse, rawHello } from './raw-messages.ts';

const DEFAULT_TIMEOUT_MS = 5000;

export interface RawUacpPeerOptions {
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Source address, such as 127.0.0.2: another caller for the server. */
  readonly localAddress?: string;
}

/** A client on a real socket that sends any bytes and reads whole chunks. */
export class RawUacpPeer {
  readonly channel: RawNoneChannel = new RawNoneChannel();
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #inbox: ChunkInbox = new ChunkInbox();
  readonly #responses: Map<number, RawResponse> = new Map();
  #isClosed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (bytes) => {
      this.#inbox.push(bytes);
      this.#wake?.();
    });
    // A reset is one of the ways a server may refuse; 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** On a connection that the server opened. */
  static over(socket: Socket): RawUacpPeer {
    return new RawUacpPeer(socket);
  }

  static connect(options: RawUacpPeerOptions): Promise<RawUacpPeer> {
    return new Promise((resolve, reject) => {
      const { port, host = '127.0.0.1', localAddress } = options;
      const socket = connect({ port, host, noDelay: true, ...(localAddress === undefined ? {} : { localAddress }) });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawUacpPeer(socket));
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(...buffers: Uint8Array[]): void {
    this.#socket.write(Buffer.concat(buffers));
  }

  /** Sends the bytes one by one, each in its own turn and segment. */
  async sendByteByByte(bytes: Uint8Array): Promise<void> {
    for (const byte of bytes) {
      await new Promise<void>((resolve) => this.#socket.write(Uint8Array.of(byte), () => setImmediate(resolve)));
    }
  }

  /** Stops reading from the socket. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** @throws Error when the connection closes first, or after `timeoutMs`. */
  async nextChunk(timeoutMs: number = DEFAULT_TIMEOUT_MS): Promise<Buffer> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const chunk = this.#inbox.chunks.shift();
      if (chunk !== undefined) return chunk;
      if (this.#isClosed) throw new Error('the connection was closed');
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`no chunk within ${timeoutMs} ms`);
      await this.#anything(leftMs);
    }
  }

  /** The server's ERR. @throws Error when something else comes. */
  async nextError(timeoutMs?: number): Promise<ErrorMessage> {
    const chunk = await this.nextChunk(timeoutMs);
    if (chunkTypeOf(chunk) !== 'ERR') throw new Error(`${chunkTypeOf(chunk)} instead of ERR`);
    return decodeErrorMessage(chunk);
  }

  async hello(overrides?: Partial<Hello>): Promise<Acknowledge> {
    this.send(rawHello(overrides));
    return decodeAcknowledge(await this.#nextOf('ACK'));
  }

  /** Opens or renews a SecureChannel with SecurityPolicy None. */
  async openNone(requestType?: SecurityTokenRequestType, requestedLifetimeMs?: number): Promise<OpenSecureChannelResponse> {
    this.send(this.channel.openRequest(requestType, requestedLifetimeMs));
    return this.channel.acceptOpen(await this.#nextOf('OPN'));
  }

  /** @returns the RequestId. */
  sendRequest<T>(type: RequestType<T>, init: Partial<T> = {}): number {
    const requestId = this.channel.nextRequestId;
    this.send(this.channel.request(type, init));
    return requestId;
  }

  /** The response with that RequestId; others are kept for later calls. */
  async response(requestId: number, timeoutMs?: number): Promise<RawResponse> {
    for (;;) {
      const response = this.#responses.get(requestId);
      if (response !== undefined) {
        this.#responses.delete(requestId);
        return response;
      }
      const next = this.channel.receive(await this.nextChunk(timeoutMs));
      if (next !== undefined) this.#responses.set(next.requestId, next);
    }
  }

  /** Sends a request and decodes its response. @throws Error when that is a ServiceFault. */
  async request<Request, Response>(
    type: RequestType<Request>,
    init: Partial<Request>,
    responseType: ResponseType<Response>,
  ): Promise<Response> {
    return (await this.response(this.sendRequest(type, init))).decode(responseType);
  }

  /** Sends CLO and waits until the server has closed. */
  async closeChannel(): Promise<void> {
    this.send(this.channel.chunk('CLO', 'F', this.channel.nextRequestId++, Buffer.alloc(0)));
    await this.closed;
  }

  /** Closes without a word. */
  async destroy(): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  async #nextOf(type: string): Promise<Buffer> {
    const chunk = await this.nextChunk();
    if (chunkTypeOf(chunk) === type) return chunk;
    const told = chunkTypeOf(chunk) === 'ERR' ? `: 0x${decodeErrorMessage(chunk).error.toString(16)}` : '';
    throw new Error(`${chunkTypeOf(chunk)} instead of ${type}${told}`);
  }

  #anything(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
