import type { Clock, Runtime } from '@bulkhead/contracts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { ConnectionStart } from './connection-start.ts';
import type { ConnectionState } from './connection-state.ts';
import { DeadlineTimer } from './deadline-timer.ts';

/** What a connection's deadlines depend on beside what happened to it. */
export interface DeadlineSource {
  readonly state: ConnectionState;
  /** Of its channel and of what the peer has to take, monotonic ms. */
  readonly openDeadlineMs: number;
  onDeadline(nowMs: number): void;
}

/** For one that sends on and on: time for the last bytes to get there before the connection is reset. */
const OVERRUN_LINGER_MS = 100;

/** Every deadline of one connection, on one timer. */
export class ConnectionDeadlines {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #source: DeadlineSource;
  readonly #timer: DeadlineTimer;
  readonly #helloMs: number;
  readonly #startUpMs: number;
  #chunkMs = Infinity;
  #lingerMs = Infinity;
  #workMs = Infinity;

  constructor(runtime: Runtime, limits: ConnectionLimits, source: DeadlineSource, { startedAtMs, outgoing }: ConnectionStart) {
    this.#limits = limits;
    this.#clock = runtime.clock;
    this.#source = source;
    this.#timer = new DeadlineTimer(runtime.clock, runtime.timers, () => this.#onTimer());
    this.#startUpMs = startedAtMs + limits.handshakeTimeoutMs;
    // A client may keep a connection that this server opened until it needs it, but not longer than any start-up may take.
    this.#helloMs = outgoing === undefined ? Math.min(runtime.clock.nowMs() + limits.helloTimeoutMs, this.#startUpMs) : this.#startUpMs;
  }

  /** Until when work on an OPN keeps its lease when the connection is closed meanwhile. */
  workBegins(): void {
    this.#workMs = this.#clock.nowMs() + this.#limits.handshakeTimeoutMs;
  }

  workEnds(): void {
    this.#workMs = Infinity;
  }

  /** A chunk is complete: what follows is another one, with a time of its own. */
  chunkEnds(): void {
    this.#chunkMs = Infinity;
  }

  /** @param isWaited a chunk is incomplete, and this side reads: only then is it the peer that has to go on. */
  watchChunk(isWaited: boolean): void {
    if (!isWaited) this.#chunkMs = Infinity;
    else if (this.#chunkMs === Infinity) this.#chunkMs = this.#clock.nowMs() + this.#limits.messageTimeoutMs;
  }

  isChunkLate(nowMs: number): boolean {
    return nowMs >= this.#chunkMs;
  }

  /** The peer may take what is queued, for a while. */
  lingerBegins(): void {
    this.#lingerMs = this.#clock.nowMs() + this.#limits.lingerTimeoutMs;
  }

  /** The peer goes on sending instead: it may take what is queued, but not for long. */
  lingerShortens(): void {
    this.#lingerMs = Math.min(this.#lingerMs, this.#clock.nowMs() + OVERRUN_LINGER_MS);
  }

  lingerEnds(): void {
    this.#lingerMs = Infinity;
  }

  /** Call after anything that may have moved a deadline forward. */
  arm(): void {
    this.#timer.set(this.#nextMs);
  }

  cancel(): void {
    this.#timer.cancel();
  }

  get #nextMs(): number {
    switch (this.#source.state) {
      case 'awaitingHello':
        return this.#helloMs;
      case 'awaitingOpen':
        return this.#startUpMs;
      case 'open':
        return Math.min(this.#source.openDeadlineMs, this.#chunkMs);
      case 'closing':
        return this.#lingerMs;
      default:
        return this.#workMs;
    }
  }

  #onTimer(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#nextMs) this.#source.onDeadline(nowMs);
    this.arm();
  }
}
