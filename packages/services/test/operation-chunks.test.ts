import type { ServiceContext } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { runInChunks } from '../src/operation-chunks.ts';

/** A context whose slice is always spent. */
function spentContext(): { context: ServiceContext; turns: () => number; controller: AbortController } {
  const controller = new AbortController();
  let turns = 0;
  const next = async (): Promise<void> => void turns++;
  const context = { signal: controller.signal, slice: { isSpent: () => true, next } } as unknown as ServiceContext;
  return { context, turns: () => turns, controller };
}

describe('runInChunks', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => i);
  const double = (chunk: readonly number[] | null): number[] => (chunk ?? []).map((n) => n * 2);

  it('answers few operations at once', () => {
    expect(runInChunks([1, 2], 100, spentContext().context, double)).toEqual({ results: [2, 4], diagnosticInfos: [] });
  });

  it('lets others in between parts of many, and keeps the order of results', async () => {
    const { context, turns } = spentContext();
    const { results } = await runInChunks(items, 1_000, context, double);
    expect(results).toEqual(double(items));
    expect(turns()).toBe(15);
  });

  it.each([null, [], items])('leaves what is none or too much to the service (%#)', (operations) => {
    const seen: unknown[] = [];
    void runInChunks<number, number>(operations, 999, spentContext().context, (chunk) => {
      seen.push(chunk);
      return null;
    });
    expect(seen).toEqual([operations]);
  });

  it('stops when the request ends, or when the service refuses to go on', async () => {
    const aborted = spentContext();
    const answer = runInChunks(items, 1_000, aborted.context, double);
    aborted.controller.abort(new UaStatusError(StatusCodes.BadSessionClosed, 'closed'));
    await expect(answer).rejects.toMatchObject({ statusCode: StatusCodes.BadSessionClosed });
    let calls = 0;
    const refused = runInChunks<number, number>(items, 1_000, spentContext().context, (chunk) => {
      if (++calls === 3) throw new UaStatusError(StatusCodes.BadSubscriptionIdInvalid, 'deleted');
      return double(chunk);
    });
    await expect(refused).rejects.toMatchObject({ statusCode: StatusCodes.BadSubscriptionIdInvalid });
    expect(calls).toBe(3);
  });
});
