import type { Socket } from 'node:net';
import type { RemoteAddress } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { IncomingConnection, UpgradableConnection } from '@bulkhead/transport';

/** One physical connection to a web port, from its admission until it is really closed. Several requests may come by it. */
export class WebConnection implements UpgradableConnection {
  /** Unique in its port. */
  readonly id: number;
  readonly remote: RemoteAddress;
  /** What it holds; whoever upgrades the connection to a SecureChannel takes it over. */
  readonly admission: IncomingConnection;
  readonly #socket: Socket;
  #startUp: NodeJS.Timeout | undefined;

  /** @param startUpMs until the first request, or the upgrade, has to be there. */
  constructor(id: number, socket: Socket, remote: RemoteAddress, admission: IncomingConnection, startUpMs: number) {
    this.id = id;
    this.remote = remote;
    this.admission = admission;
    this.#socket = socket;
    this.#startUp = setTimeout(() => socket.destroy(), startUpMs);
    socket.once('close', () => {
      this.#endStartUp();
      admission.close();
    });
  }

  /** Whom it is charged to, as far as it is known before anything is authenticated. */
  get owner(): Owner {
    return this.admission.owner;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** The head of a request is complete: what is slow from now on is for the limits of requests to see. Idempotent. */
  requestBegins(): void {
    this.#endStartUp();
    this.admission.endHandshake();
  }

  /** It is no HTTP any more: its start-up goes on in the hands of whoever takes `admission`. Idempotent. */
  upgraded(): void {
    this.#endStartUp();
  }

  /** Closes at once. Idempotent. */
  destroy(): void {
    this.#socket.destroy();
  }

  #endStartUp(): void {
    clearTimeout(this.#startUp);
    this.#startUp = undefined;
  }
}
