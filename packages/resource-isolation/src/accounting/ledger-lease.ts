import type { Lease, RequestLeases } from '../lease.ts';
import type { Stage } from '../stage.ts';

/** Who takes a charge back. */
export interface LeaseHolder {
  /** Whether a charge of this pool that ends now makes room in shared capacity. */
  isShared(stage: Stage, pool: number): boolean;
  release(stage: Stage, pool: number, slot: number, amount: number): void;
}

/** A charge of a ledger. Not pooled: whoever disposes a lease twice must not end another's. */
export class LedgerLease implements Lease {
  readonly kind = 'lease';
  readonly stage: Stage;
  readonly amount: number;
  readonly #holder: LeaseHolder;
  readonly #pool: number;
  /** -1 once disposed. */
  #slot: number;

  constructor(holder: LeaseHolder, stage: Stage, pool: number, slot: number, amount: number) {
    this.stage = stage;
    this.amount = amount;
    this.#holder = holder;
    this.#pool = pool;
    this.#slot = slot;
  }

  get isShared(): boolean {
    return this.#slot >= 0 && this.#holder.isShared(this.stage, this.#pool);
  }

  [Symbol.dispose](): void {
    const slot = this.#slot;
    if (slot < 0) return;
    this.#slot = -1;
    this.#holder.release(this.stage, this.#pool, slot, this.amount);
  }
}

/** The charges of a decoded request. */
export class LedgerRequestLeases implements RequestLeases {
  readonly kind = 'lease';
  readonly queue: Lease;
  readonly bytes: Lease;
  readonly parked: Lease | undefined;

  constructor(queue: Lease, bytes: Lease, parked: Lease | undefined) {
    this.queue = queue;
    this.bytes = bytes;
    this.parked = parked;
  }
}
