import type { SessionContext } from '@bulkhead/contracts';

/** Tells those who keep something for callers without a Session that one is gone. */
export class SessionlessEnds {
  readonly #listeners: ((session: SessionContext) => void)[] = [];

  onEnded(listener: (session: SessionContext) => void): void {
    this.#listeners.push(listener);
  }

  ended(session: SessionContext): void {
    for (const listener of this.#listeners) listener(session);
  }
}
