import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';

/** Node publishes each socket here that connects somewhere. */
const CLIENT_SOCKETS = 'net.client.socket';
/** A text that lies across two segments is found as long as it isn't longer. */
const OVERLAP = 200;

/** What a stack trace or a path of this process looks like. */
const insides: readonly RegExp[] = [
  /\n\s+at [\w.<]/u,
  /[\w-]\.[cm]?[jt]s:\d+/u,
  /node:internal|node_modules|file:\/\//u,
  new RegExp([process.cwd(), tmpdir()].map((path) => `${path.replaceAll(/[.\\]/gu, '\\$&')}/`).join('|'), 'u'),
];

/** Looks through every byte that any client of this process receives for what a server must not tell. */
export class ResponseScan implements Disposable {
  readonly #findings: string[] = [];
  readonly #forbidden: readonly string[];
  readonly #onSocket = (message: unknown): void => this.#watch((message as { readonly socket: Socket }).socket);

  /** @param forbidden texts that must not arrive either, such as the messages of exceptions. */
  constructor(forbidden: readonly string[] = []) {
    this.#forbidden = forbidden;
    subscribe(CLIENT_SOCKETS, this.#onSocket);
  }

  get findings(): readonly string[] {
    return this.#findings;
  }

  /** @throws Error that shows what was found. */
  [Symbol.dispose](): void {
    unsubscribe(CLIENT_SOCKETS, this.#onSocket);
    if (this.#findings.length > 0) throw new Error(`the server told about its insides: ${this.#findings.join(' | ')}`);
  }

  #watch(socket: Socket): void {
    let tail = '';
    socket.on('data', (bytes) => {
      const text = tail + bytes.toString('latin1');
      this.#check(text);
      tail = text.slice(-OVERLAP);
    });
  }

  #check(text: string): void {
    for (const pattern of insides) this.#note(text, text.search(pattern));
    for (const word of this.#forbidden) this.#note(text, text.indexOf(word));
  }

  #note(text: string, at: number): void {
    if (at >= 0) this.#findings.push(text.slice(Math.max(0, at - 40), at + 80));
  }
}
