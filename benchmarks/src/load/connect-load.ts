import { LatencyHistogram } from '../latency-histogram.ts';
import { failureSignal, type Load } from './load.ts';

/** One whole round: connection, channel, session, activation, and the way back. */
export type ConnectRound = () => Promise<void>;

/** Repeats connect rounds, some at a time. */
export class ConnectLoad implements Load {
  readonly latency: LatencyHistogram = new LatencyHistogram();
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #round: ConnectRound;
  readonly #workers: readonly Promise<void>[];
  #count = 0;
  #isStopped = false;

  constructor(round: ConnectRound, concurrency: number) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#round = round;
    this.#workers = Array.from({ length: concurrency }, () => this.#work());
  }

  get count(): number {
    return this.#count;
  }

  reset(): void {
    this.#count = 0;
    this.latency.clear();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.race([Promise.all(this.#workers), this.failed]);
  }

  async #work(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const startMs = performance.now();
        await this.#round();
        this.latency.record(performance.now() - startMs);
        this.#count++;
      }
    } catch (error) {
      this.#isStopped = true;
      this.#fail(error as Error);
    }
  }
}
