import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StepError } from './run.mjs';
import { VITEST } from './test.mjs';
import { ROOT } from './workspace.mjs';

const FILE = 'test/simulation/simulation.test.ts';
/** Below this many seeds, a second process costs more than it saves. */
const LEAST_SEEDS_PER_PROCESS = 200;

/**
 * Runs seeds of the simulation, divided over the processors.
 * @param args `--seeds N` (default 2,000) and `--from S` (default 1).
 * @returns the exit status; what failed is on the screen, with the command that runs its seed again.
 */
export async function runSimulation(args) {
  const { seeds, from } = optionsOf(args);
  const processes = Math.max(1, Math.min(availableParallelism(), Math.floor(seeds / LEAST_SEEDS_PER_PROCESS)));
  const startedMs = performance.now();
  const runs = Array.from({ length: processes }, (_, at) => {
    const first = from + Math.floor((seeds * at) / processes);
    return runSeeds(first, from + Math.floor((seeds * (at + 1)) / processes) - first);
  });
  const failed = (await Promise.all(runs)).filter((status) => status !== 0).length;
  const seconds = (performance.now() - startedMs) / 1000;
  const verdict = failed > 0 ? 'NOT all passed' : 'all passed';
  console.log(`\n${seeds} seeds from ${from}: ${verdict}, in ${seconds.toFixed(0)} s with ${processes} processes`);
  return failed > 0 ? 1 : 0;
}

function optionsOf(args) {
  const options = { seeds: { type: 'string', default: '2000' }, from: { type: 'string', default: '1' } };
  try {
    const { values } = parseArgs({ args, options });
    return { seeds: positive('--seeds', values.seeds), from: positive('--from', values.from) };
  } catch (error) {
    throw new StepError(error.message);
  }
}

function positive(name, text) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new StepError(`${name}: an integer >= 1 is wanted, not ${text}`);
  return value;
}

function runSeeds(first, count) {
  const env = { ...process.env, TEST_FROM: String(first), TEST_SEEDS: String(count) };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, VITEST), 'run', FILE], { cwd: ROOT, stdio: 'inherit', env });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
