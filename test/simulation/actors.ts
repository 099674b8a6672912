import type { SeededRandom } from '@bulkhead/testkit';

/** Clients that wait until the schedule lets them act. */
export class Actors {
  #waiting: ((goOn: boolean) => void)[] = [];
  #areLeaving = false;
  #running = 0;

  /** Clients that have not left. */
  get running(): number {
    return this.#running;
  }

  get areLeaving(): boolean {
    return this.#areLeaving;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** @param script what a client does from beginning to end; its errors are reported. */
  start(script: () => Promise<void>, onError: (error: unknown) => void): void {
    this.#running++;
    void script()
      .catch(onError)
      .finally(() => this.#running--);
  }

  turn(): Promise<boolean> {
    if (this.#areLeaving) return Promise.resolve(false);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  letOneAct(random: SeededRandom): void {
    const at = random.nextInt(this.#waiting.length);
    const [resolve] = this.#waiting.splice(at, 1);
    resolve?.(true);
  }

  /** From now on every turn says that it is time to leave. */
  letAllLeave(): void {
    this.#areLeaving = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
