import type { Clock, Timer, Timers } from '@bulkhead/contracts';
import { perSecond, TokenBucket } from '@bulkhead/limits';

/** How fast TLS handshakes may begin. */
export interface HandshakePace {
  readonly clock: Clock;
  readonly timers: Timers;
  /** An integer >= 1. */
  readonly perSecond: number;
}

/** What may begin at once: so much of a second's. */
const BURST_PART = 1 / 5;
/** What may wait of one caller, and in all: so much of a second's. A caller of whom nothing waits may wait in any case. */
const WAITING_PART_OF_CALLER = 1 / 4;
const WAITING_PART = 1;

/**
 * Lets TLS handshakes begin one by one, no faster than a rate and by turns between callers. Each costs the event loop a signature, so that
 * one that connects again and again would hold up everybody. Those that wait have places which others want: there is a bound for each caller.
 */
export class HandshakePacer {
  readonly #pace: HandshakePace;
  readonly #bucket: TokenBucket;
  /** By caller, the one whose turn is next first. */
  readonly #waiting: Map<string, (() => void)[]> = new Map();
  #waitingCount = 0;
  #timer: Timer | undefined;

  /** @throws RangeError */
  constructor(pace: HandshakePace) {
    this.#pace = pace;
    this.#bucket = new TokenBucket(perSecond(pace.perSecond, Math.ceil(pace.perSecond * BURST_PART)));
  }

  /** Handshakes that wait. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * @param start runs now, or when it is the caller's turn; it has to look whether the connection is still there.
   * @returns false when too many of the caller's wait already.
   */
  begin(caller: string, start: () => void): boolean {
    if (this.#waiting.size === 0 && this.#bucket.tryAcquire(this.#pace.clock.nowMs()).kind === 'granted') {
      start();
      return true;
    }
    const own = this.#waiting.get(caller);
    if (own === undefined) this.#waiting.set(caller, [start]);
    else if (this.#mayWait(own.length)) own.push(start);
    else return false;
    this.#waitingCount++;
    this.#arm();
    return true;
  }

  /** Nothing begins any more. Idempotent. */
  close(): void {
    this.#waiting.clear();
    this.#waitingCount = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #mayWait(ofCaller: number): boolean {
    const { perSecond: rate } = this.#pace;
    return ofCaller < rate * WAITING_PART_OF_CALLER && this.#waitingCount < rate * WAITING_PART;
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const { clock, timers } = this.#pace;
    const nowMs = clock.nowMs();
    this.#timer = timers.after(Math.max(0, this.#bucket.readyAtMs(nowMs) - nowMs), () => {
      this.#timer = undefined;
      this.#beginNext();
      if (this.#waiting.size > 0) this.#arm();
    });
  }

  #beginNext(): void {
    for (const [caller, starts] of this.#waiting) {
      if (this.#bucket.tryAcquire(this.#pace.clock.nowMs()).kind !== 'granted') return;
      this.#waiting.delete(caller);
      const start = starts.shift();
      this.#waitingCount--;
      if (starts.length > 0) this.#waiting.set(caller, starts);
      start?.();
    }
  }
}
