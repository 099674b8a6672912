import type { Clock, Timer, Timers } from '@bulkhead/contracts';
import type { ConnectionThrottle, Pacer } from '@bulkhead/limits';

/** What a `MessagePace` works by. */
export interface PaceRuntime {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Keeps the messages of one connection to its rates, a whole message at a time: heads of HTTP and TLS don't count. */
export class MessagePace implements Disposable {
  readonly #runtime: PaceRuntime;
  readonly #throttle: (ConnectionThrottle & Partial<Disposable>) | undefined;
  readonly #timers: Set<Timer> = new Set();
  #isClosed = false;

  /** @param throttle disposed, if it can be, with this. Undefined: any rate is fine. */
  constructor(runtime: PaceRuntime, throttle: (ConnectionThrottle & Partial<Disposable>) | undefined) {
    this.#runtime = runtime;
    this.#throttle = throttle;
  }

  get limitsReading(): boolean {
    return this.#throttle?.read !== undefined;
  }

  /** Runs `then` once so many bytes may be read, or are paid for if they were: at once where no rate is set. It never runs after the end. */
  beforeReading(byteCount: number, then: () => void): void {
    this.#pay(this.#throttle?.read, byteCount, then);
  }

  /** Runs `then` once so many bytes may be written; what is written later goes out later. */
  beforeWriting(byteCount: number, then: () => void): void {
    this.#pay(this.#throttle?.write, byteCount, then);
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#throttle?.[Symbol.dispose]?.();
  }

  #pay(pacer: Pacer | undefined, byteCount: number, then: () => void): void {
    if (this.#isClosed) return;
    const nowMs = this.#runtime.clock.nowMs();
    const paidAtMs = pacer?.charge(nowMs, byteCount) ?? nowMs;
    if (paidAtMs <= nowMs) return then();
    const timer = this.#runtime.timers.after(paidAtMs - nowMs, () => {
      this.#timers.delete(timer);
      then();
    });
    this.#timers.add(timer);
  }
}
