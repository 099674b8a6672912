import { ServerTooBusyError } from '@bulkhead/types';

/** How many session-less requests may be on their way. */
export interface SessionlessLimits {
  /** Of all callers together; default 100. */
  readonly maxRequests: number;
  /** On one connection; default 8. */
  readonly maxRequestsPerConnection: number;
}

/**
 * Fills in the defaults.
 * @throws RangeError that names the limit which is wrong.
 */
export function planSessionlessLimits({ maxRequests = 100, maxRequestsPerConnection = 8 }: Partial<SessionlessLimits>): SessionlessLimits {
  for (const [name, value] of Object.entries({ maxRequests, maxRequestsPerConnection })) {
    if (!(Number.isSafeInteger(value) && value >= 1 && value <= MAX_REQUESTS)) {
      throw new RangeError(`${name}: an integer from 1 to ${MAX_REQUESTS} is needed, not ${value}`);
    }
  }
  return { maxRequests, maxRequestsPerConnection };
}

const MAX_REQUESTS = 1_000_000;

/** Counts the session-less requests of one connection. */
export interface SessionlessCount {
  sessionlessRequests: number;
}

/** The budget of session-less requests, apart from that of Sessions: who has none can't take what Sessions need. */
export class SessionlessBudget {
  readonly #limits: SessionlessLimits;
  readonly #retryAfterMs: number;
  #used = 0;
  #refusals = 0;

  constructor(limits: SessionlessLimits, retryAfterMs: number) {
    this.#limits = limits;
    this.#retryAfterMs = retryAfterMs;
  }

  /** Requests that hold a place. */
  get used(): number {
    return this.#used;
  }

  /** @returns the place, to be disposed once the request is done, or why there is none. */
  enter(connection: SessionlessCount): Disposable | ServerTooBusyError {
    const { maxRequests, maxRequestsPerConnection } = this.#limits;
    if (connection.sessionlessRequests >= maxRequestsPerConnection) {
      return this.#refuse('OwnerLimit', connection.sessionlessRequests, maxRequestsPerConnection);
    }
    if (this.#used >= maxRequests) return this.#refuse('Capacity', this.#used, maxRequests);
    this.#used++;
    connection.sessionlessRequests++;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#used--;
        connection.sessionlessRequests--;
      },
    };
  }

  #refuse(reason: string, usage: number, limit: number): ServerTooBusyError {
    return new ServerTooBusyError({ id: ++this.#refusals, stage: 'SessionlessInvoke', reason, usage, limit }, this.#retryAfterMs);
  }
}
