/** Bounds of a `PasswordLockout`. */
export interface PasswordLockoutOptions {
  /** Failures in a row that lock a user name for the caller. Default 5. */
  readonly maxFailures: number;
  /** How long it stays locked; the next failure after that locks it again. Default 60 s. */
  readonly lockMs: number;
  /** Failures are forgotten after this long without another one. Default 10 min. */
  readonly forgetAfterMs: number;
  /** User names told apart per caller; the others share one count. Default 32. */
  readonly maxUsersPerCaller: number;
  /** Callers remembered; the one that failed longest ago is forgotten first. Default 1,024. */
  readonly maxCallers: number;
}

export const defaultPasswordLockoutOptions: PasswordLockoutOptions = Object.freeze({
  maxFailures: 5,
  lockMs: 60_000,
  forgetAfterMs: 600_000,
  maxUsersPerCaller: 32,
  maxCallers: 1_024,
});

interface FailureCount {
  failures: number;
  lastFailureMs: number;
  lockedUntilMs: number;
}

/** Names beyond `maxUsersPerCaller`; no user name can be it, because those aren't empty. */
const OTHER_USERS = '';

/**
 * Slows guessing down. Counts per caller and user name, so that nobody can lock a user out for other callers. A caller that
 * tries more names than are told apart gets one count for the rest, so changing names doesn't help.
 */
export class PasswordLockout {
  readonly #options: PasswordLockoutOptions;
  /** In the order of their last failure. */
  readonly #callers: Map<string, Map<string, FailureCount>> = new Map();

  constructor(options: PasswordLockoutOptions) {
    this.#options = options;
  }

  /** Callers remembered now. */
  get callerCount(): number {
    return this.#callers.size;
  }

  /** True while attempts should be refused without looking at the password. */
  isLocked(caller: string, userName: string, nowMs: number): boolean {
    const users = this.#callers.get(caller);
    if (users === undefined) return false;
    const count = users.get(userName) ?? (users.size < this.#options.maxUsersPerCaller ? undefined : users.get(OTHER_USERS));
    return count !== undefined && nowMs < count.lockedUntilMs;
  }

  /** Notes a wrong password. */
  failed(caller: string, userName: string, nowMs: number): void {
    const users = this.#usersOf(caller, nowMs);
    const count = this.#countOf(users, userName);
    if (nowMs - count.lastFailureMs > this.#options.forgetAfterMs) count.failures = 0;
    count.failures++;
    count.lastFailureMs = nowMs;
    if (count.failures >= this.#options.maxFailures) count.lockedUntilMs = nowMs + this.#options.lockMs;
  }

  /** Notes a right password: the count of this name is forgotten. */
  succeeded(caller: string, userName: string): void {
    const users = this.#callers.get(caller);
    if (users?.delete(userName) && users.size === 0) this.#callers.delete(caller);
  }

  #usersOf(caller: string, nowMs: number): Map<string, FailureCount> {
    const users: Map<string, FailureCount> = this.#callers.get(caller) ?? new Map();
    this.#callers.delete(caller);
    this.#callers.set(caller, users);
    if (this.#callers.size > this.#options.maxCallers) {
      for (const oldest of this.#callers.keys()) {
        this.#callers.delete(oldest);
        break;
      }
    }
    for (const [name, count] of users) if (nowMs - count.lastFailureMs > this.#options.forgetAfterMs) users.delete(name);
    return users;
  }

  #countOf(users: Map<string, FailureCount>, userName: string): FailureCount {
    const known = users.get(userName);
    if (known !== undefined) return known;
    const key = users.size < this.#options.maxUsersPerCaller ? userName : OTHER_USERS;
    const count = users.get(key) ?? { failures: 0, lastFailureMs: Number.NEGATIVE_INFINITY, lockedUntilMs: Number.NEGATIVE_INFINITY };
    users.set(key, count);
    return count;
  }
}
