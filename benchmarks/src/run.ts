import { NodeId } from '@bulkhead/types';
import { type Measurement, measure, type Window } from './measure.ts';
import type { RunResult } from './report.ts';
import { DOUBLES, type Scenario, type Target } from './scenarios.ts';
import { pinTogether } from './servers/pinning.ts';
import type { ServerKind } from './servers/server-kinds.ts';
import type { RunningServer } from './servers/server-process.ts';

export interface RunPlan extends Window {
  readonly scenarios: readonly Scenario[];
  readonly servers: readonly ServerKind[];
  readonly runs: number;
  readonly identity: Target['identity'];
  /** Server and generator share one core. */
  readonly together: boolean;
}

/**
 * Runs every scenario against every server, by turns: A B, B A, A B. Servers stay up over all runs of scenarios that want the same
 * tick, so they are measured warm.
 * @param onResult called after each run.
 */
export async function runAll(plan: RunPlan, onResult: (result: RunResult) => void): Promise<readonly RunResult[]> {
  const results: RunResult[] = [];
  for (const tickMs of new Set(plan.scenarios.map((scenario) => scenario.tickMs))) {
    const scenarios = plan.scenarios.filter((scenario) => scenario.tickMs === tickMs);
    const needed = plan.servers.filter((kind) => scenarios.some((scenario) => isFit(kind, scenario)));
    const running = new Map<ServerKind, RunningServer>();
    try {
      for (const kind of needed) running.set(kind, await kind.start(tickMs));
      for (const [scenario, kind] of turns(scenarios, needed, plan.runs)) {
        const result = await runOnce(scenario, kind, running.get(kind) as RunningServer, plan);
        results.push(result);
        onResult(result);
      }
    } finally {
      for (const server of running.values()) await server.stop();
    }
  }
  return results;
}

/** The order of the runs: for each scenario all servers forth, back, forth … */
export function turns(scenarios: readonly Scenario[], servers: readonly ServerKind[], runs: number): [Scenario, ServerKind][] {
  return scenarios.flatMap((scenario) => {
    const fit = servers.filter((kind) => isFit(kind, scenario));
    return Array.from({ length: runs }, (_, run) => (run % 2 === 0 ? fit : fit.toReversed())).flatMap((order) =>
      order.map((kind): [Scenario, ServerKind] => [scenario, kind]),
    );
  });
}

function isFit(kind: ServerKind, scenario: Scenario): boolean {
  return kind.transports.includes(scenario.transport) && (kind.isOpcUaServer || scenario.hasFloor);
}

function urlFor({ transport }: Scenario, { url, urls }: RunningServer): string {
  return urls.find((each) => each.startsWith(transport)) ?? url;
}

async function runOnce(scenario: Scenario, kind: ServerKind, server: RunningServer, plan: RunPlan): Promise<RunResult> {
  const nodes = Array.from({ length: DOUBLES }, (_, index) => NodeId.parse(`${kind.nodePrefix}${index}`));
  let measurement: Measurement | undefined;
  let error: string | undefined;
  const unpin = plan.together && server.pid !== undefined ? pinTogether([server.pid, process.pid]) : undefined;
  try {
    measurement = await measure(await scenario.start({ url: urlFor(scenario, server), nodes, identity: plan.identity }), server.pid, plan);
  } catch (cause) {
    error = (cause as Error).message;
  } finally {
    unpin?.();
  }
  return { scenario: scenario.name, server: kind.name, measurement, error };
}
