import type { ByteTransport, ByteTransportEvents, Clock, RemoteAddress, Timer, Timers } from '@bulkhead/contracts';
import type { ConnectionThrottle, Pacer } from '@bulkhead/limits';
import { detach } from './detach.ts';

/** What a throttled transport works by. */
export interface ThrottleRuntime {
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * A transport whose bytes keep to a rate, between the real one and the connection that drives it. What arrives too fast makes it
 * pause reading, so that the peer is held back; what is written too fast waits here and goes out in pieces.
 */
export class ThrottledByteTransport implements ByteTransport, ByteTransportEvents {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  readonly #inner: ByteTransport;
  readonly #runtime: ThrottleRuntime;
  readonly #read: Pacer | undefined;
  readonly #write: Pacer | undefined;
  readonly #held: Partial<Disposable>;
  #events: ByteTransportEvents | undefined;
  #isPausedByDriver = false;
  /** Until when nothing is read. */
  #readTimer: Timer | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** What is paid for once `#writeTimer` runs. */
  #next: Buffer[] = [];
  #nextBytes = 0;
  #writeTimer: Timer | undefined;
  #isEnding = false;
  #isClosed = false;

  /** @param throttle disposed, if it can be, when the transport is closed. */
  constructor(inner: ByteTransport, throttle: ConnectionThrottle & Partial<Disposable>, runtime: ThrottleRuntime) {
    this.remote = inner.remote;
    this.transportProfileUri = inner.transportProfileUri;
    this.#inner = inner;
    this.#runtime = runtime;
    this.#read = throttle.read;
    this.#write = throttle.write;
    this.#held = throttle;
  }

  /** Says who drives the transport; to be called before the first byte arrives. */
  drivenBy(events: ByteTransportEvents): void {
    this.#events = events;
  }

  get unsentBytes(): number {
    return this.#queuedBytes + this.#nextBytes + this.#inner.unsentBytes;
  }

  write(buffers: readonly Buffer[]): void {
    if (this.#write === undefined) return this.#inner.write(buffers);
    if (this.#isEnding || this.#isClosed) return;
    const waitingCount = this.#queue.length;
    for (const buffer of buffers) {
      this.#queue.push(buffer);
      this.#queuedBytes += buffer.length;
    }
    this.#pump(this.#write);
    for (let at = Math.max(0, Math.min(waitingCount, this.#queue.length - buffers.length)); at < this.#queue.length; at++) {
      this.#queue[at] = detach(this.#queue[at] as Buffer);
    }
  }

  pause(): void {
    this.#isPausedByDriver = true;
    this.#inner.pause();
  }

  resume(): void {
    this.#isPausedByDriver = false;
    if (this.#readTimer === undefined) this.#inner.resume();
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#isWriteQueueEmpty) this.#inner.end();
  }

  destroy(): void {
    this.#stop();
    this.#inner.destroy();
  }

  onBytes(bytes: Buffer): void {
    const pacer = this.#read;
    if (pacer !== undefined && !this.#isClosed) this.#payForRead(pacer, bytes.length);
    this.#events?.onBytes(bytes);
  }

  onDrain(): void {
    if (this.#isWriteQueueEmpty) this.#events?.onDrain();
  }

  onClosed(): void {
    this.#stop();
    this.#held[Symbol.dispose]?.();
    this.#events?.onClosed();
  }

  get #isWriteQueueEmpty(): boolean {
    return this.#queuedBytes === 0 && this.#nextBytes === 0;
  }

  #payForRead(pacer: Pacer, byteCount: number): void {
    const nowMs = this.#runtime.clock.nowMs();
    const paidAtMs = pacer.charge(nowMs, byteCount);
    if (paidAtMs <= nowMs) return;
    this.#inner.pause();
    this.#readTimer?.cancel();
    this.#readTimer = this.#runtime.timers.after(paidAtMs - nowMs, () => {
      this.#readTimer = undefined;
      if (!this.#isPausedByDriver) this.#inner.resume();
    });
  }

  /** Sends as long as that is paid for, and waits for the rest. */
  #pump(pacer: Pacer): void {
    while (this.#writeTimer === undefined && this.#queuedBytes > 0) {
      this.#takePiece(pacer.quantumBytes);
      const nowMs = this.#runtime.clock.nowMs();
      const paidAtMs = pacer.charge(nowMs, this.#nextBytes);
      if (paidAtMs <= nowMs) this.#sendPiece();
      else {
        this.#writeTimer = this.#runtime.timers.after(paidAtMs - nowMs, () => {
          this.#writeTimer = undefined;
          this.#sendPiece();
          this.#pump(pacer);
        });
      }
    }
    if (this.#isEnding && this.#isWriteQueueEmpty) this.#inner.end();
  }

  /** @param maxBytes leaves room for others on the same budget. */
  #takePiece(maxBytes: number): void {
    let bytes = 0;
    let count = 0;
    for (; count < this.#queue.length && bytes < maxBytes; count++) bytes += (this.#queue[count] as Buffer).length;
    const piece = this.#queue.splice(0, count);
    const excess = bytes - maxBytes;
    if (excess > 0) {
      const last = piece[count - 1] as Buffer;
      piece[count - 1] = last.subarray(0, last.length - excess);
      this.#queue.unshift(last.subarray(last.length - excess));
      bytes = maxBytes;
    }
    this.#queuedBytes -= bytes;
    this.#next = piece;
    this.#nextBytes = bytes;
  }

  #sendPiece(): void {
    const piece = this.#next;
    this.#next = [];
    this.#nextBytes = 0;
    this.#inner.write(piece);
  }

  #stop(): void {
    this.#isClosed = true;
    this.#readTimer?.cancel();
    this.#readTimer = undefined;
    this.#writeTimer?.cancel();
    this.#writeTimer = undefined;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#next = [];
    this.#nextBytes = 0;
  }
}
