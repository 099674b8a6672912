import type { Socket } from 'node:net';
import type { ByteTransport, ByteTransportEvents, RemoteAddress } from '@bulkhead/contracts';
import { detach, type PingTimers, PingWatch } from '@bulkhead/transport';
import type { WebSocket } from 'ws';
import { ChunkFrames, isOneChunk } from './chunk-frames.ts';
import { CloseCode } from './close-code.ts';

/** OPC 10000-7: UA-WSS UA-SC UA-Binary. */
export const UA_WSS_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/wss-uasc-uabinary';
/** WebSocket subprotocol of MessageChunks. OPC 10000-6 §7.5.2. */
export const UACP_SUBPROTOCOL = 'opcua+uacp';

/** Most bytes given to the socket at a time, so that it shows whether a slow peer takes any. */
const MAX_BATCH_BYTES = 128 * 1024;

/**
 * A WebSocket that carries MessageChunks: one in each binary frame, both ways. Text, and frames with more or less than one chunk,
 * end it. OPC 10000-6 §7.5.2.
 */
export class WebSocketByteTransport implements ByteTransport {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string = UA_WSS_PROFILE_URI;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #frames: ChunkFrames = new ChunkFrames();
  readonly #idle: PingTimers | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Given to the WebSocket and not taken by the operating system yet. */
  #batchBytes = 0;
  #isEnding = false;
  #isSilent = false;
  #watch: PingWatch | undefined;
  #events: ByteTransportEvents | undefined;

  /**
   * @param socket what carries the WebSocket: its buffer says what the peer has not taken.
   * @param idle without it, a silent peer is kept for as long as its channel lives.
   */
  constructor(webSocket: WebSocket, socket: Socket, remote: RemoteAddress, idle?: PingTimers) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.remote = remote;
    this.#idle = idle;
    // 'close' follows each error and says all that matters.
    webSocket.on('error', () => {});
    webSocket.binaryType = 'nodebuffer';
  }

  /** Takes what arrives from now on. `events.onClosed` is called exactly once, after an error too. */
  start(events: ByteTransportEvents): void {
    const webSocket = this.#webSocket;
    this.#events = events;
    webSocket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    webSocket.on('ping', () => this.#watch?.heard());
    webSocket.on('pong', () => this.#watch?.heard());
    webSocket.on('close', () => {
      this.#watch?.[Symbol.dispose]();
      this.#dropQueue();
      events.onClosed();
    });
    if (this.#idle === undefined) return;
    this.#watch = new PingWatch(
      this.#idle,
      () => webSocket.ping(),
      () => this.destroy(),
    );
  }

  get unsentBytes(): number {
    return this.#queuedBytes + this.#frames.bufferedBytes + Math.max(this.#batchBytes, this.#socket.writableLength);
  }

  write(buffers: readonly Buffer[]): void {
    if (this.#isEnding || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    let added = 0;
    for (const buffer of buffers) {
      for (const chunk of this.#frames.push(buffer)) {
        this.#queue.push(chunk);
        this.#queuedBytes += chunk.length;
        added++;
      }
    }
    this.#pump();
    const queue = this.#queue;
    for (let at = Math.max(0, queue.length - added); at < queue.length; at++) queue[at] = detach(queue[at] as Buffer);
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#queue.length === 0) this.#webSocket.close(CloseCode.Normal);
  }

  destroy(): void {
    this.#dropQueue();
    this.#webSocket.terminate();
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    this.#watch?.heard();
    if (this.#isSilent) return;
    if (isBinary && isOneChunk(data)) return this.#events?.onBytes(data);
    this.#isSilent = true;
    this.#webSocket.close(isBinary ? CloseCode.ProtocolError : CloseCode.UnsupportedData);
  }

  /** Gives the socket the next batch whenever it has passed on the one before. */
  #pump(): void {
    while (this.#queue.length > 0 && this.#batchBytes === 0) {
      if (this.#webSocket.readyState !== this.#webSocket.OPEN) return this.#dropQueue();
      this.#sendBatch(this.#takeBatch());
    }
    if (this.#isEnding && this.#queue.length === 0) this.#webSocket.close(CloseCode.Normal);
  }

  #takeBatch(): Buffer[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#queue.length && (count === 0 || bytes + (this.#queue[count] as Buffer).length <= MAX_BATCH_BYTES)) {
      bytes += (this.#queue[count++] as Buffer).length;
    }
    this.#queuedBytes -= bytes;
    this.#batchBytes = bytes;
    return this.#queue.splice(0, count);
  }

  #sendBatch(batch: readonly Buffer[]): void {
    const last = batch.length - 1;
    this.#socket.cork();
    for (let at = 0; at < last; at++) this.#webSocket.send(batch[at] as Buffer, BINARY);
    this.#webSocket.send(batch[last] as Buffer, BINARY, this.#batchSent);
    this.#socket.uncork();
  }

  readonly #batchSent = (error?: Error | null): void => {
    this.#batchBytes = 0;
    if (error) return this.#dropQueue();
    this.#pump();
    if (this.unsentBytes === 0) this.#events?.onDrain();
  };

  #dropQueue(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}

const BINARY = { binary: true, compress: false };
