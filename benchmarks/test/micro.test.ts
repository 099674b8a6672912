import { describe, expect, it } from 'vitest';
import { admissionCosts } from '../src/micro/admission-cost.ts';
import { renderCosts } from '../src/micro/cost.ts';
import { limiterCosts } from '../src/micro/limiter-cost.ts';
import { renderModeCosts } from '../src/micro/mode-cost.ts';
import type { RunResult } from '../src/report.ts';
import { allScenarios, type Scenario } from '../src/scenarios.ts';

describe('the costs of single operations', () => {
  it('are measured for both providers, each number of owners, buckets and queues', () => {
    const costs = [...admissionCosts([1, 10]), ...limiterCosts([1])];
    expect(costs).toHaveLength(6);
    for (const { medianNs, p99Ns } of costs) expect(p99Ns).toBeGreaterThanOrEqual(medianNs);
    expect(renderCosts(costs).split('\n')).toHaveLength(8);
  });
});

describe('the cost of a mode', () => {
  it('is the median of pairs of runs, not affected by one that was disturbed', () => {
    const [scenario] = allScenarios() as [Scenario, ...Scenario[]];
    const results = [
      [10, 11],
      [20, 21],
      [10, 30],
    ].flatMap(([a, b]) => [run(scenario, 'A', a as number), run(scenario, 'B', b as number)]);
    expect(renderModeCosts([scenario], results, ['A', 'B'])).toContain(`| ${scenario.name} | 10.0 | 21.0 | +10.0 % | 3 |`);
  });
});

function run({ name }: Scenario, server: string, cpuMsPer1000: number): RunResult {
  const measurement = { perSecond: 1, p50Ms: 1, p99Ms: 1, cpuMsPer1000, rssMb: 1, generatorCores: 0.1, otherCores: 0 };
  return { scenario: name, server, measurement, error: undefined };
}
