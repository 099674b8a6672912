import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';
import type { Owner, Refusal } from '@bulkhead/resource-isolation';
import { type ConnectionAdmission, ConnectionLeases } from './connection-admission.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { UacpConnection } from './uacp-connection.ts';
import { WaitingConnection } from './waiting-connection.ts';

/** What becomes of those that waited. */
export interface ReclamationOutcome {
  open(transport: ByteTransport, leases: ConnectionLeases): ByteTransportEvents;
  refused(refusal: Refusal): void;
}

/**
 * Makes room on a full server: closes channels that nobody would miss, one at a time, each for one newcomer that can really take
 * its place. Newcomers wait in the order in which they came; stage Handshake bounds how many.
 */
export class Reclamation {
  readonly #admission: ConnectionAdmission;
  readonly #registry: ConnectionRegistry;
  readonly #outcome: ReclamationOutcome;
  readonly #waiting: Set<WaitingConnection> = new Set();
  /** The connection that is closing for the first one that waits. */
  #closing: UacpConnection | undefined;

  constructor(admission: ConnectionAdmission, registry: ConnectionRegistry, outcome: ReclamationOutcome) {
    this.#admission = admission;
    this.#registry = registry;
    this.#outcome = outcome;
  }

  /**
   * @param refusal for lack of Connection capacity.
   * @returns what stands in for the connection until its turn comes; a refusal when no room can be made for it.
   */
  tryWait(transport: ByteTransport, refusal: Refusal): WaitingConnection | Refusal {
    const owner = this.#admission.ownerOf(transport.remote.address);
    const isFirst = this.#closing === undefined;
    const oldest = isFirst ? this.#registry.oldestReclaimable(owner) : undefined;
    if (isFirst && oldest === undefined) return refusal;
    const lease = this.#admission.tryWait(owner);
    if (lease.kind === 'refusal') return lease;
    const waiting = new WaitingConnection(transport, lease, (abandoned) => this.#waiting.delete(abandoned));
    this.#waiting.add(waiting);
    if (oldest !== undefined) this.#reclaim(oldest);
    return waiting;
  }

  /** A connection is closed and gave its leases back. */
  connectionRemoved(connection: UacpConnection): void {
    if (connection !== this.#closing) return;
    this.#closing = undefined;
    for (const waiting of this.#waiting) {
      const answer = this.#admission.tryAdmitNewcomer(waiting.lease);
      if (answer instanceof ConnectionLeases) {
        this.#waiting.delete(waiting);
        waiting.start(this.#outcome.open(waiting.transport, answer));
      } else if (answer.reason !== 'Capacity' || !this.#reclaimFor(waiting.lease.owner)) {
        // Over its own limit by now, or nobody is left whose place it could take.
        this.#waiting.delete(waiting);
        this.#outcome.refused(answer);
        waiting.refuse();
      } else return;
    }
  }

  /** Refuses those that wait. Idempotent. */
  close(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const each of waiting) each.refuse();
  }

  #reclaimFor(owner: Owner): boolean {
    const oldest = this.#registry.oldestReclaimable(owner);
    if (oldest !== undefined) this.#reclaim(oldest);
    return oldest !== undefined;
  }

  #reclaim(connection: UacpConnection): void {
    this.#closing = connection;
    connection.reclaim();
  }
}
