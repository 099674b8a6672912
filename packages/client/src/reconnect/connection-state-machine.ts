import type { AttemptFailure, ReconnectDelays } from './reconnect-policy.ts';

/**
 * `connecting`: no attempt has succeeded yet; `connected`; `reconnecting`: the connection was lost; `closed`: for good, by the user
 * or because the policy gave up.
 */
export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** What has to be done next. */
export type ConnectionStep =
  | { readonly kind: 'attempt' }
  /** Then call `waited`. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'none' };

const ATTEMPT: ConnectionStep = { kind: 'attempt' };
const NONE: ConnectionStep = { kind: 'none' };

/**
 * Decides when a lost connection is tried again. No I/O, no timers: events and time come in, steps go out. A failed first connect
 * and a lost connection go through the same waits.
 */
export class ConnectionStateMachine {
  readonly #delays: ReconnectDelays;
  #state: ConnectionState = 'connecting';
  /** Failures in a row. */
  #failures = 0;
  #firstFailureMs = 0;

  constructor(delays: ReconnectDelays) {
    this.#delays = delays;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Attempts that failed since the last success. */
  get failures(): number {
    return this.#failures;
  }

  start(): ConnectionStep {
    return this.#state === 'closed' ? NONE : ATTEMPT;
  }

  succeeded(): ConnectionStep {
    if (this.#state === 'closed') return NONE;
    this.#state = 'connected';
    this.#failures = 0;
    return NONE;
  }

  /** An attempt failed. The state is `closed` afterwards if the policy gives up, or `isPermanent` says that no retry can help. */
  failed(failure: AttemptFailure, nowMs: number, isPermanent = false): ConnectionStep {
    if (this.#state === 'closed') return NONE;
    if (isPermanent) return this.close();
    return this.#next(failure, nowMs);
  }

  /** The connection was lost: the first attempt comes at once, unless the server said that it is busy. */
  lost(failure: AttemptFailure, nowMs: number, isBusy: boolean): ConnectionStep {
    if (this.#state !== 'connected') return NONE;
    this.#state = 'reconnecting';
    return isBusy ? this.#next(failure, nowMs) : ATTEMPT;
  }

  waited(): ConnectionStep {
    return this.#state === 'closed' ? NONE : ATTEMPT;
  }

  close(): ConnectionStep {
    this.#state = 'closed';
    return NONE;
  }

  #next(failure: AttemptFailure, nowMs: number): ConnectionStep {
    if (this.#failures === 0) this.#firstFailureMs = nowMs;
    const attempt = this.#failures++;
    const delayMs = this.#delays.tryGetNextDelay?.(attempt, failure) ?? this.#delays.getNextDelay(attempt);
    const budgetMs = this.#delays.totalBudgetMs ?? Number.POSITIVE_INFINITY;
    if (delayMs === undefined || nowMs + delayMs - this.#firstFailureMs > budgetMs) return this.close();
    return { kind: 'wait', delayMs: Math.max(0, delayMs) };
  }
}
