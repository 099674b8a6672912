import type { DataValue } from '@bulkhead/types';

/** A read of a source that is under way. Everybody who asks meanwhile gets its result. */
export class PendingRead {
  readonly controller: AbortController = new AbortController();
  readonly result: Promise<DataValue>;
  #settle: ((value: DataValue) => void) | undefined;
  /** Readers that still wait. */
  #waiting = 0;
  #leave: (() => void)[] = [];

  constructor() {
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** The first result counts. */
  settle(value: DataValue): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    for (const leave of this.#leave) leave();
    this.#leave = [];
    settle(value);
  }

  /** Another reader waits. When all of them have gone, the source is told to stop. */
  join(signal: AbortSignal | undefined): void {
    this.#waiting++;
    if (signal === undefined) return;
    const onAbort = (): void => {
      if (--this.#waiting === 0 && !this.isSettled) this.controller.abort(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    this.#leave.push(() => signal.removeEventListener('abort', onAbort));
  }
}
