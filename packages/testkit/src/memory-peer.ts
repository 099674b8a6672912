import type { ByteTransportEvents } from '@bulkhead/contracts';
import type { RequestType } from '@bulkhead/types';
import type { MemoryTransport } from './memory-transport.ts';
import { ChunkInbox, RawNoneChannel, type RawResponse } from './raw-messages.ts';

/** A client in memory that sends any bytes and collects what comes back. */
export class MemoryPeer implements ByteTransportEvents {
  readonly channel: RawNoneChannel = new RawNoneChannel();
  readonly transport: MemoryTransport;
  isClosed = false;
  readonly #inbox: ChunkInbox = new ChunkInbox();

  constructor(transport: MemoryTransport) {
    this.transport = transport;
    transport.start(this);
  }

  send(...buffers: Buffer[]): void {
    this.transport.write(buffers);
  }

  sendRequest<T>(type: RequestType<T>, init: Partial<T> = {}): void {
    this.send(this.channel.request(type, init));
  }

  /** Chunks that came and were not taken yet. */
  takeChunks(): Buffer[] {
    return this.#inbox.chunks.splice(0);
  }

  /** Takes all chunks as responses. */
  takeResponses(): RawResponse[] {
    return this.takeChunks().flatMap((chunk) => this.channel.receive(chunk) ?? []);
  }

  onBytes(bytes: Buffer): void {
    this.#inbox.push(bytes);
  }

  onDrain(): void {}

  onClosed(): void {
    this.isClosed = true;
  }
}
