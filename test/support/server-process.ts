import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../apps/reference-server/dist/main.js', import.meta.url));
/** None of the tests' own. */
const ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BULKHEAD_')));
const MAX_KEPT_ENTRIES = 10_000;

/** A line of the server's log. */
export interface LogEntry {
  readonly event: string;
  readonly level?: string;
  readonly [name: string]: unknown;
}

/** The reference server as a process of its own, with a configuration file on a free port. */
export class ServerProcess {
  readonly folder: string;
  readonly configFile: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | string | null>;
  readonly #entries: LogEntry[] = [];
  readonly #listeners: Set<() => void> = new Set();
  #taken = 0;

  private constructor(folder: string, child: ChildProcess) {
    this.folder = folder;
    this.configFile = join(folder, 'c.json');
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.#note(line));
  }

  static async start(configuration: object, args: readonly string[] = []): Promise<ServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'bulkhead-process-'));
    await writeFile(join(folder, 'c.json'), JSON.stringify({ port: 0, pki: join(folder, 'pki'), logFormat: 'json', ...configuration }));
    const child = spawn(process.execPath, [MAIN, 'serve', '--config', join(folder, 'c.json'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: ENVIRONMENT,
    });
    return new ServerProcess(folder, child);
  }

  /** Writes the configuration file again. */
  async configure(configuration: object | string): Promise<void> {
    const own = { port: 0, pki: join(this.folder, 'pki'), logFormat: 'json' };
    await writeFile(this.configFile, typeof configuration === 'string' ? configuration : JSON.stringify({ ...own, ...configuration }));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The next entry of this event; those before it are passed over. */
  async next(event: string): Promise<LogEntry> {
    for (;;) {
      const at = this.#entries.findIndex((entry, index) => index >= this.#taken && entry.event === event);
      if (at >= 0) {
        this.#taken = at + 1;
        return this.#entries[at] as LogEntry;
      }
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          this.#listeners.delete(wake);
          resolve();
        };
        this.#listeners.add(wake);
        void this.#exited.then((end) => reject(new Error(`the server ended with ${end} before ${event}`)));
      });
    }
  }

  /** Ends the process and removes its folder. @returns the exit code */
  async end(): Promise<number | string | null> {
    this.kill('SIGTERM');
    const end = await this.#exited;
    await rm(this.folder, { recursive: true });
    return end;
  }

  #note(line: string): void {
    if (!line.startsWith('{') || this.#entries.length >= MAX_KEPT_ENTRIES) return;
    this.#entries.push(JSON.parse(line) as LogEntry);
    for (const wake of [...this.#listeners]) wake();
  }
}
