import { connect } from 'node:net';
import type { NodeId, RequestHeader, RequestType, ResponseHeader, ResponseType } from '@bulkhead/types';
import { ChunkSplitter } from './chunk-splitter.ts';
import { BUFFER_BYTES, decodeAcknowledge, decodeError, encodeHello } from './handshake.ts';
import { CALL_TIMEOUT_MS, decodeResponse, encodeRequest } from './message-body.ts';
import type { MessageChannel, MessageReceiver } from './message-channel.ts';
import { type ChunkSocket, webSocketFor } from './socket-for.ts';

/** Takes every message of a connection once the session is set up, so that a load's hot path has no promise in it. */
export interface MessageSink {
  readonly onMessage: MessageReceiver;
  /** All messages of one read were passed on: the moment to send the next requests together. */
  onReadEnd(): void;
  onFailed(error: Error): void;
}

/** One buffer for the reads of all connections: what arrives is used up before the next read. */
const readBuffer: Buffer = Buffer.allocUnsafe(1024 * 1024);
/** Requests of a load have the numbers below. */
const FIRST_CALL_ID = 0x4000_0000;
const TYPE_MSG = 0x4d;
const TYPE_ERR = 0x45;

interface PendingCall {
  readonly settle: MessageReceiver;
  readonly reject: (error: Error) => void;
}

/** One connection with its channel: set up, single calls, and raw access for the loads. */
export class ClientConnection {
  readonly endpointUrl: string;
  readonly channel: MessageChannel;
  #socket: ChunkSocket;
  #splitter: ChunkSplitter;
  #sink: MessageSink | undefined;
  #control: { resolve: (chunk: Buffer) => void; reject: (error: Error) => void } | undefined;
  #pending: Map<number, PendingCall> = new Map();
  #nextCallId = FIRST_CALL_ID;
  #failure: Error | undefined;
  #isClosing = false;

  private constructor(endpointUrl: string, channel: MessageChannel, localAddress: string | undefined) {
    this.endpointUrl = endpointUrl;
    this.channel = channel;
    this.#splitter = new ChunkSplitter(BUFFER_BYTES, (bytes, start, end) => this.#onChunk(bytes, start, end));
    this.#socket = this.#connect(localAddress);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** Connects and opens the channel. @param localAddress where from. */
  static async open(endpointUrl: string, channel: MessageChannel, localAddress?: string): Promise<ClientConnection> {
    const connection = new ClientConnection(endpointUrl, channel, localAddress);
    try {
      const acknowledge = decodeAcknowledge(await connection.#exchange([encodeHello(endpointUrl)]));
      await channel.open((chunks) => connection.#exchange(chunks), acknowledge);
    } catch (error) {
      connection.#socket.destroy();
      throw error;
    }
    return connection;
  }

  #connect(localAddress: string | undefined): ChunkSocket {
    const { hostname, port } = new URL(this.endpointUrl);
    const stream = webSocketFor(this.endpointUrl, localAddress);
    if (stream !== undefined) {
      stream.on('data', (bytes: Buffer) => this.#onBytes(bytes.length, bytes));
      return stream;
    }
    const onread = {
      buffer: readBuffer,
      callback: (byteCount: number, bytes: Uint8Array) => this.#onBytes(byteCount, bytes as Buffer),
    };
    const from = localAddress === undefined ? {} : { localAddress };
    return connect({ host: hostname, port: Number(port || 4840), noDelay: true, onread, ...from });
  }

  /** Sends one request and waits for its response. @throws UaStatusError for a bad service result. */
  call<Q extends { requestHeader: RequestHeader }, S extends { responseHeader: ResponseHeader }>(
    request: RequestType<Q>,
    response: ResponseType<S>,
    authenticationToken: NodeId,
    fields: Omit<Q, 'requestHeader'>,
  ): Promise<S> {
    const requestId = this.#nextCallId++;
    const body = encodeRequest(request, fields, authenticationToken, requestId).bytes;
    return new Promise<S>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const timer = setTimeout(() => this.#fail(new Error(`no ${response.name} for ${CALL_TIMEOUT_MS} ms`)), CALL_TIMEOUT_MS);
      this.#pending.set(requestId, {
        settle: (_requestId, bytes, start, end) => {
          clearTimeout(timer);
          try {
            resolve(decodeResponse(response, bytes, start, end));
          } catch (error) {
            reject(error as Error);
          }
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.send(this.channel.encode(requestId, body));
    });
  }

  /** From now on messages that answer no call go to `sink`. */
  attach(sink: MessageSink): void {
    this.#sink = sink;
  }

  /** Writes buffers in order, in one system call. They must not change before the server has answered. */
  send(buffers: readonly Buffer[]): void {
    if (buffers.length === 1) {
      this.#socket.write(buffers[0] as Buffer);
      return;
    }
    this.#socket.cork();
    for (const buffer of buffers) this.#socket.write(buffer);
    this.#socket.uncork();
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Closes the channel and the socket. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#socket.destroyed) return;
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    this.send(this.channel.encodeClose(this.#nextCallId++));
    this.#socket.destroySoon();
    await closed;
  }

  #exchange(chunks: readonly Buffer[]): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#control = { resolve, reject };
      this.send(chunks);
    });
  }

  #onBytes(byteCount: number, bytes: Buffer): boolean {
    try {
      this.#splitter.push(bytes, byteCount);
      this.#sink?.onReadEnd();
    } catch (error) {
      this.#fail(error as Error);
    }
    return true;
  }

  #onChunk(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start];
    if (type === TYPE_MSG) {
      this.channel.decode(bytes, start, end, this.#onMessage);
    } else if (type === TYPE_ERR) {
      throw decodeError(bytes.subarray(start, end));
    } else {
      const control = this.#control;
      this.#control = undefined;
      control?.resolve(Buffer.from(bytes.subarray(start, end)));
    }
  }

  #onMessage: MessageReceiver = (requestId, bytes, start, end) => {
    const call = this.#pending.size > 0 ? this.#pending.get(requestId) : undefined;
    if (call) {
      this.#pending.delete(requestId);
      call.settle(requestId, bytes, start, end);
    } else if (this.#sink) {
      this.#sink.onMessage(requestId, bytes, start, end);
    } else {
      throw new Error(`an answer to request ${requestId}, which was not sent`);
    }
  };

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#socket.destroy();
    this.#control?.reject(error);
    for (const call of this.#pending.values()) call.reject(error);
    this.#pending.clear();
    if (!this.#isClosing) this.#sink?.onFailed(error);
  }
}
