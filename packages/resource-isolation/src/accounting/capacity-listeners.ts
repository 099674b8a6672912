/** Wakes whoever waits for a stage, and only after something was refused there. */
export class CapacityListeners {
  readonly #listeners: Set<() => void> = new Set();
  #isAwaited = false;

  /** Each call adds a listener, the same function twice too. */
  add(listener: () => void): Disposable {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(entry);
      },
    };
  }

  /** Something was refused. */
  noteRefused(): void {
    this.#isAwaited = true;
  }

  /** There is more room than before. */
  noteReleased(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    for (const listener of this.#listeners) listener();
  }

  clear(): void {
    this.#listeners.clear();
  }
}
