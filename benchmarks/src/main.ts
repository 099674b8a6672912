import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { loadIdentity } from './client/client-security.ts';
import { runClientStorm } from './client-storm/run-client-storm.ts';
import { runIsolation } from './isolation/run-isolation.ts';
import { runMicro } from './micro/run-micro.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { runRefusals } from './refusals/run-refusals.ts';
import { LEGEND, type RunResult, renderTable } from './report.ts';
import { runAll } from './run.ts';
import { allScenarios, type Scenario } from './scenarios.ts';
import { foreignServer, type ServerKind, standardServers } from './servers/server-kinds.ts';

/** Certificates of the servers, kept from one run to the next. */
const WORK_DIR = resolve(fileURLToPath(import.meta.url), '../../.cache');

const FOREIGN = 'other';

// So that the servers are stopped too, by their exit listeners.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function main(options: Options): Promise<void> {
  if (options.wantsHelp) return console.log(HELP);
  if (options.isolation) return measureIsolation(options);
  const scenarios = chooseScenarios(options);
  if (options.wantsList) return console.log(scenarios.map(({ name }) => name).join('\n'));
  mkdirSync(WORK_DIR, { recursive: true });
  const { seconds, warmupSeconds, runs, together } = options;
  if (options.stormSessions !== undefined) return runClientStorm({ workDir: WORK_DIR, sessions: options.stormSessions });
  if (options.micro) return runMicro({ workDir: WORK_DIR, seconds, warmupSeconds, runs, together });
  if (options.refusals) {
    console.log(`${describeMachine()}; median of ${runs} runs of ${seconds} s\n`);
    return runRefusals({ workDir: WORK_DIR, identity: () => loadIdentity(WORK_DIR), seconds, warmupSeconds, runs });
  }
  const servers = chooseServers(options);
  if (process.platform !== 'linux') console.error('CPU time and RSS can only be measured on Linux; their columns stay empty.');
  const identity = (): Promise<ChannelIdentity> => loadIdentity(WORK_DIR);
  const results = await runAll({ scenarios, servers, identity, seconds, warmupSeconds, runs, together }, printProgress);
  const names = servers.map(({ name }) => name);
  console.log(
    `${describeMachine()}; median of ${runs} runs of ${seconds} s, servers by turns${together ? ', server and generator on one core' : ''}\n`,
  );
  console.log(`${renderTable(scenarios, names, results)}\n\n${LEGEND}`);
  if (options.jsonFile !== undefined) {
    const report = { date: new Date().toISOString(), machine: describeMachine(), seconds, warmupSeconds, runs, together, results };
    writeFileSync(options.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  if (results.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

async function measureIsolation({ seconds, only, servers, foreign }: Options): Promise<void> {
  mkdirSync(WORK_DIR, { recursive: true });
  console.log(`${describeMachine()}; each abuse for ${seconds} s\n`);
  if (!(await runIsolation({ workDir: WORK_DIR, seconds, only, servers, running: foreign }))) process.exitCode = 1;
}

function chooseScenarios({ only }: Options): readonly Scenario[] {
  const chosen = allScenarios().filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  if (chosen.length === 0) throw new Error(`no scenario is called ${only.join(' or ')}; --list names them`);
  return chosen;
}

function chooseServers({ foreign, servers }: Options): readonly ServerKind[] {
  const known = [...standardServers(WORK_DIR)];
  if (foreign) known.unshift(foreignServer(FOREIGN, foreign.url, foreign.pid, foreign.nodePrefix));
  const wanted = servers ?? (foreign ? [FOREIGN] : known.map(({ name }) => name));
  const chosen = wanted.map((name) => {
    const found = known.find((kind) => kind.name === name);
    if (!found) throw new Error(`no server is called ${name}: ${known.map((kind) => kind.name).join(', ')}`);
    return found;
  });
  for (const { name, missing } of chosen) if (missing !== undefined) console.error(`${name} is left out: ${missing}`);
  return chosen.filter(({ missing }) => missing === undefined);
}

function printProgress({ scenario, server, measurement, error }: RunResult): void {
  const outcome = measurement
    ? `${Math.round(measurement.perSecond)}/s, ${measurement.cpuMsPer1000.toPrecision(3)} CPU ms per 1,000`
    : error;
  console.error(`${scenario} | ${server}: ${outcome}`);
}

function describeMachine(): string {
  const [cpu] = cpus();
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString().slice(0, 10)}: ${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}, ${memoryGib} GiB, ${process.platform}, Node.js ${process.version}`;
}
