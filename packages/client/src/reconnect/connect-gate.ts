import { abortError } from '../deadline.ts';

/** Lets connections be established a few at a time. One gate can serve any number of sessions. */
export interface ConnectGate {
  /**
   * Waits for a turn, for as long as it takes; nobody is turned away.
   * @returns what to dispose when the connection is established, or isn't.
   * @throws UaStatusError (as a rejection) when `signal` is aborted first.
   */
  enter(signal: AbortSignal): Promise<Disposable>;
}

/** A gate for at most `maxConcurrency` at a time, in the order they come. */
export class ConcurrencyConnectGate implements ConnectGate {
  readonly #maxConcurrency: number;
  /** In the order they came. */
  readonly #waiters = new Set<() => void>();
  #active = 0;

  /** @throws RangeError unless `maxConcurrency` is an integer >= 1. */
  constructor(maxConcurrency: number) {
    if (!Number.isSafeInteger(maxConcurrency) || maxConcurrency < 1) {
      throw new RangeError(`maxConcurrency: an integer >= 1 is wanted, not ${maxConcurrency}`);
    }
    this.#maxConcurrency = maxConcurrency;
  }

  /** Establishments that run now. */
  get active(): number {
    return this.#active;
  }

  /** Establishments that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  enter(signal: AbortSignal): Promise<Disposable> {
    if (signal.aborted) return Promise.reject(abortError(signal));
    if (this.#active < this.#maxConcurrency) return Promise.resolve(this.#pass());
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(this.#pass());
      };
      const onAbort = (): void => {
        this.#waiters.delete(enter);
        reject(abortError(signal));
      };
      this.#waiters.add(enter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #pass(): Disposable {
    this.#active++;
    let isInside = true;
    return {
      [Symbol.dispose]: () => {
        if (!isInside) return;
        isInside = false;
        this.#active--;
        this.#admitNext();
      },
    };
  }

  #admitNext(): void {
    for (const enter of this.#waiters) {
      this.#waiters.delete(enter);
      return enter();
    }
  }
}
