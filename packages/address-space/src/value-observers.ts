import type { DataValue } from '@bulkhead/types';

/** Gets each new value of a variable, with both timestamps. Must not throw. */
export type ValueObserver = (value: DataValue) => void;

/** Those who watch one variable: perhaps 100,000, who come and go one by one. */
export class ValueObservers {
  readonly #observers: Set<ValueObserver> = new Set();
  /** What is walked while they are told, so that observers may come and go meanwhile; made anew after a change. */
  #told: readonly ValueObserver[] | undefined = undefined;

  get count(): number {
    return this.#observers.size;
  }

  add(observer: ValueObserver): void {
    this.#observers.add(observer);
    this.#told = undefined;
  }

  delete(observer: ValueObserver): void {
    this.#observers.delete(observer);
    this.#told = undefined;
  }

  tell(value: DataValue): void {
    this.#told ??= [...this.#observers];
    for (const observer of this.#told) observer(value);
  }
}
