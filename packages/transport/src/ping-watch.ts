import type { Timer, Timers } from '@bulkhead/contracts';

/** How a silent peer is found out. */
export interface PingTimers {
  readonly timers: Timers;
  /** A peer from which nothing came for this long is pinged, and is given up after the same time again, ms. */
  readonly pingIntervalMs: number;
}

/** Pings a peer in each interval, and gives it up when nothing came of it in the next. */
export class PingWatch implements Disposable {
  readonly #timers: PingTimers;
  readonly #ping: () => void;
  readonly #giveUp: () => void;
  #isPinged = false;
  #timer: Timer | undefined;

  constructor(timers: PingTimers, ping: () => void, giveUp: () => void) {
    this.#timers = timers;
    this.#ping = ping;
    this.#giveUp = giveUp;
    this.#arm();
  }

  /** Something came. */
  heard(): void {
    this.#isPinged = false;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { timers, pingIntervalMs } = this.#timers;
    this.#timer = timers.after(pingIntervalMs, () => {
      if (this.#isPinged) return this.#giveUp();
      this.#isPinged = true;
      this.#ping();
      this.#arm();
    });
  }
}
