import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';
import type { ReverseHello } from '@bulkhead/uacp';
import type { CloseReason } from './close-reason.ts';
import type { ConnectionLeases } from './connection-admission.ts';
import type { ConnectionStart } from './connection-start.ts';
import type { ConnectionRefusal } from './transport-diagnostics.ts';

/** What a connection that this server opened tells whoever keeps one waiting for the client. */
export interface OutgoingConnectionEvents {
  /** The client took it: it sent a Hello that was accepted. */
  onUsed(): void;
  /** Its SecureChannel is open. */
  onOpened(): void;
  /** It is closed; its leases are given back. Called exactly once. */
  onClosed(reason: CloseReason): void;
}

/** How a connection starts on which this server speaks first. OPC 10000-6 §7.1.2.6. */
export interface OutgoingStart {
  readonly reverseHello: ReverseHello;
  readonly events: OutgoingConnectionEvents;
}

/** Takes the transport and the leases. */
export type OpenOutgoing = (transport: ByteTransport, leases: ConnectionLeases, start: ConnectionStart) => ByteTransportEvents;

/** Admits and drives connections that this server opens. */
export interface ConnectionInitiator {
  /**
   * Asked before anything is opened: such a connection is charged like an accepted one, to the address that is dialled.
   * @returns why not, when there is no capacity; try again later.
   */
  admitOutgoing(address: string): OutgoingConnection | ConnectionRefusal;
}

/** The permission to open one connection. Holds stages Connection and Handshake until it is disposed or the connection is closed. */
export class OutgoingConnection implements Disposable {
  readonly #leases: ConnectionLeases;
  readonly #startedAtMs: number;
  readonly #open: OpenOutgoing;
  #isStarted = false;

  constructor(leases: ConnectionLeases, startedAtMs: number, open: OpenOutgoing) {
    this.#leases = leases;
    this.#startedAtMs = startedAtMs;
    this.#open = open;
  }

  /**
   * The transport is connected: announces the server to the client. The connection has the leases from now on.
   * @returns whom to tell about the transport's bytes.
   */
  start(transport: ByteTransport, reverseHello: ReverseHello, events: OutgoingConnectionEvents): ByteTransportEvents {
    this.#isStarted = true;
    return this.#open(transport, this.#leases, { startedAtMs: this.#startedAtMs, outgoing: { reverseHello, events } });
  }

  /** Gives up before the transport was connected. Idempotent; does nothing once it was. */
  [Symbol.dispose](): void {
    if (!this.#isStarted) this.#leases.endConnection();
  }
}
