import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playOwnClientAtServers } from '../own-client/main.mjs';
import { OWN_STEPS } from '../own-client/play.mjs';
import { dissect } from './dissection.mjs';
import { openLab } from './lab.mjs';
import { interopPage, matrixText } from './page.mjs';
import { readStored, regressions, summarize, writeStored } from './results.mjs';
import { missingTools, prepareStack, readStack, runClient, STACKS } from './stack.mjs';
import { surveyNodes } from './survey.mjs';
import { hasTool } from './tools.mjs';

const INTEROP = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOT = dirname(dirname(INTEROP));
const STORE = join(INTEROP, 'results.json');
const PAGE = join(ROOT, 'docs', 'interop.md');
/** Its results are kept under this name, beside those of the stacks. */
const OWN_CLIENT = 'own-client';
const HELP = `node test/interop/harness/main.mjs [option…] [stack…]
  --check    compare with test/interop/results.json and write nothing
  --accept   take what fails now as it is
  --dissect  only record a session without security and let tshark read it
  --keep     keep the folder with the logs of server and clients
  --serve    start a server, print where config.json is, and wait
Stacks: ${STACKS.join(', ')}. Everything has to be built.`;

async function main() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(
      ['check', 'accept', 'dissect', 'keep', 'serve', 'help'].map((name) => [name, { type: 'boolean', default: false }]),
    ),
  });
  const unknown = positionals.filter((name) => !STACKS.includes(name));
  if (options.help || (unknown.length > 0 && !options.serve)) {
    console.log(unknown.length > 0 ? `no such stack: ${unknown.join(', ')}\n${HELP}` : HELP);
    process.exitCode = unknown.length > 0 ? 2 : 0;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'bulkhead-interop-'));
  try {
    const survey = await surveyNodes();
    if (options.serve) await serve(folder, survey, positionals[0] ?? 'by-hand');
    else {
      if (!options.dissect) await playAll(folder, survey, positionals, options);
      if (positionals.length === 0) await dissectAll(folder, survey);
    }
  } finally {
    if (options.keep) console.log(`logs: ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function serve(folder, survey, name) {
  const lab = await openLab(ROOT, folder, name, survey);
  console.log(lab.configFile);
  await new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await lab.end();
}

/** Plays the script once more without security, and lets tshark look for malformed messages. */
async function dissectAll(folder, survey) {
  if (!hasTool('tshark')) {
    console.log('dissection: skipped, this machine has no tshark');
    return;
  }
  const stack = readStack(INTEROP, 'node-opcua');
  const own = join(folder, 'dissection');
  await mkdir(own);
  const lab = await openLab(ROOT, own, stack.name, survey, true);
  try {
    await runClient(stack, lab.configFile, join(own, 'client.log'));
  } finally {
    await lab.end();
  }
  const { messages, problem } = await dissect(lab.connections, join(own, 'unsecured.pcap'));
  console.log(`dissection: ${messages} messages without security${problem === undefined ? ', none malformed' : `; ${problem}`}`);
  if (problem !== undefined) process.exitCode = 1;
}

async function playAll(folder, survey, names, options) {
  // Without a handler, what was started would go on.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const steps = JSON.parse(await readFile(join(INTEROP, 'steps.json'), 'utf8'));
  const stored = await readStored(STORE);
  const present = STACKS.filter((name) => existsSync(join(INTEROP, name, 'client.json')));
  const stacks = Object.fromEntries(present.map((name) => [name, readStack(INTEROP, name)]));
  const problems = [];
  for (const stack of Object.values(stacks).filter(({ name }) => names.length === 0 || names.includes(name))) {
    const missing = await missingTools(stack);
    if (missing.length > 0) {
      console.log(`${stack.name}: skipped, this machine has no ${missing.join(', ')}`);
      continue;
    }
    try {
      const now = await playStack(stack, folder, survey, steps, stored[stack.name]);
      problems.push(...now.problems);
      stored[stack.name] = now.entry;
    } catch (error) {
      problems.push(`${stack.name}: ${error.message}`);
    }
  }
  problems.push(...(await playOwnClient(folder, names, stored)));
  const columns = present.map((name) => ({ name, entry: stored[name] }));
  console.log(`\n${matrixText(steps, columns)}\n`);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0 && !options.accept) {
    process.exitCode = 1;
    return;
  }
  if (options.check) return;
  await writeStored(STORE, stored);
  const notes = Object.fromEntries(present.map((name) => [name, stacks[name].notes]));
  await writeFile(PAGE, interopPage(steps, columns, notes, { steps: OWN_STEPS, servers: stored[OWN_CLIENT] ?? {} }));
}

/** Plays our client at the servers of other stacks. @returns what was ok before and is so no more. */
async function playOwnClient(folder, names, stored) {
  const before = stored[OWN_CLIENT] ?? {};
  const now = await playOwnClientAtServers(INTEROP, folder, names);
  stored[OWN_CLIENT] = { ...before, ...now };
  return Object.entries(now).flatMap(([name, entry]) =>
    regressions(before[name], entry).map(([id, { detail }]) => `our client at ${name}: ${id} was ok: ${detail}`),
  );
}

/** Builds a client and lets it play; a second time where a step is no more ok, so that a busy machine doesn't look like a fault. */
async function playStack(stack, folder, survey, steps, before) {
  console.log(`${stack.name}: ${stack.title}`);
  await prepareStack(stack);
  let attempt = await playOnce(stack, join(folder, stack.name), survey, steps);
  const worse = regressions(before, attempt.entry);
  if (worse.length > 0) {
    console.log(`  once more, because of ${worse.map(([id, { detail }]) => `${id} (${detail})`).join('; ')}`);
    attempt = await playOnce(stack, join(folder, `${stack.name}-again`), survey, steps);
  }
  const problems = regressions(before, attempt.entry).map(([id, { detail }]) => `${stack.name}: ${id} was ok: ${detail}`);
  if (attempt.complaint !== undefined) problems.push(`${stack.name}: ${attempt.complaint}`);
  return { entry: attempt.entry, problems };
}

async function playOnce(stack, folder, survey, steps) {
  await mkdir(folder);
  const lab = await openLab(ROOT, folder, stack.name, survey);
  const startedMs = performance.now();
  let run;
  let complaint;
  try {
    run = await runClient(stack, lab.configFile, join(folder, 'client.log'));
  } finally {
    complaint = await lab.end();
  }
  const entry = summarize(stack, run, steps);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const counts = ['ok', 'fails', 'cannot'].map(
    (word) => `${Object.values(entry.steps).filter(({ result }) => result === word).length} ${word}`,
  );
  console.log(`  ${seconds} s: ${counts.join(', ')}${run.problem === undefined ? '' : `; ${run.problem}`}`);
  for (const { id } of steps) {
    const { result, detail } = run.lines.get(id) ?? { result: 'no report', detail: '' };
    console.log(`  ${result.padEnd(6)} ${id}${detail === '' ? '' : `: ${detail.slice(0, 300)}`}`);
  }
  return { entry, complaint };
}

await main();
