import type { ByteTransportEvents, RemoteAddress } from '@bulkhead/contracts';
import type { ClientTransport } from '../src/index.ts';

/** A transport whose other end is the test. */
export class FakeTransport implements ClientTransport {
  readonly remote: RemoteAddress = { address: '127.0.0.1', port: 1 };
  readonly transportProfileUri = 'urn:fake';
  readonly unsentBytes = 0;
  readonly written: Buffer[] = [];
  isReading = true;
  ended = 0;
  isClosed = false;
  events!: ByteTransportEvents;
  readonly #onWrite: (transport: FakeTransport) => void;

  constructor(onWrite: (transport: FakeTransport) => void = () => undefined) {
    this.#onWrite = onWrite;
  }

  get writtenBytes(): number {
    return this.written.reduce((sum, buffer) => sum + buffer.length, 0);
  }

  start(events: ByteTransportEvents): void {
    this.events = events;
  }

  write(buffers: readonly Buffer[]): void {
    this.written.push(...buffers);
    this.#onWrite(this);
  }

  pause(): void {
    this.isReading = false;
  }

  resume(): void {
    this.isReading = true;
  }

  end(): void {
    this.ended++;
    this.destroy();
  }

  destroy(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.events.onClosed();
  }
}
