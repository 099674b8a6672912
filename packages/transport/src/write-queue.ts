import type { ByteTransport, Clock } from '@bulkhead/contracts';

/** Above this, waiting for the end of the turn gains nothing. */
const EARLY_FLUSH_BYTES = 256 * 1024;

/**
 * Chunks on their way out. They are handed to the transport together at the end of a turn. Watches whether the peer takes
 * them: it has to take something within each period for which bytes are waiting.
 */
export class WriteQueue {
  readonly #transport: ByteTransport;
  readonly #clock: Clock;
  readonly #slowReaderTimeoutMs: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** All bytes ever queued. */
  #queuedTotal = 0;
  /** How much the peer had taken when the running period began. */
  #takenAtStart = 0;
  #deadlineMs = Infinity;

  constructor(transport: ByteTransport, clock: Clock, slowReaderTimeoutMs: number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#slowReaderTimeoutMs = slowReaderTimeoutMs;
  }

  /** Bytes that the peer's side has not taken yet. */
  get unsentBytes(): number {
    return this.#pendingBytes + this.#transport.unsentBytes;
  }

  /** When the peer must have taken something; Infinity while nothing is unsent. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  push(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      this.#pending.push(chunk);
      this.#pendingBytes += chunk.length;
      this.#queuedTotal += chunk.length;
    }
    if (this.#pendingBytes >= EARLY_FLUSH_BYTES) this.flush();
  }

  /** Hands everything to the transport in one call. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const buffers = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#transport.write(buffers);
    if (this.#deadlineMs === Infinity && this.#transport.unsentBytes > 0) this.#startPeriod();
  }

  /** The transport is empty. */
  drained(): void {
    this.#deadlineMs = Infinity;
  }

  /** @returns false when the period ended and the peer took nothing. */
  checkProgress(nowMs: number): boolean {
    if (nowMs < this.#deadlineMs) return true;
    if (this.#transport.unsentBytes === 0) {
      this.#deadlineMs = Infinity;
      return true;
    }
    if (this.#takenTotal === this.#takenAtStart) return false;
    this.#startPeriod();
    return true;
  }

  /** Drops what was not handed over. */
  clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#deadlineMs = Infinity;
  }

  get #takenTotal(): number {
    return this.#queuedTotal - this.unsentBytes;
  }

  #startPeriod(): void {
    this.#takenAtStart = this.#takenTotal;
    this.#deadlineMs = this.#clock.nowMs() + this.#slowReaderTimeoutMs;
  }
}
