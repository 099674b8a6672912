import type { Runtime } from '@bulkhead/contracts';
import type { ConnectionInitiator, ReverseHello } from '@bulkhead/transport';
import { type ReverseConnectTarget, ReverseDialler } from './reverse-dialler.ts';

export interface ReverseConnectorOptions {
  readonly initiator: ConnectionInitiator;
  /** Clients that listen, each with its own connection waiting. */
  readonly targets: readonly ReverseConnectTarget[];
  /** What the server says of itself; asked for each connection. */
  readonly reverseHello: () => ReverseHello;
  /** A client that can't be reached within this time is tried again later; default 10,000. */
  readonly connectTimeoutMs?: number;
  readonly runtime: Runtime;
}

/**
 * Opens connections to clients that listen for them, so that a server behind a firewall needs no open port. Keeps one connection
 * waiting per client, and opens another as soon as the client uses it. OPC 10000-6 §7.1.2.6, §7.1.3.
 */
export class ReverseConnector {
  readonly #diallers: readonly ReverseDialler[];

  constructor(options: ReverseConnectorOptions) {
    const { initiator, reverseHello, runtime, connectTimeoutMs = 10_000 } = options;
    this.#diallers = options.targets.map((target) => new ReverseDialler({ target, initiator, reverseHello, connectTimeoutMs, runtime }));
  }

  /** Begins to dial; never throws: a client that isn't there is tried again. */
  start(): void {
    for (const dialler of this.#diallers) dialler.start();
  }

  /** Opens no new connection; those that exist go on. Idempotent. */
  stopDialling(): void {
    for (const dialler of this.#diallers) dialler.stop();
  }

  /** Stops, cuts what is still connected, and resolves once no handle is left. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.#diallers.map((dialler) => dialler.close()));
  }
}
