/** Operations per sample: reading the clock costs about as much as a cheap operation. */
const OPERATIONS_PER_SAMPLE = 16;
const WARM_UP_SAMPLES = 20_000;
const SAMPLES = 40_000;

/** What one kind of operation costs. */
export interface Cost {
  readonly name: string;
  readonly medianNs: number;
  /** Of the means of samples of 16 operations, as is the median. */
  readonly p99Ns: number;
}

/**
 * Times `operation`, warm.
 * @param operation called with 0, 1, 2 …
 */
export function measureCost(name: string, operation: (index: number) => void): Cost {
  const samples = new Float64Array(SAMPLES);
  let index = 0;
  for (let at = -WARM_UP_SAMPLES; at < SAMPLES; at++) {
    const startMs = performance.now();
    for (let left = OPERATIONS_PER_SAMPLE; left > 0; left--) operation(index++);
    const elapsedMs = performance.now() - startMs;
    if (at >= 0) samples[at] = (elapsedMs * 1e6) / OPERATIONS_PER_SAMPLE;
  }
  samples.sort();
  const quantile = (share: number): number => samples[Math.floor(share * (SAMPLES - 1))] as number;
  return { name, medianNs: quantile(0.5), p99Ns: quantile(0.99) };
}

/** A markdown table, one row per cost. */
export function renderCosts(costs: readonly Cost[]): string {
  const rows = costs.map(({ name, medianNs, p99Ns }) => `| ${name} | ${Math.round(medianNs)} | ${Math.round(p99Ns)} |`);
  return ['| operation | median ns | p99 ns |', '|---|---:|---:|', ...rows].join('\n');
}
