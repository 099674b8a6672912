import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';

/**
 * Stands in for a connection while the one whose place it gets is closing, less than a turn or two. Nothing is read meanwhile
 * and nothing of the protocol exists yet.
 */
export class WaitingConnection implements ByteTransportEvents {
  readonly transport: ByteTransport;
  readonly #abandoned: () => void;
  #connection: ByteTransportEvents | undefined;

  /** @param abandoned the transport was closed before its turn came. */
  constructor(transport: ByteTransport, abandoned: () => void) {
    this.transport = transport;
    this.#abandoned = abandoned;
    transport.pause();
  }

  /** From now on everything goes to `connection`. */
  start(connection: ByteTransportEvents): void {
    this.#connection = connection;
    this.transport.resume();
  }

  refuse(): void {
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
    if (this.#connection === undefined) this.#abandoned();
    else this.#connection.onClosed();
  }
}
