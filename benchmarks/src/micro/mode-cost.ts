import { median, type RunResult } from '../report.ts';
import type { Scenario } from '../scenarios.ts';

/**
 * What a mode costs beside another: server CPU per request in pairs of runs that followed each other, so that what else the machine
 * did meets both.
 */
export function renderModeCosts(
  scenarios: readonly Scenario[],
  results: readonly RunResult[],
  [base, mode]: readonly [string, string],
): string {
  const rows = scenarios.map(({ name }) => {
    const [before, after] = [base, mode].map((server) => cpuOf(results, name, server)) as [number[], number[]];
    const costs = after.flatMap((cpu, run) => (run < before.length ? [cpu / (before[run] as number) - 1] : []));
    const cells = [median(before).toPrecision(3), median(after).toPrecision(3), percent(median(costs)), String(costs.length)];
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const head = `| scenario | ${base}: server CPU ms per 1,000 | ${mode} | difference, median of pairs | pairs |`;
  return [head, '|---|---:|---:|---:|---:|', ...rows].join('\n');
}

function cpuOf(results: readonly RunResult[], scenario: string, server: string): number[] {
  return results
    .filter((result) => result.scenario === scenario && result.server === server)
    .map(({ measurement }) => measurement?.cpuMsPer1000 ?? Number.NaN);
}

function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`;
}
