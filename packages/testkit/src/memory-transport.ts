import type { ByteTransport, ByteTransportEvents, RemoteAddress, TurnScheduler } from '@bulkhead/contracts';

export interface MemoryTransportOptions {
  /** Cuts what one side wrote into the pieces that the other side sees; by default each buffer is one piece. */
  readonly segment?: (bytes: Buffer) => readonly Buffer[];
  /** Turns between writing and arrival, >= 1; default 1. */
  readonly delayTurns?: number;
  /** What the server side sees of its peer. */
  readonly clientAddress?: RemoteAddress;
  readonly transportProfileUri?: string;
}

const UA_TCP_PROFILE = 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary';
const LOOPBACK: RemoteAddress = { address: '127.0.0.1', port: 50_000 };

/** Two transports joined in memory: what one writes arrives at the other some turns later, unless that one has paused. */
export class MemoryTransportPair {
  readonly client: MemoryTransport;
  readonly server: MemoryTransport;

  constructor(turns: TurnScheduler, options: MemoryTransportOptions = {}) {
    this.client = new MemoryTransport(turns, { address: '127.0.0.1', port: 4840 }, options);
    this.server = new MemoryTransport(turns, options.clientAddress ?? LOOPBACK, options);
    this.client.join(this.server);
    this.server.join(this.client);
  }
}

/** Pieces of one byte: the worst that a network may do to a message. */
export function byteByByte(bytes: Buffer): readonly Buffer[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

export class MemoryTransport implements ByteTransport {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  /** Calls of `write`, to count what would be system calls. */
  writes = 0;
  readonly #turns: TurnScheduler;
  readonly #segment: (bytes: Buffer) => readonly Buffer[];
  readonly #delayTurns: number;
  #peer!: MemoryTransport;
  #events: ByteTransportEvents | undefined;
  /** Pieces on their way to the peer. */
  #outgoing: Buffer[] = [];
  #unsentBytes = 0;
  #isPaused = false;
  /** Bytes until this side pauses by itself. */
  #allowance = Infinity;
  #isDelivering = false;
  #isEnding = false;
  #isClosed = false;

  constructor(turns: TurnScheduler, remote: RemoteAddress, options: MemoryTransportOptions) {
    this.remote = remote;
    this.transportProfileUri = options.transportProfileUri ?? UA_TCP_PROFILE;
    this.#turns = turns;
    this.#segment = options.segment ?? ((bytes) => [bytes]);
    this.#delayTurns = options.delayTurns ?? 1;
  }

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  /** Bytes that come before are kept. */
  start(events: ByteTransportEvents): void {
    this.#events = events;
    this.#peer.#deliverLater();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  write(buffers: readonly Buffer[]): void {
    if (this.#isClosed || this.#isEnding) return;
    this.writes++;
    for (const buffer of buffers) {
      this.#unsentBytes += buffer.length;
      // A copy: the receiver owns what it gets.
      this.#outgoing.push(...this.#segment(Buffer.from(buffer)));
    }
    this.#deliverLater();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** @param byteCount what is taken before this side pauses again by itself, in whole pieces. */
  resume(byteCount: number = Infinity): void {
    this.#isPaused = false;
    this.#allowance = byteCount;
    this.#peer.#deliverLater();
  }

  end(): void {
    if (this.#isEnding || this.#isClosed) return;
    this.#isEnding = true;
    this.#deliverLater();
  }

  destroy(): void {
    if (this.#isClosed) return;
    this.#outgoing = [];
    this.#unsentBytes = 0;
    this.#closeLater();
    this.#peer.#closeLater();
  }

  #take(piece: Buffer): void {
    this.#allowance -= piece.length;
    if (this.#allowance <= 0) this.#isPaused = true;
    this.#events?.onBytes(piece);
  }

  #closeLater(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#turns.defer(() => this.#events?.onClosed());
  }

  #deliverLater(): void {
    if (this.#isDelivering || (this.#outgoing.length === 0 && !this.#isEnding)) return;
    this.#isDelivering = true;
    this.#afterTurns(this.#delayTurns, () => {
      this.#isDelivering = false;
      this.#deliver();
    });
  }

  #afterTurns(turns: number, run: () => void): void {
    this.#turns.defer(turns <= 1 ? run : () => this.#afterTurns(turns - 1, run));
  }

  #deliver(): void {
    const peer = this.#peer;
    let hasDelivered = false;
    while (this.#outgoing.length > 0 && peer.#events !== undefined && !peer.#isPaused && !peer.#isClosed) {
      const piece = this.#outgoing.shift() as Buffer;
      this.#unsentBytes -= piece.length;
      hasDelivered = true;
      peer.#take(piece);
    }
    if (this.#outgoing.length > 0) return;
    if (hasDelivered && !this.#isClosed) this.#events?.onDrain();
    if (this.#isEnding) {
      this.#closeLater();
      peer.#closeLater();
    }
  }
}
