import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';
import type { NewcomerLease } from './connection-admission.ts';

/**
 * Stands in for a connection while the one whose place it gets is closing, less than a turn or two. Nothing is read meanwhile
 * and nothing of the protocol exists yet.
 */
export class WaitingConnection implements ByteTransportEvents {
  readonly transport: ByteTransport;
  readonly lease: NewcomerLease;
  readonly #abandoned: (waiting: WaitingConnection) => void;
  #connection: ByteTransportEvents | undefined;

  /** @param abandoned the transport was closed before its turn came. */
  constructor(transport: ByteTransport, lease: NewcomerLease, abandoned: (waiting: WaitingConnection) => void) {
    this.transport = transport;
    this.lease = lease;
    this.#abandoned = abandoned;
    transport.pause();
  }

  /** From now on everything goes to `connection`. */
  start(connection: ByteTransportEvents): void {
    this.#connection = connection;
    this.transport.resume();
  }

  /** Gives the handshake back. */
  refuse(): void {
    this.lease.handshake[Symbol.dispose]();
    this.transport.destroy();
  }

  onBytes(bytes: Buffer): void {
    if (this.#connection === undefined) this.transport.destroy();
    else this.#connection.onBytes(bytes);
  }

  onDrain(): void {
    this.#connection?.onDrain();
  }

  onClosed(): void {
    if (this.#connection !== undefined) return this.#connection.onClosed();
    this.lease.handshake[Symbol.dispose]();
    this.#abandoned(this);
  }
}
