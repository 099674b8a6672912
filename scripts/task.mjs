import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './lib/build.mjs';
import { install } from './lib/install.mjs';
import { StepError } from './lib/run.mjs';
import { ROOT } from './lib/workspace.mjs';

const HELP = `node scripts/task.mjs <task> [arguments]
  start    build what the reference server needs and run it; arguments go to the server
  test     build, run all checks and all tests; arguments go to vitest
  check    build and run all checks
  plan     build and print how the limits of a configuration file are divided; without a file, those of the defaults
  interop  build and play one script with the clients of other stacks; arguments name stacks
  bench    build and measure this server beside others; arguments go to the benchmark
  simulate build and run seeds of the simulation: --seeds N, --from S
  build    generate and compile everything
Each task installs the packages first, if they have changed.`;

const tasks = {
  start: async (args) => {
    install();
    build('product');
    // The server runs in this process, so that a signal sent to it arrives.
    await runHere('apps/reference-server/dist/main.js', args);
  },
  plan: async ([file, ...args]) => {
    install();
    build('product');
    // pnpm runs in the root folder, wherever it was called.
    const config = file === undefined ? [] : ['--config', resolve(process.env.INIT_CWD ?? '.', file)];
    await runHere('apps/reference-server/dist/main.js', ['--print-plan', ...config, ...args]);
  },
  build: async () => {
    install();
    build('all');
  },
  check: async () => {
    install();
    build('all');
    const { runChecks } = await import('./checks/index.mjs');
    if ((await runChecks()) > 0) process.exitCode = 1;
  },
  bench: async (args) => {
    install();
    build('benchmarks');
    await runHere('benchmarks/dist/main.js', args);
  },
  interop: async (args) => {
    install();
    build('product');
    await runHere('test/interop/harness/main.mjs', args);
  },
  simulate: async (args) => {
    install();
    build('product');
    const { runSimulation } = await import('./lib/simulate.mjs');
    process.exitCode = await runSimulation(args);
  },
  test: async (args) => {
    const { runTests } = await import('./lib/test.mjs');
    process.exitCode = await runTests(args);
  },
};

async function runHere(path, args) {
  const entry = resolve(ROOT, path);
  process.argv = [process.argv[0], entry, ...args];
  await import(pathToFileURL(entry).href);
}

async function main([name = 'help', ...args]) {
  if (Number.parseInt(process.versions.node, 10) < 20) throw new StepError(`Node.js 20 or later is needed, this is ${process.version}`);
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (task) return task(args);
  console.log(HELP);
  if (name !== 'help') throw new StepError(`no such task: ${name}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(`task: ${error.message}`);
  process.exitCode = 1;
}
