import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SubscriberCommand, SubscriberFigures, SubscriberMessage } from './storm-messages.ts';

const ENTRY = fileURLToPath(new URL('./subscriber-process.js', import.meta.url));

/** A subscriber in a process of its own. */
export class Subscriber {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves once the subscriber knows when messages are due. @param workDir holds its certificate. */
  static async start(url: string, workDir: string): Promise<Subscriber> {
    const subscriber = new Subscriber(fork(ENTRY, [url, workDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    await subscriber.#message('ready');
    return subscriber;
  }

  /** Counts from now on. */
  begin(): void {
    this.#command('begin');
  }

  async end(): Promise<SubscriberFigures> {
    const message = this.#message('figures');
    this.#command('end');
    return (await message).figures;
  }

  /** Ends the process, whatever it does. Idempotent. */
  kill(): void {
    this.#child.kill();
  }

  #command(command: SubscriberCommand): void {
    this.#child.send(command);
  }

  #message<Kind extends SubscriberMessage['kind']>(kind: Kind): Promise<Extract<SubscriberMessage, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`the subscriber ended with ${code}`));
      this.#child.once('exit', onExit);
      this.#child.once('message', (message: SubscriberMessage) => {
        this.#child.off('exit', onExit);
        if (message.kind === kind) resolve(message as Extract<SubscriberMessage, { kind: Kind }>);
        else reject(new Error(`the subscriber says ${message.kind} instead of ${kind}`));
      });
    });
  }
}
