import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Runtime, Timer } from '@bulkhead/contracts';
import { type Backoff, ExponentialBackoff } from '@bulkhead/limits';
import { type ConnectionInitiator, type OutgoingConnection, type ReverseHello, remoteAddressOf } from '@bulkhead/transport';

import { SocketByteTransport } from './socket-byte-transport.ts';

/** A client that listens for connections of servers. */
export interface ReverseConnectTarget {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** First delay after a failure, ms. */
  readonly retryMs: number;
  /** Longest delay, ms; >= `retryMs`. */
  readonly maxRetryMs: number;
}

export interface ReverseDiallerOptions {
  readonly target: ReverseConnectTarget;
  readonly initiator: ConnectionInitiator;
  readonly reverseHello: () => ReverseHello;
  readonly connectTimeoutMs: number;
  readonly runtime: Runtime;
}

/** How one connection to a client went so far. */
interface Attempt {
  isUsed: boolean;
  hasOpened: boolean;
}

const KEEP_ALIVE_DELAY_MS = 60_000;
const UINT32_RANGE = 2 ** 32;

/** Keeps one connection waiting for one client. */
export class ReverseDialler {
  readonly #options: ReverseDiallerOptions;
  /** Half of each delay is random, so that servers that lost the same client don't return together. */
  readonly #backoff: Backoff;
  readonly #sockets: Set<Socket> = new Set();
  #retryTimer: Timer | undefined;
  /** In a row, since a channel was opened last. */
  #failures = 0;
  #isStopped = false;
  #emptied: (() => void)[] = [];

  constructor(options: ReverseDiallerOptions) {
    const { target, runtime } = options;
    this.#options = options;
    this.#backoff = new ExponentialBackoff({
      firstMs: target.retryMs,
      maxMs: target.maxRetryMs,
      maxAttempts: Number.MAX_SAFE_INTEGER,
      random: () => runtime.random.bytes(4).readUInt32LE(0) / UINT32_RANGE,
    });
  }

  start(): void {
    if (!this.#isStopped) void this.#dial();
  }

  /** Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#retryTimer?.cancel();
    for (const socket of this.#sockets) if (socket.connecting) socket.destroy();
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.stop();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  async #dial(): Promise<void> {
    const { host } = this.#options.target;
    let address = host;
    try {
      if (isIP(host) === 0) ({ address } = await lookup(host));
    } catch (error) {
      return this.#failed('unknownHost', error);
    }
    if (this.#isStopped) return;
    const permission = this.#options.initiator.admitOutgoing(address);
    if (typeof permission === 'string') return this.#failed(permission);
    this.#connect(address, permission);
  }

  #connect(address: string, permission: OutgoingConnection): void {
    const { target, connectTimeoutMs, runtime } = this.#options;
    const socket = connect({
      host: address,
      port: target.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    });
    this.#sockets.add(socket);
    const timer = runtime.timers.after(connectTimeoutMs, () => socket.destroy(new Error('no connection in time')));
    let failure: Error | undefined;
    const abandoned = (): void => {
      timer.cancel();
      permission[Symbol.dispose]();
      this.#failed('unreachable', failure);
    };
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', abandoned);
    socket.on('close', () => this.#socketClosed(socket));
    socket.once('connect', () => {
      timer.cancel();
      const remote = remoteAddressOf(socket);
      if (remote === undefined || this.#isStopped) return void socket.destroy();
      socket.off('close', abandoned);
      this.#announce(new SocketByteTransport(socket, remote), permission);
    });
  }

  #announce(transport: SocketByteTransport, permission: OutgoingConnection): void {
    const attempt: Attempt = { isUsed: false, hasOpened: false };
    const events = permission.start(transport, this.#options.reverseHello(), {
      onUsed: () => {
        attempt.isUsed = true;
        // The next one may wait from now on; not at once when the client makes nothing of them.
        if (this.#failures === 0) this.#dialLater(0);
        else this.#dialAfterFailure();
      },
      onOpened: () => {
        attempt.hasOpened = true;
        this.#failures = 0;
        if (this.#retryTimer !== undefined) this.#dialLater(0);
      },
      onClosed: (reason) => {
        if (attempt.hasOpened) return;
        // A client that kept it without using it did nothing wrong.
        if (attempt.isUsed) this.#failures++;
        else if (reason === 'HelloTimeout') this.#dialLater(this.#options.target.retryMs);
        else this.#failed(reason);
      },
    });
    transport.start(events);
  }

  #failed(reason: string, error?: unknown): void {
    if (this.#isStopped) return;
    const { target, runtime } = this.#options;
    this.#failures++;
    const { host, port } = target;
    if (runtime.log.isEnabled('info'))
      runtime.log.log('info', 'reverseConnect.failed', { host, port, reason, error, failures: this.#failures });
    this.#dialAfterFailure();
  }

  #dialAfterFailure(): void {
    this.#dialLater(this.#backoff.delayMs(Math.max(0, this.#failures - 1)) ?? this.#options.target.maxRetryMs);
  }

  #dialLater(delayMs: number): void {
    if (this.#isStopped) return;
    this.#retryTimer?.cancel();
    this.#retryTimer = this.#options.runtime.timers.after(delayMs, () => {
      this.#retryTimer = undefined;
      void this.#dial();
    });
  }

  #socketClosed(socket: Socket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    const emptied = this.#emptied;
    this.#emptied = [];
    for (const resolve of emptied) resolve();
  }
}
