import type { RefusalReason } from '@bulkhead/resource-isolation';
import { type CloseReason, closeReasons } from './close-reason.ts';

/** Why a connection was turned away before anything was kept for it. */
export type ConnectionRefusal = RefusalReason | 'RateLimit' | 'Shutdown';

const refusals: readonly ConnectionRefusal[] = ['Capacity', 'OwnerLimit', 'OwnerTableFull', 'InvalidOwner', 'RateLimit', 'Shutdown'];

/** Counts since the start, for metrics and tests. */
export class TransportDiagnostics {
  /** Connections admitted. */
  acceptedConnections = 0;
  /** Connections that this server opened itself. */
  outgoingConnections = 0;
  /** SecureChannels opened; renewals are not counted. */
  openedChannels = 0;
  readonly #closed: Record<CloseReason, number>;
  readonly #refused: Record<ConnectionRefusal, number>;

  constructor() {
    this.#closed = Object.fromEntries(closeReasons.map((reason) => [reason, 0])) as Record<CloseReason, number>;
    this.#refused = Object.fromEntries(refusals.map((reason) => [reason, 0])) as Record<ConnectionRefusal, number>;
  }

  countClosed(reason: CloseReason): void {
    this.#closed[reason]++;
  }

  countRefused(reason: ConnectionRefusal): void {
    this.#refused[reason]++;
  }

  /** Admitted connections by how they ended. */
  get closed(): Readonly<Record<CloseReason, number>> {
    return this.#closed;
  }

  get refused(): Readonly<Record<ConnectionRefusal, number>> {
    return this.#refused;
  }
}
