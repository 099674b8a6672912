import type { ServiceContext } from '@bulkhead/contracts';

/** Operations between two looks at the clock. */
const CHUNK_LENGTH = 64;

/**
 * Runs a service that takes all its operations at once on a few of them at a time, so that a spent slice lets others in.
 * @param run throws what is wrong with the request as a whole; with the first operations already.
 * @param limit more operations than this go to `run` in one piece, which refuses them.
 */
export function runInChunks<Item, Result>(
  items: readonly Item[] | null,
  limit: number,
  context: ServiceContext,
  run: (chunk: readonly Item[] | null) => readonly Result[] | null,
): ChunkResults<Result> | Promise<ChunkResults<Result>> {
  if (items === null || items.length <= CHUNK_LENGTH || items.length > limit) return { results: run(items), diagnosticInfos: [] };
  const results: Result[] = [];
  const proceed = (): ChunkResults<Result> | Promise<ChunkResults<Result>> => {
    do {
      for (const result of run(items.slice(results.length, results.length + CHUNK_LENGTH)) ?? []) results.push(result);
      if (results.length === items.length) return { results, diagnosticInfos: [] };
    } while (!context.slice.isSpent());
    return context.slice.next().then(() => {
      context.signal.throwIfAborted();
      return proceed();
    });
  };
  return proceed();
}

/** A response with one result per operation. */
export interface ChunkResults<Result> {
  readonly results: readonly Result[] | null;
  readonly diagnosticInfos: readonly never[];
}
