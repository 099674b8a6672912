import type { ByteTransport, ByteTransportEvents, RemoteAddress } from '@bulkhead/contracts';
import { chunkTypeOf, type MemoryTransport } from '@bulkhead/testkit';

/** Who takes connections over. */
export interface Acceptor {
  accept(transport: ByteTransport): ByteTransportEvents | undefined;
}

/**
 * How far the server got with a connection, as its bytes show: it `waits` for the place of another one and may be `refused` it,
 * is in its `handshake`, is `open`, is `ending` (the server has given it up), or is `closed`.
 */
export type ServerSideState = 'waiting' | 'refused' | 'handshake' | 'open' | 'ending' | 'closed';

/** The server's end of a connection, watched from outside. */
export class ObservedTransport implements ByteTransport, ByteTransportEvents {
  state: ServerSideState = 'handshake';
  readonly #transport: MemoryTransport;
  #events: ByteTransportEvents | undefined;

  constructor(transport: MemoryTransport) {
    this.#transport = transport;
  }

  get remote(): RemoteAddress {
    return this.#transport.remote;
  }

  get transportProfileUri(): string {
    return this.#transport.transportProfileUri;
  }

  get unsentBytes(): number {
    return this.#transport.unsentBytes;
  }

  offerTo(acceptor: Acceptor): void {
    this.#events = acceptor.accept(this);
    if (this.#events !== undefined) return this.#transport.start(this);
    this.state = 'closed';
    this.#transport.destroy();
  }

  write(buffers: readonly Buffer[]): void {
    for (const buffer of buffers) {
      const type = chunkTypeOf(buffer);
      if (type === 'OPN' && this.state === 'handshake') this.state = 'open';
      else if (type === 'ERR') this.#end();
    }
    this.#transport.write(buffers);
  }

  pause(): void {
    // Paused before anything was read: somebody else's place has to become free first.
    if (this.#events === undefined) this.state = 'waiting';
    this.#transport.pause();
  }

  resume(): void {
    if (this.state === 'waiting') this.state = 'handshake';
    this.#transport.resume();
  }

  end(): void {
    this.#end();
    this.#transport.end();
  }

  destroy(): void {
    this.#end();
    this.#transport.destroy();
  }

  onBytes(bytes: Buffer): void {
    this.#events?.onBytes(bytes);
  }

  onDrain(): void {
    this.#events?.onDrain();
  }

  onClosed(): void {
    const isHeld = this.state !== 'closed';
    this.state = 'closed';
    if (isHeld) this.#events?.onClosed();
  }

  #end(): void {
    if (this.state === 'handshake' || this.state === 'open') this.state = 'ending';
    else if (this.state === 'waiting') this.state = 'refused';
  }
}
