import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantedFaults } from './planted-faults.ts';
import { simulate } from './simulation.ts';
import { SimulationStore } from './simulation-store.ts';

/** As many as `npm test` runs without a fault. */
const MOST_SEEDS = 2000;

describe('a fault planted in the simulated server', () => {
  let opened: SimulationStore;

  beforeAll(async () => {
    opened = await SimulationStore.open();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  /** The first seed whose run fails, and why. */
  async function find(fault: (typeof plantedFaults)[number]): Promise<{ seed: number; text: string } | undefined> {
    for (let seed = 1; seed <= MOST_SEEDS; seed++) {
      try {
        await simulate(seed, opened.store, fault);
      } catch (error) {
        return { seed, text: String(error) };
      }
    }
    return undefined;
  }

  it.each(plantedFaults)('is found: %s', { timeout: 120_000 }, async (fault) => {
    const found = await find(fault);
    expect(found?.text).toContain(`again: node scripts/task.mjs simulate --seeds 1 --from ${found?.seed}`);
  });
});
