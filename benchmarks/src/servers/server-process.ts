import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const KEPT_LINES = 20;

/** Where a server is and which process it is. */
export interface RunningServer {
  /** The usual one. */
  readonly url: string;
  /** All of them, that one included. */
  readonly urls: readonly string[];
  /** Undefined when its CPU time isn't to be measured. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a server and waits for the line `{"event":"ready","pid":…,"endpoints":[…]}` on its standard output.
 * @throws Error with the server's last lines when it ends or stays silent.
 */
export async function startServerProcess(command: readonly string[]): Promise<RunningServer> {
  const [program, ...args] = command;
  const child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const stopWithUs = (): void => void child.kill();
  process.once('exit', stopWithUs);
  child.once('exit', () => process.off('exit', stopWithUs));
  try {
    const { urls, pid } = await readyLine(child, lines);
    return { url: urls[0] as string, urls, pid, stop: () => stopProcess(child) };
  } catch (error) {
    await stopProcess(child);
    throw new Error(`${command.join(' ')}: ${(error as Error).message}\n${lines.join('\n')}`);
  }
}

interface Ready {
  /** At least one. */
  readonly urls: readonly string[];
  readonly pid: number;
}

function readyLine(child: ChildProcess, lines: string[]): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready after ${READY_TIMEOUT_MS} ms`)), READY_TIMEOUT_MS);
    const onLine = (line: string): void => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      const ready = parseReady(line);
      if (ready) {
        clearTimeout(timer);
        resolve(ready);
      }
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${signal ?? code} before it was ready`));
    });
  });
}

function parseReady(line: string): Ready | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { event, pid, endpoints } = JSON.parse(line) as { event?: string; pid?: number; endpoints?: string[] };
    return event === 'ready' && pid !== undefined && endpoints?.[0] !== undefined ? { urls: endpoints, pid } : undefined;
  } catch {
    return undefined;
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
