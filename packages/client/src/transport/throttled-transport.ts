import type { ByteTransportEvents, Clock, RemoteAddress, Timer, Timers } from '@bulkhead/contracts';
import type { ConnectionThrottle, Pacer } from '@bulkhead/limits';
import type { ClientTransport } from './client-transport.ts';

/**
 * A transport held to a bandwidth: reading stops until what came is paid for (back-pressure on the server), writing is paced in
 * pieces of the budget's quantum.
 */
export class ThrottledTransport implements ClientTransport {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  readonly #inner: ClientTransport;
  readonly #throttle: ConnectionThrottle;
  readonly #clock: Clock;
  readonly #timers: Timers;
  #events: ByteTransportEvents | undefined;
  #readTimer: Timer | undefined;
  #writeTimer: Timer | undefined;
  #isPaused = false;
  #isEnding = false;
  /** Pieces in order; the first one's turn is what `#writeTimer` waits for. */
  #queue: Buffer[] = [];
  #queuedBytes = 0;

  constructor(inner: ClientTransport, throttle: ConnectionThrottle, clock: Clock, timers: Timers) {
    this.remote = inner.remote;
    this.transportProfileUri = inner.transportProfileUri;
    this.#inner = inner;
    this.#throttle = throttle;
    this.#clock = clock;
    this.#timers = timers;
  }

  get unsentBytes(): number {
    return this.#queuedBytes + this.#inner.unsentBytes;
  }

  start(events: ByteTransportEvents): void {
    this.#events = events;
    this.#inner.start({
      onBytes: (bytes) => this.#onBytes(bytes, events),
      onDrain: () => {
        if (this.#queue.length === 0) events.onDrain();
      },
      onClosed: () => {
        this.#clear();
        events.onClosed();
      },
    });
  }

  write(buffers: readonly Buffer[]): void {
    const pacer = this.#throttle.write;
    if (pacer === undefined) return this.#inner.write(buffers);
    if (this.#isEnding) return;
    for (const buffer of buffers) {
      for (let start = 0; start < buffer.length; start += pacer.quantumBytes) {
        this.#queue.push(buffer.subarray(start, start + pacer.quantumBytes));
      }
      this.#queuedBytes += buffer.length;
    }
    if (this.#writeTimer === undefined) this.#pump(pacer);
  }

  pause(): void {
    this.#isPaused = true;
    this.#inner.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#readTimer === undefined) this.#inner.resume();
  }

  end(): void {
    this.#isEnding = true;
    if (this.#queue.length === 0) this.#inner.end();
  }

  destroy(): void {
    this.#clear();
    this.#inner.destroy();
  }

  #onBytes(bytes: Buffer, events: ByteTransportEvents): void {
    const nowMs = this.#clock.nowMs();
    const atMs = this.#throttle.read?.charge(nowMs, bytes.length) ?? nowMs;
    if (atMs > nowMs && this.#readTimer === undefined) {
      this.#inner.pause();
      this.#readTimer = this.#timers.after(atMs - nowMs, () => {
        this.#readTimer = undefined;
        if (!this.#isPaused) this.#inner.resume();
      });
    }
    events.onBytes(bytes);
  }

  /** Sends until a piece has to wait for its turn. */
  #pump(pacer: Pacer): void {
    for (let piece = this.#queue[0]; piece !== undefined; piece = this.#queue[0]) {
      const nowMs = this.#clock.nowMs();
      const atMs = pacer.charge(nowMs, piece.length);
      if (atMs > nowMs) {
        this.#writeTimer = this.#timers.after(atMs - nowMs, () => {
          this.#writeTimer = undefined;
          this.#sendFirst();
          this.#pump(pacer);
        });
        return;
      }
      this.#sendFirst();
    }
    if (this.#isEnding) this.#inner.end();
    else if (this.#inner.unsentBytes === 0) this.#events?.onDrain();
  }

  #sendFirst(): void {
    const piece = this.#queue.shift();
    if (piece === undefined) return;
    this.#queuedBytes -= piece.length;
    this.#inner.write([piece]);
  }

  #clear(): void {
    this.#readTimer?.cancel();
    this.#writeTimer?.cancel();
    this.#readTimer = undefined;
    this.#writeTimer = undefined;
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}
