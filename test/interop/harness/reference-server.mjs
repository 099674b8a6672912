import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endWithProcess } from './children.mjs';

const READY_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 10_000;

/**
 * Starts the built reference server on a free port.
 * @returns `{ url, stop(), hasEnded() }`; `stop` resolves to a complaint, or undefined after a clean end.
 */
export async function startServer(root, pkiFolder, tickMs, log) {
  const args = [`${root}/apps/reference-server/dist/main.js`, '--port', '0', '--log-format', 'json', '--pki', pkiFolder];
  const child = spawn(process.execPath, [...args, '--bench-tick', String(tickMs)], { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithProcess(child);
  let end;
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? code));
  }).then((how) => (end = how));
  child.stderr.on('data', (bytes) => log.write(bytes));
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      const entry = line.startsWith('{"event":"ready"') ? JSON.parse(line) : undefined;
      if (entry !== undefined) resolve(entry.endpoints[0]);
    });
  });
  const url = await Promise.race([ready, exited.then(() => undefined), after(READY_WITHIN_MS)]);
  if (url === undefined) {
    child.kill('SIGKILL');
    throw new Error(`the reference server does not start (${end ?? 'no ready line'}); is everything built?`);
  }
  return {
    url,
    hasEnded: () => end !== undefined,
    stop: async () => {
      if (end !== undefined) return `the server ended with ${end} while clients used it`;
      child.kill('SIGTERM');
      await Promise.race([exited, after(STOP_WITHIN_MS)]);
      if (end === undefined) child.kill('SIGKILL');
      return end === 0 || process.platform === 'win32' ? undefined : `the server did not stop cleanly (${end ?? 'killed'})`;
    },
  };
}

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
