import type { Runtime, Timer } from '@bulkhead/contracts';

/** Sessions may end this much after their deadline; so many of them can share one look. */
const RESOLUTION_MS = 250;

/** Calls back when a deadline may have passed: one timer for all Sessions. */
export class SessionExpiry {
  readonly #runtime: Runtime;
  /** Ends what is due; returns the next deadline, or undefined when there is none. */
  readonly #closeDue: (nowMs: number) => number | undefined;
  #timer: Timer | undefined = undefined;
  #dueMs: number = Number.POSITIVE_INFINITY;

  constructor(runtime: Runtime, closeDue: (nowMs: number) => number | undefined) {
    this.#runtime = runtime;
    this.#closeDue = closeDue;
  }

  /** There is a deadline that may be earlier than those known. */
  watch(deadlineMs: number): void {
    if (deadlineMs >= this.#dueMs) return;
    this.#timer?.cancel();
    const nowMs = this.#runtime.clock.nowMs();
    this.#dueMs = Math.max(deadlineMs, nowMs + RESOLUTION_MS);
    this.#timer = this.#runtime.timers.after(this.#dueMs - nowMs, () => this.#look());
  }

  /** Idempotent. */
  dispose(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Number.NEGATIVE_INFINITY;
  }

  #look(): void {
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#runtime.clock.nowMs();
    const nextMs = this.#closeDue(nowMs);
    if (nextMs !== undefined) this.watch(nextMs);
  }
}
