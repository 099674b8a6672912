import type { ResourceIsolationPlan } from '../plan/plan.ts';
import { type Stage, stages } from '../stage.ts';
import type { AllocateCounters, Counters } from './counters.ts';

/** Whose reserve a charge uses first. Trusted owners follow from `FIRST_TRUSTED_POOL` on. */
export const Pool: { readonly Shared: 0; readonly Bootstrap: 1; readonly Reconnect: 2; readonly Control: 3 } = {
  Shared: 0,
  Bootstrap: 1,
  Reconnect: 2,
  Control: 3,
};
export const FIRST_TRUSTED_POOL = 4;

/** Counters of a stage: what is in use of shared capacity, then what each pool has in all. */
const SHARED = 0;
const FIRST_POOL = 1;

/**
 * How much of each stage each pool has. What a pool has beyond its reserve is in shared capacity; so a reserve is used first, is
 * never lent, and charges return to it as soon as it has room, in whatever order leases end.
 */
export class StageLedger {
  readonly #counters: Counters;
  readonly #countersPerStage: number;
  readonly #poolCount: number;
  /** By stage and pool; the shared pool's is 0. */
  readonly #reserves: Float64Array;
  readonly #shared: Float64Array;
  /** By stage. */
  readonly #keptForIdleOwners: Float64Array;

  constructor(plan: ResourceIsolationPlan, allocate: AllocateCounters) {
    this.#poolCount = FIRST_TRUSTED_POOL + plan.trustedOwners.length;
    this.#countersPerStage = FIRST_POOL + this.#poolCount;
    this.#counters = allocate(stages.length * this.#countersPerStage);
    this.#reserves = new Float64Array(stages.length * this.#poolCount);
    this.#shared = new Float64Array(stages.length);
    this.#keptForIdleOwners = new Float64Array(stages.length);
    for (const stage of stages) {
      const { shared, bootstrap, reconnect, control, keptForIdleOwners } = plan.getStage(stage);
      const trusted = plan.trustedOwners.map(({ reserved }) => reserved[stage] as number);
      this.#shared[stage] = shared;
      this.#keptForIdleOwners[stage] = keptForIdleOwners;
      this.#reserves.set([0, bootstrap, reconnect, control, ...trusted], stage * this.#poolCount);
    }
  }

  /** Everything in use. Added up when it is asked for: that is seldom, and charges are not. */
  total(stage: Stage): number {
    const first = stage * this.#countersPerStage + FIRST_POOL;
    let sum = 0;
    for (let pool = 0; pool < this.#poolCount; pool++) sum += this.#counters.get(first + pool);
    return sum;
  }

  /** Shared capacity in use. */
  shared(stage: Stage): number {
    return this.#counters.get(stage * this.#countersPerStage + SHARED);
  }

  /** In use by one pool, in its reserve and in shared capacity. */
  ofPool(stage: Stage, pool: number): number {
    return this.#counters.get(stage * this.#countersPerStage + FIRST_POOL + pool);
  }

  reserve(stage: Stage, pool: number): number {
    return this.#reserves[stage * this.#poolCount + pool] as number;
  }

  /** @param isBusy the owner has something in use here, and is not alone: what is kept for others is none of its. */
  sharedCapacity(stage: Stage, isBusy: boolean): number {
    const shared = this.#shared[stage] as number;
    return isBusy ? shared - (this.#keptForIdleOwners[stage] as number) : shared;
  }

  /** Whether the pool's free reserve and the shared capacity that is free for such an owner together hold `amount` more. */
  fits(stage: Stage, pool: number, amount: number, isBusy: boolean): boolean {
    const spilled = this.#spilled(stage, pool, amount);
    return spilled === 0 || this.shared(stage) + spilled <= this.sharedCapacity(stage, isBusy);
  }

  charge(stage: Stage, pool: number, amount: number): void {
    const first = stage * this.#countersPerStage;
    this.#counters.add(first + SHARED, this.#spilled(stage, pool, amount));
    this.#counters.add(first + FIRST_POOL + pool, amount);
  }

  /** Takes back what `charge` did. */
  release(stage: Stage, pool: number, amount: number): void {
    const first = stage * this.#countersPerStage;
    this.#counters.add(first + FIRST_POOL + pool, -amount);
    this.#counters.add(first + SHARED, -this.#spilled(stage, pool, amount));
  }

  /** How much of `amount` more finds no room in the pool's reserve. */
  #spilled(stage: Stage, pool: number, amount: number): number {
    if (pool === Pool.Shared) return amount;
    const free = this.reserve(stage, pool) - this.ofPool(stage, pool);
    if (free <= 0) return amount;
    return amount > free ? amount - free : 0;
  }
}
