import type { Timers } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { abortError } from '../deadline.ts';

interface Waiter {
  resolve(): void;
  reject(error: UaStatusError): void;
}

/** Requests that wait for a connection, at most `maxWaiting`. */
export class ConnectionWaiters {
  readonly #timers: Timers;
  readonly #maxWaiting: number;
  readonly #waiters = new Set<Waiter>();

  constructor(timers: Timers, maxWaiting: number) {
    this.#timers = timers;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** @throws UaStatusError (as a rejection) BadNotConnected after `timeoutMs`, BadResourceUnavailable when too many wait. */
  wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      if (this.#waiters.size >= this.#maxWaiting) {
        return reject(new UaStatusError(StatusCodes.BadResourceUnavailable, `${this.#maxWaiting} requests wait for a connection already`));
      }
      const onAbort = (): void => end(() => reject(abortError(signal as AbortSignal)));
      const timer = this.#timers.after(timeoutMs, () => {
        end(() => reject(new UaStatusError(StatusCodes.BadNotConnected, `no connection within ${timeoutMs} ms`)));
      });
      const end = (settle: () => void): void => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
        this.#waiters.delete(waiter);
        settle();
      };
      const waiter: Waiter = { resolve: () => end(resolve), reject: (error) => end(() => reject(error)) };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  resolveAll(): void {
    for (const waiter of [...this.#waiters]) waiter.resolve();
  }

  rejectAll(error: UaStatusError): void {
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }
}
