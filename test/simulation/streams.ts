import { SeededRandom } from '@bulkhead/testkit';

/** Streams of random numbers that don't disturb each other. */
export const Stream = { schedule: 2, server: 3, network: 4, key: 5, sources: 6, firstClient: 16 } as const;
const STREAMS_PER_SEED = 64;

export function streamOf(seed: number, stream: number): SeededRandom {
  return new SeededRandom(seed * STREAMS_PER_SEED + stream);
}
