import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = resolve(fileURLToPath(import.meta.url), '..');
const ANSWER_TIMEOUT_MS = 60_000;

/** A process of the benchmark that answers messages one by one. It ends with this one. */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];

  /** @param file beside this one. */
  constructor(file: string, args: readonly string[], niceness = 0) {
    this.#process = fork(resolve(DIST, file), [...args], { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#process.stderr?.on('data', (bytes) => this.#lines.splice(0, this.#lines.length, String(bytes)));
    if (niceness > 0 && this.#process.pid !== undefined) setPriority(this.#process.pid, niceness);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  send(message: object): void {
    if (this.isAlive) this.#process.send(message);
  }

  /** Its next message. @throws Error when it ends, or says nothing for a minute. */
  next<Answer>(): Promise<Answer> {
    return new Promise((answer, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#process.off('message', onMessage).off('exit', onExit);
      };
      const fail = (what: string): void => {
        settle();
        reject(new Error(`${what} ${this.#lines.join('')}`.trim()));
      };
      const onExit = (code: number | null, signal: string | null): void => fail(`the process ended with ${signal ?? code}`);
      const onMessage = (message: unknown): void => {
        settle();
        answer(message as Answer);
      };
      const timer = setTimeout(() => fail('no answer'), ANSWER_TIMEOUT_MS);
      this.#process.once('message', onMessage).once('exit', onExit);
      if (!this.isAlive) onExit(this.#process.exitCode, this.#process.signalCode);
    });
  }

  /** Sends a message and waits for the answer. */
  ask<Answer>(message: object): Promise<Answer> {
    const answer = this.next<Answer>();
    this.send(message);
    return answer;
  }

  /** Idempotent. */
  async end(): Promise<void> {
    if (!this.isAlive) return;
    const ended = new Promise((resolveEnd) => this.#process.once('exit', resolveEnd));
    this.#process.kill('SIGKILL');
    await ended;
  }
}
