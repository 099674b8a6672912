import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithProcess } from './children.mjs';
import { hasTool, runToEnd } from './tools.mjs';

/** In the order of the columns. */
export const STACKS = ['node-opcua', 'asyncua', 'gopcua', 'milo', 'async-opcua'];
const CLIENT_LIMIT_MS = 90_000;
const results = new Set(['ok', 'fails', 'cannot']);

/** Reads a stack's client.json. */
export function readStack(interopFolder, name) {
  const folder = join(interopFolder, name);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bulkhead-interop', name);
  const client = JSON.parse(readFileSync(join(folder, 'client.json'), 'utf8'));
  const fill = (text) => text.replaceAll('{stack}', folder).replaceAll('{cache}', cache);
  return {
    name,
    folder,
    cache,
    title: client.title ?? name,
    notes: client.notes ?? {},
    tools: client.tools ?? [],
    needs: Object.entries(client.needs ?? {}),
    prepare: (client.prepare ?? []).map((command) => command.map(fill)),
    run: client.run.map(fill),
    env: Object.fromEntries(Object.entries(client.env ?? {}).map(([key, value]) => [key, fill(value)])),
  };
}

/** What the stack needs and this machine doesn't have: programs, and what `needs` finds out by a command. */
export async function missingTools(stack) {
  const missing = stack.tools.filter((tool) => !hasTool(tool));
  if (missing.length > 0) return missing;
  for (const [name, command] of stack.needs) if ((await runToEnd(command, stack)).code !== 0) missing.push(name);
  return missing;
}

/** Builds the client, unless it was built from the same files before. @throws Error naming the command that failed. */
export async function prepareStack(stack) {
  const stamp = join(stack.cache, 'prepared');
  const wanted = fingerprint(stack);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  await mkdir(stack.cache, { recursive: true });
  for (const command of stack.prepare) {
    console.error(`  ${command.join(' ')}`);
    const { code, output } = await runToEnd(command, stack);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}\n${output}`);
  }
  await writeFile(stamp, wanted);
}

/**
 * Runs the client to its end.
 * @returns `{ lines, problem }`: its reports by step id, and what was wrong with the run as a whole.
 */
export async function runClient(stack, configFile, logFile) {
  const [program, ...args] = [...stack.run, configFile];
  const child = spawn(program, args, { cwd: stack.folder, env: { ...process.env, ...stack.env }, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithProcess(child);
  const log = createWriteStream(logFile);
  child.stderr.pipe(log);
  const lines = new Map();
  const strange = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    const report = parseReport(line);
    if (report === undefined) strange.push(line);
    else lines.set(report.step, report);
  });
  const read = new Promise((resolve) => reader.once('close', resolve));
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, CLIENT_LIMIT_MS);
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  clearTimeout(limit);
  // A grandchild that keeps standard output open must not hold up the run.
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, 1000))]);
  log.end();
  const problems = [
    ...(isLate ? [`ended after ${CLIENT_LIMIT_MS / 1000} s`] : end === 0 ? [] : [`ended with ${end}`]),
    ...(strange.length === 0 ? [] : [`no report: ${strange[0].slice(0, 200)}`]),
  ];
  return { lines, problem: problems.join('; ') || undefined };
}

function parseReport(line) {
  try {
    const { step, result, detail = '' } = JSON.parse(line);
    return typeof step === 'string' && results.has(result) ? { step, result, detail: String(detail) } : undefined;
  } catch {
    return undefined;
  }
}

/** Changes with any file of the stack's folder. */
function fingerprint({ folder, cache }) {
  const hash = createHash('sha256').update(cache);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((name) => !name.includes('__pycache__'))
    .toSorted();
  for (const name of names) hash.update(`\0${name}\0`).update(readFileSync(name));
  return hash.digest('hex');
}
