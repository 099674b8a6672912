import type { Measurement } from './measure.ts';
import type { Scenario } from './scenarios.ts';

/** One run, or why it failed. */
export interface RunResult {
  readonly scenario: string;
  readonly server: string;
  readonly measurement: Measurement | undefined;
  readonly error: string | undefined;
}

/** From here on the generator, not the server, may limit the throughput. */
const BUSY_GENERATOR_CORES = 0.95;

/** From here on other work on the machine made the row unsure. */
const NOISY_CORES = 0.4;

export const LEGEND: string = `\\* the load generator's core was nearly full: the rate is a lower limit, CPU per 1,000 holds. ~ other processes used more than ${NOISY_CORES} cores.`;

const HEAD = `| scenario | server | per second | p50 ms | p99 ms | server CPU ms per 1,000 | server RSS MB | generator cores |
|---|---|---:|---:|---:|---:|---:|---:|`;

/** A markdown table with one row for each scenario and server: the median of every column over the runs. */
export function renderTable(scenarios: readonly Scenario[], servers: readonly string[], results: readonly RunResult[]): string {
  const rows = scenarios.flatMap((scenario) =>
    servers.flatMap((server) => {
      const runs = results.filter((result) => result.scenario === scenario.name && result.server === server);
      return runs.length === 0 ? [] : [renderRow(scenario, server, runs)];
    }),
  );
  return [HEAD, ...rows].join('\n');
}

function renderRow(scenario: Scenario, server: string, runs: readonly RunResult[]): string {
  const good = runs.flatMap(({ measurement }) => (measurement ? [measurement] : []));
  const error = runs.find((run) => run.error !== undefined)?.error;
  if (error !== undefined) return `| ${scenario.name} | ${server} | failed: ${error.replaceAll('|', '/').split('\n')[0]} | | | | | |`;
  const column = (key: keyof Measurement): number => median(good.map((measurement) => measurement[key]));
  const generatorCores = column('generatorCores');
  const cells = [
    formatCount(column('perSecond')),
    formatSignificant(column('p50Ms')),
    formatSignificant(column('p99Ms')),
    formatSignificant(column('cpuMsPer1000')),
    formatCount(column('rssMb')),
    `${generatorCores.toFixed(2)}${generatorCores >= BUSY_GENERATOR_CORES ? ' \\*' : ''}`,
  ];
  const mark = column('otherCores') > NOISY_CORES ? ' ~' : '';
  return `| ${[scenario.name + mark, server, ...cells].join(' | ')} |`;
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

function formatCount(value: number): string {
  return Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en-US');
}

/** Three significant digits. */
function formatSignificant(value: number): string {
  if (Number.isNaN(value)) return '';
  return value >= 100 ? formatCount(value) : String(Number(value.toPrecision(3)));
}
