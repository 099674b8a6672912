import type { Backoff } from './backoff.ts';
import { ConcurrencyReached } from './limit-errors.ts';
import { requireInteger } from './options.ts';
import type { Abort, Decision, Guard, Policy, Retry } from './policy.ts';

export interface ConcurrentPolicyOptions {
  /** Inputs in flight, >= 1. */
  readonly max: number;
  /** Without it, an input that finds no room is refused at once. */
  readonly backoff?: Backoff;
}

/** At most `max` inputs in flight. A guard holds a slot until it is disposed. */
export class ConcurrentPolicy implements Policy {
  readonly max: number;
  readonly #backoff: Backoff | undefined;
  #inFlight = 0;

  /** @throws RangeError if `max` is no integer >= 1. */
  constructor(options: ConcurrentPolicyOptions) {
    this.max = requireInteger('max', options.max, 1);
    this.#backoff = options.backoff;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  check(_input: unknown, nowMs: number): Decision {
    return this.#attempt(nowMs, 0);
  }

  #attempt(nowMs: number, attempt: number): Decision {
    if (this.#inFlight < this.max) {
      this.#inFlight++;
      return { kind: 'ready', guard: new Slot(this.#release) };
    }
    const delayMs = this.#backoff?.delayMs(attempt);
    if (delayMs === undefined) return new ConcurrencyRefusal(this.max);
    return new LaterAttempt(nowMs + delayMs, (laterMs) => this.#attempt(laterMs, attempt + 1));
  }

  readonly #release = (): void => {
    this.#inFlight--;
  };
}

class ConcurrencyRefusal implements Abort {
  readonly kind = 'abort';
  readonly retryAfterMs = undefined;
  readonly #max: number;
  #error: ConcurrencyReached | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get error(): ConcurrencyReached {
    this.#error ??= new ConcurrencyReached(this.#max);
    return this.#error;
  }
}

class Slot implements Guard {
  #release: (() => void) | undefined;

  constructor(release: () => void) {
    this.#release = release;
  }

  [Symbol.dispose](): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/** Holds nothing, so there is nothing to give up. */
class LaterAttempt implements Retry {
  readonly kind = 'retry';
  readonly atMs: number;
  readonly #attempt: (nowMs: number) => Decision;

  constructor(atMs: number, attempt: (nowMs: number) => Decision) {
    this.atMs = atMs;
    this.#attempt = attempt;
  }

  check(nowMs: number): Decision {
    return nowMs < this.atMs ? this : this.#attempt(nowMs);
  }

  [Symbol.dispose](): void {}
}
