import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './lib/workspace.mjs';

/** Starts the reference server as `npm start` does, waits until it listens, asks it to stop and expects a clean end. */
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;

const pki = mkdtempSync(join(tmpdir(), 'bulkhead-smoke-'));
const args = ['scripts/task.mjs', 'start', '--port', '0', '--log-format', 'json', '--pki', pki];
const server = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
const exited = new Promise((resolve) => server.once('exit', (code, signal) => resolve(signal ?? code)));

try {
  const ready = await before(
    READY_WITHIN_MS,
    'no ready line',
    Promise.race([readyLine(), exited.then((end) => fail(`it ended with ${end}`))]),
  );
  if (!ready.endpoints?.[0]?.startsWith('opc.tcp://')) fail(`no endpoint in the ready line: ${JSON.stringify(ready)}`);
  server.kill('SIGTERM');
  const end = await before(STOP_WITHIN_MS, 'it does not stop', exited);
  // Windows knows no SIGTERM: the process just ends.
  if (end !== 0 && process.platform !== 'win32') fail(`it ended with ${end} after SIGTERM`);
} catch (error) {
  console.error(`smoke test of the reference server: ${error.message}`);
  process.exitCode = 1;
} finally {
  server.kill('SIGKILL');
  rmSync(pki, { recursive: true, force: true });
}

async function readyLine() {
  for await (const line of createInterface({ input: server.stdout })) {
    const entry = line.startsWith('{') ? JSON.parse(line) : {};
    if (entry.event === 'ready') return entry;
  }
  return new Promise(() => undefined);
}

function before(limitMs, message, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function fail(message) {
  throw new Error(message);
}
