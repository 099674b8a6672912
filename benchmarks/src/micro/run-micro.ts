import type { ChannelIdentity } from '@bulkhead/secure-channel';
import type { RunResult } from '../report.ts';
import { runAll } from '../run.ts';
import { allScenarios } from '../scenarios.ts';
import { modeServers } from '../servers/server-kinds.ts';
import { admissionCosts } from './admission-cost.ts';
import { renderCosts } from './cost.ts';
import { limiterCosts } from './limiter-cost.ts';
import { renderModeCosts } from './mode-cost.ts';

const OWNER_COUNTS = [1, 100, 4_000] as const;
const MODES = ['SharedOnly', 'Balanced'] as const;
const SCENARIOS: ReadonlySet<string> = new Set(['read 1 depth 1 None', 'read 1 depth 50 None']);

/** How the modes are measured against each other. */
export interface MicroOptions {
  /** Holds certificates and configurations. */
  readonly workDir: string;
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Pairs of runs. */
  readonly runs: number;
  /** Server and generator share one core. */
  readonly together: boolean;
}

/** Measures what admission costs by itself, and what it costs a server; prints markdown tables. */
export async function runMicro({ workDir, runs, ...window }: MicroOptions): Promise<void> {
  console.log(`${renderCosts([...admissionCosts(OWNER_COUNTS), ...limiterCosts(OWNER_COUNTS)])}\n`);
  const scenarios = allScenarios().filter(({ name }) => SCENARIOS.has(name));
  const servers = modeServers(workDir, MODES);
  const results: RunResult[] = [];
  // New processes for each pair: how one was compiled as it ran stays with it.
  for (let run = 0; run < runs; run++) {
    const plan = { scenarios, servers: run % 2 === 0 ? servers : servers.toReversed(), runs: 1, identity: noIdentity, ...window };
    results.push(...(await runAll(plan, printProgress)));
  }
  console.log(renderModeCosts(scenarios, results, MODES));
  const failed = results.find(({ error }) => error !== undefined);
  if (failed) throw new Error(`${failed.scenario} | ${failed.server}: ${failed.error}`);
}

function printProgress({ scenario, server, measurement, error }: RunResult): void {
  console.error(`${scenario} | ${server}: ${measurement ? `${measurement.cpuMsPer1000.toPrecision(3)} CPU ms per 1,000` : error}`);
}

function noIdentity(): Promise<ChannelIdentity> {
  return Promise.reject(new Error('these scenarios are not secured'));
}
