import type { Socket } from 'node:net';
import type { ByteTransport, ByteTransportEvents, RemoteAddress } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { ConnectionLeases } from './connection-admission.ts';
import type { ConnectionStart } from './connection-start.ts';
import type { ConnectionRefusal } from './transport-diagnostics.ts';

/** Admits connections that say only later what they carry, as those to an HTTPS port do. */
export interface ConnectionGate {
  /**
   * Asked once per accepted connection, before TLS and before anything is kept for it. Nothing is reclaimed for it.
   * @param address of the peer; whom the connection is charged to follows from it.
   * @returns why not, when it is refused: close it then.
   */
  admitIncoming(address: string): IncomingConnection | ConnectionRefusal;
}

/** Learns from proxies that are trusted whose connection it is, before anything else of it is looked at. */
export interface ProxyHeaders {
  /** Whether a peer's connections begin with a header. */
  isProxy(address: string): boolean;
  /**
   * Reads the header of a socket that was just accepted from a proxy, and destroys the socket if there is none in time.
   * @param done gets the client's address. The socket is paused then and gives what followed the header first. Not called when the
   * socket ends before.
   */
  read(socket: Socket, proxy: RemoteAddress, done: (remote: RemoteAddress) => void): void;
}

/** Takes the transport and the leases. */
export type OpenIncoming = (transport: ByteTransport, leases: ConnectionLeases, start: ConnectionStart) => ByteTransportEvents;

/** The admission of one accepted connection. Holds stage Connection until it is closed, and Handshake until its start-up is over. */
export class IncomingConnection {
  readonly #leases: ConnectionLeases;
  readonly #startedAtMs: number;
  readonly #open: OpenIncoming;
  #isTaken = false;

  constructor(leases: ConnectionLeases, startedAtMs: number, open: OpenIncoming) {
    this.#leases = leases;
    this.#startedAtMs = startedAtMs;
    this.#open = open;
  }

  /** Whom it is charged to, as far as it is known before anything is authenticated. */
  get owner(): Owner {
    return this.#leases.owner;
  }

  /** It carries requests that need no further start-up. Idempotent. */
  endHandshake(): void {
    if (!this.#isTaken) this.#leases.endHandshake();
  }

  /**
   * It carries a SecureChannel: hands it over, with all that it holds and the time that its start-up has left.
   * @returns whom to tell about the transport's bytes.
   */
  open(transport: ByteTransport): ByteTransportEvents {
    this.#isTaken = true;
    return this.#open(transport, this.#leases, { startedAtMs: this.#startedAtMs, outgoing: undefined });
  }

  /** The connection is really closed. Idempotent; does nothing once it was handed over. */
  close(): void {
    if (!this.#isTaken) this.#leases.endConnection();
  }
}
