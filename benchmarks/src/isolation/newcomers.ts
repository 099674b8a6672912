import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeId } from '@bulkhead/types';
import { LatencyHistogram } from '../latency-histogram.ts';
import { PoliteClient } from './polite-client.ts';

const PAUSE_MS = 200;

/** Connects, opens a Session, reads a value and leaves, again and again. */
export class Newcomers {
  readonly latency: LatencyHistogram = new LatencyHistogram();
  readonly errors: string[] = [];
  readonly #come: Promise<void>;
  #isStopped = false;

  constructor(url: string, localAddress: string, nodes: readonly NodeId[]) {
    this.#come = this.#comeOn(url, localAddress, nodes);
  }

  /** Waits until the last one has left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#come;
  }

  async #comeOn(url: string, localAddress: string, nodes: readonly NodeId[]): Promise<void> {
    while (!this.#isStopped) {
      const startMs = performance.now();
      try {
        const client = await PoliteClient.connect(url, localAddress, nodes);
        await client.read(0);
        this.latency.record(performance.now() - startMs);
        await client.stop();
        this.errors.push(...client.errors);
      } catch (error) {
        this.errors.push((error as Error).message);
      }
      await sleep(PAUSE_MS);
    }
  }
}
