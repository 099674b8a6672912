import type { LatencyHistogram } from '../latency-histogram.ts';

/** Traffic that goes on until it is stopped. */
export interface Load {
  /** What was answered since the last `reset`: requests, connects or notifications. */
  readonly count: number;
  readonly latency: LatencyHistogram;
  /** Rejects when the server answers wrongly or not at all; never resolves. */
  readonly failed: Promise<never>;
  /** Starts counting anew. */
  reset(): void;
  /** Waits for the answers that are due and closes everything. */
  stop(): Promise<void>;
}

/** A promise that only ever rejects. Nobody has to wait for it. */
export function failureSignal(): { readonly failed: Promise<never>; readonly fail: (error: Error) => void } {
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  return { failed, fail };
}
