import type { ServiceContext } from '@bulkhead/contracts';
import { describe, expect, it } from 'vitest';
import { runOperations } from '../src/operation-loop.ts';

/** A context whose slice is spent after each `operationsPerSlice` questions. */
function context(operationsPerSlice: number): ServiceContext & { readonly turns: number } {
  const controller = new AbortController();
  let asked = 0;
  const state = {
    turns: 0,
    signal: controller.signal,
    slice: {
      isSpent: () => ++asked % operationsPerSlice === 0,
      next: async () => {
        state.turns++;
      },
    },
  };
  return state as unknown as ServiceContext & { readonly turns: number };
}

describe('runOperations', () => {
  it('answers at once when all operations do and the slice lasts', () => {
    expect(runOperations([1, 2, 3], context(1000), (n) => n * 2)).toEqual([2, 4, 6]);
  });

  it('BX-03 lets others in when the slice is spent, and keeps the order of results', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => i);
    // One look at the clock every 16 operations; each 10th finds the slice spent.
    const caller = context(10);
    const results = await runOperations(items, caller, (n) => n);
    expect(results).toEqual(items);
    expect(caller.turns).toBe(6);
  });

  it('runs slow operations side by side', async () => {
    let running = 0;
    let most = 0;
    const slow = async (n: number): Promise<number> => {
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
      return n;
    };
    expect(await runOperations([1, 2, 3], context(1000), slow)).toEqual([1, 2, 3]);
    expect(most).toBe(3);
  });

  it('lets each of many slow operations listen for the end of the request without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const caller = context(1000);
    const listening = async (): Promise<void> => caller.signal.addEventListener('abort', () => undefined);
    await runOperations(Array.from({ length: 20 }), caller, listening);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('fails with the first failure and leaves none unhandled', async () => {
    const failing = (n: number): Promise<number> => Promise.reject(new Error(`operation ${n}`));
    await expect(runOperations([1, 2], context(1000), failing)).rejects.toThrow('operation 1');
  });
});
