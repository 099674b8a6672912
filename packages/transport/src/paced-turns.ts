import type { Clock, Timer, Timers } from '@bulkhead/contracts';
import { type Rate, TokenBucket } from '@bulkhead/limits';

/** How fast. */
export interface Pace {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rate: Rate;
}

/** Work that waits for its turn. */
class Waiter implements Disposable {
  readonly cost: number;
  start: (() => void) | undefined;

  constructor(cost: number, start: () => void) {
    this.cost = cost;
    this.start = start;
  }

  [Symbol.dispose](): void {
    this.start = undefined;
  }
}

/**
 * Lets work of many callers begin no faster than a rate. What is too much waits, and begins by turns between callers: one that comes again
 * and again waits behind himself alone. How much waits is bounded by whoever brings it.
 */
export class PacedTurns {
  readonly #pace: Pace;
  readonly #bucket: TokenBucket;
  /** By caller, the one whose turn is next first. */
  readonly #waiting: Map<string, Waiter[]> = new Map();
  #waitingCount = 0;
  #timer: Timer | undefined;

  /** @throws RangeError naming what of the rate is wrong. */
  constructor(pace: Pace) {
    this.#pace = pace;
    this.#bucket = new TokenBucket(pace.rate);
  }

  /** Pieces of work that wait. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  waitingOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /**
   * Runs `start` when it is the caller's turn.
   * @param cost at most the burst of the rate.
   * @returns undefined when it may go on at once: `start` isn't called then. Otherwise disposing what is returned gives the turn up.
   */
  wait(caller: string, cost: number, start: () => void): Disposable | undefined {
    const { clock } = this.#pace;
    if (this.#waiting.size === 0 && this.#bucket.tryAcquire(clock.nowMs(), cost).kind === 'granted') return undefined;
    const waiter = new Waiter(cost, start);
    const own = this.#waiting.get(caller);
    if (own === undefined) this.#waiting.set(caller, [waiter]);
    else own.push(waiter);
    this.#waitingCount++;
    this.#arm();
    return waiter;
  }

  /** Nothing that waits begins any more. Idempotent. */
  close(): void {
    this.#waiting.clear();
    this.#waitingCount = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const { clock, timers } = this.#pace;
    const nowMs = clock.nowMs();
    const cost = this.#next()?.cost ?? 0;
    this.#timer = timers.after(Math.max(0, this.#bucket.readyAtMs(nowMs, cost) - nowMs), () => {
      this.#timer = undefined;
      this.#beginAll();
      if (this.#waiting.size > 0) this.#arm();
    });
  }

  #next(): Waiter | undefined {
    for (const [waiter] of this.#waiting.values()) return waiter;
    return undefined;
  }

  #beginAll(): void {
    for (const [caller, own] of this.#waiting) {
      const [waiter] = own;
      if (waiter === undefined || !this.#mayBegin(waiter)) return;
      this.#waiting.delete(caller);
      own.shift();
      this.#waitingCount--;
      if (own.length > 0) this.#waiting.set(caller, own);
      waiter.start?.();
    }
  }

  /** What was given up costs nothing. */
  #mayBegin({ cost, start }: Waiter): boolean {
    return start === undefined || this.#bucket.tryAcquire(this.#pace.clock.nowMs(), cost).kind === 'granted';
  }
}
