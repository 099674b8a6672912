import type { Socket } from 'node:net';
import type { ByteTransport, ByteTransportEvents, RemoteAddress } from '@bulkhead/contracts';
import { detach } from '@bulkhead/transport';

/** OPC 10000-7: UA-TCP UA-SC UA-Binary. */
export const UA_TCP_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary';

/** Most bytes given to the socket at a time, so that it shows whether a slow peer takes any. */
const MAX_BATCH_BYTES = 128 * 1024;

/** A TCP connection. Buffers written together go out in one system call. */
export class SocketByteTransport implements ByteTransport {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string = UA_TCP_PROFILE_URI;
  readonly #socket: Socket;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isEnding = false;
  #isPaused = false;
  #events: ByteTransportEvents | undefined;

  /** @param socket accepted, and not read from yet, or paused. */
  constructor(socket: Socket, remote: RemoteAddress) {
    this.#socket = socket;
    this.remote = remote;
  }

  /** Starts reading unless paused. `events.onClosed` is called exactly once, after an error too. */
  start(events: ByteTransportEvents): void {
    const socket = this.#socket;
    this.#events = events;
    socket.on('data', (bytes) => events.onBytes(bytes));
    socket.on('close', () => events.onClosed());
    if (!this.#isPaused) socket.resume();
  }

  get unsentBytes(): number {
    return this.#queuedBytes + this.#socket.writableLength;
  }

  write(buffers: readonly Buffer[]): void {
    if (this.#isEnding || !this.#socket.writable) return;
    for (const buffer of buffers) {
      this.#queue.push(buffer);
      this.#queuedBytes += buffer.length;
    }
    this.#pump();
    const queue = this.#queue;
    for (let at = Math.max(0, queue.length - buffers.length); at < queue.length; at++) queue[at] = detach(queue[at] as Buffer);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#queue.length === 0) this.#socket.end();
  }

  destroy(): void {
    this.#dropQueue();
    this.#socket.destroy();
  }

  /** Gives the socket the next batch whenever it has passed on the one before. */
  #pump(): void {
    const socket = this.#socket;
    while (this.#queue.length > 0 && socket.writableLength === 0) {
      if (!socket.writable) return this.#dropQueue();
      this.#writeBatch(this.#takeBatch());
    }
    if (this.#isEnding && this.#queue.length === 0) socket.end();
  }

  #takeBatch(): Buffer[] {
    let batch = this.#queue;
    let bytes = this.#queuedBytes;
    if (bytes <= MAX_BATCH_BYTES) {
      this.#queue = [];
    } else {
      let count = 0;
      bytes = 0;
      while (count === 0 || bytes + (batch[count]?.length ?? Infinity) <= MAX_BATCH_BYTES) bytes += batch[count++]?.length ?? 0;
      batch = this.#queue.splice(0, count);
    }
    this.#queuedBytes -= bytes;
    return batch;
  }

  #writeBatch(batch: readonly Buffer[]): void {
    const socket = this.#socket;
    const last = batch.length - 1;
    if (last > 0) socket.cork();
    for (let at = 0; at < last; at++) socket.write(batch[at] as Buffer);
    socket.write(batch[last] as Buffer, this.#batchWritten);
    if (last > 0) socket.uncork();
  }

  readonly #batchWritten = (error?: Error | null): void => {
    if (error) return this.#dropQueue();
    this.#pump();
    if (this.unsentBytes === 0) this.#events?.onDrain();
  };

  #dropQueue(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}
