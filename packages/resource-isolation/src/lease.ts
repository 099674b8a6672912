import type { Stage } from './stage.ts';

/** Capacity in use. Disposing gives it back; a second dispose does nothing. Never revoked. */
export interface Lease extends Disposable {
  readonly kind: 'lease';
  readonly stage: Stage;
  readonly amount: number;
  /** Whether disposing it now would make room in shared capacity; false while it only fills a reserve. Left out where all is shared. */
  readonly isShared?: boolean;
}

export type RefusalReason = 'Capacity' | 'OwnerLimit' | 'OwnerTableFull' | 'InvalidOwner';

/** Why something was not admitted. The provider knows no StatusCode: the edge chooses the answer on the wire. */
export interface Refusal {
  readonly kind: 'refusal';
  /** Tells it from the others of its provider, and of what is put around that. An integer, rising. */
  readonly id: number;
  readonly stage: Stage;
  readonly reason: RefusalReason;
  /** How full the limit is that refused: the stage's shared capacity, or the owner's limit. */
  readonly usage: number;
  readonly limit: number;
}

/** The three leases of a decoded request, granted together or not at all. */
export interface RequestLeases {
  readonly kind: 'lease';
  readonly queue: Lease;
  readonly bytes: Lease;
  /** Only for requests that may park. */
  readonly parked: Lease | undefined;
}
