import type { Socket } from 'node:net';
import type { RemoteAddress, Timer } from '@bulkhead/contracts';
import { MAX_PROXY_HEADER_BYTES, type ProxyHeaderFault, readProxyHeader } from '@bulkhead/transport';

/** Why a proxy's socket was cut before anybody heard of it. */
export type ProxyHeaderRefusal = ProxyHeaderFault | 'late' | 'crowdedOut';

/** What becomes of a socket that waits for its header: at most one of the first two, and in any case the last. */
export interface WaitingEvents {
  header(source: RemoteAddress | undefined): void;
  refused(reason: ProxyHeaderRefusal): void;
  ended(): void;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** A socket of a proxy of which nothing is known yet; at most one header's bytes are kept of it. */
export class WaitingForHeader {
  readonly #socket: Socket;
  readonly #events: WaitingEvents;
  #begun: Buffer = NOTHING;
  #deadline: Timer | undefined;
  #isOver = false;

  constructor(socket: Socket, events: WaitingEvents) {
    this.#socket = socket;
    this.#events = events;
  }

  /** Reads from now on. */
  start(deadline: Timer): void {
    this.#deadline = deadline;
    this.#socket.on('data', this.#onData);
    this.#socket.on('close', this.#end);
    this.#socket.on('error', ignore);
  }

  /** Idempotent. */
  refuse(reason: ProxyHeaderRefusal): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket.destroy();
    this.#events.refused(reason);
  }

  readonly #onData = (bytes: Buffer): void => {
    const missing = MAX_PROXY_HEADER_BYTES - this.#begun.length;
    const held = this.#begun.length;
    const start = held === 0 ? bytes : Buffer.concat([this.#begun, bytes.subarray(0, missing)]);
    const header = readProxyHeader(start);
    if (header.kind === 'malformed') return this.refuse(header.reason);
    // A copy: what was read may be a small part of a large buffer.
    if (header.kind === 'incomplete') this.#begun = Buffer.from(start);
    else this.#handOver(header.source, bytes.subarray(header.byteCount - held));
  };

  #handOver(source: RemoteAddress | undefined, rest: Buffer): void {
    this.#end();
    this.#socket.pause();
    if (rest.length > 0) this.#socket.unshift(rest);
    this.#events.header(source);
    this.#socket.off('error', ignore);
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    this.#begun = NOTHING;
    this.#socket.off('data', this.#onData);
    this.#socket.off('close', this.#end);
    this.#events.ended();
  };
}

function ignore(): void {}
