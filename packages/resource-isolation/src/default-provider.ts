import { CapacityListeners } from './accounting/capacity-listeners.ts';
import { type AllocateCounters, allocateArrayCounters } from './accounting/counters.ts';
import { HardLimits } from './accounting/hard-limits.ts';
import { type LeaseHolder, LedgerLease, LedgerRequestLeases } from './accounting/ledger-lease.ts';
import { INVALID, OwnerTable } from './accounting/owner-table.ts';
import { poolOf } from './accounting/pools.ts';
import { RefusalCounters } from './accounting/refusal-counters.ts';
import { StageLedger } from './accounting/stage-ledger.ts';
import { ChunkReassemblyBudget } from './chunk-reassembly-budget.ts';
import { CallerClassification } from './classification/caller-classification.ts';
import { ClassificationCache } from './classification/classification-cache.ts';
import type { ResourceIsolationClassifier } from './classification/classifier.ts';
import type { Lease, Refusal, RefusalReason, RequestLeases } from './lease.ts';
import { ResourceIsolationOptionsError } from './options-error.ts';
import type { CallerEvidence, Owner, OwnerClass } from './owner.ts';
import type { ResourceIsolationPlan, StagePlan } from './plan/plan.ts';
import type { RefusalListener, ResourceIsolationReassemblyProvider } from './provider.ts';
import { RefusalIds } from './refusal-ids.ts';
import { Stage, stages } from './stage.ts';

/** What a `DefaultResourceIsolationProvider` is made of. */
export interface DefaultResourceIsolationOptions {
  readonly plan: ResourceIsolationPlan;
  /** Required in mode TrustedReservations. Not disposed. */
  readonly classifier?: ResourceIsolationClassifier;
  /** Shared with other servers, perhaps; at least as large as the plan's ReassemblyBytes. Default: one of that size. */
  readonly reassemblyBudget?: ChunkReassemblyBudget;
  /** Default: arrays of this thread. */
  readonly allocateCounters?: AllocateCounters;
  readonly onRefused?: RefusalListener;
  /** Default: ids of this provider's own. */
  readonly refusalIds?: RefusalIds;
  /** A classifier threw; the caller is refused. Must not throw. */
  readonly onClassifierError?: (error: unknown) => void;
}

/** An owner with live charges, as operators see it. */
export interface OwnerUsage {
  readonly key: string;
  readonly ownerClass: OwnerClass;
  /** In use, by stage. */
  readonly usage: readonly number[];
  /** Refused since it has had live charges without a break. */
  readonly refusalCount: number;
}

/** What `#check` answers when there is room. */
const FITS = undefined;

/**
 * Modes FairShare, Balanced and TrustedReservations: owners with limits, reserves for classes of caller and for trusted owners.
 * A charge is checked against the owner's limit, the owner table, and the owner's reserve together with shared capacity.
 */
export class DefaultResourceIsolationProvider implements ResourceIsolationReassemblyProvider, Disposable {
  readonly plan: ResourceIsolationPlan;
  readonly replacesSessionlessRule = true;
  /** Without a classifier nothing but evidence decides. */
  readonly ownersFollowEvidence: boolean;
  /** What this provider charges ReassemblyBytes to as well. */
  readonly reassemblyBudget: ChunkReassemblyBudget;
  readonly #ledger: StageLedger;
  readonly #owners: OwnerTable;
  readonly #limits: HardLimits;
  readonly #refusals: RefusalCounters;
  readonly #shadowRefusals: RefusalCounters;
  readonly #classification: CallerClassification;
  readonly #cache: ClassificationCache;
  readonly #executionListeners: CapacityListeners = new CapacityListeners();
  readonly #onRefused: RefusalListener | undefined;
  readonly #refusalIds: RefusalIds;
  readonly #holder: LeaseHolder;
  readonly #hasShadowStages: boolean;

  /** @throws ResourceIsolationOptionsError when the plan needs a classifier or a larger budget. */
  constructor(options: DefaultResourceIsolationOptions) {
    const { plan, classifier, allocateCounters = allocateArrayCounters } = options;
    const { total } = plan.getStage(Stage.ReassemblyBytes);
    const reassemblyBudget = options.reassemblyBudget ?? new ChunkReassemblyBudget(total);
    if (plan.mode === 'TrustedReservations' && classifier === undefined) {
      throw new ResourceIsolationOptionsError('classifier', 'one that says who the trusted owners are', undefined);
    }
    if (reassemblyBudget.maxBytes < total) {
      throw new ResourceIsolationOptionsError('reassemblyBudget.maxBytes', `at least the plan's ${total}`, reassemblyBudget.maxBytes);
    }
    this.plan = plan;
    this.ownersFollowEvidence = classifier === undefined;
    this.reassemblyBudget = reassemblyBudget;
    this.#ledger = new StageLedger(plan, allocateCounters);
    this.#owners = new OwnerTable(plan, allocateCounters);
    this.#limits = new HardLimits(plan);
    this.#refusals = new RefusalCounters(allocateCounters);
    this.#shadowRefusals = new RefusalCounters(allocateCounters);
    this.#classification = new CallerClassification(plan, classifier, options.onClassifierError);
    this.#cache = new ClassificationCache(this.#classification);
    this.#onRefused = options.onRefused;
    this.#refusalIds = options.refusalIds ?? new RefusalIds();
    this.#hasShadowStages = plan.stages.some(({ isShadow }) => isShadow);
    this.#holder = {
      isShared: (stage, pool) => this.#ledger.ofPool(stage, pool) > this.#ledger.reserve(stage, pool),
      release: (stage, pool, slot, amount) => this.#release(stage, pool, slot, amount),
    };
  }

  get trackedOwnerCount(): number {
    return this.#owners.count;
  }

  getUsage(stage: Stage): number {
    return this.#ledger.total(stage);
  }

  /** Refused so far. */
  getRefusalCount(stage: Stage, reason: RefusalReason): number {
    return this.#refusals.count(stage, reason);
  }

  /** What shadow mode let through so far, though it would have been refused. */
  getShadowRefusalCount(stage: Stage, reason: RefusalReason): number {
    return this.#shadowRefusals.count(stage, reason);
  }

  /** Owners with live charges now; for people, not for metrics. */
  *ownerUsages(): IterableIterator<OwnerUsage> {
    for (const slot of this.#owners.live()) {
      yield {
        key: this.#owners.keyOf(slot),
        ownerClass: this.#owners.classOf(slot),
        usage: stages.map((stage) => this.#owners.usage(slot, stage)),
        refusalCount: this.#owners.refusals(slot),
      };
    }
  }

  classifyIngress(address: string): Owner {
    return this.#classification.ofAddress(address);
  }

  classify(evidence: CallerEvidence): Owner {
    return this.#classification.of(evidence);
  }

  /** Like `classify`, with what follows from evidence kept per channel: see `ClassificationCache.ownerOf`. */
  classifyOn(channel: object, activation: object | undefined, evidence: CallerEvidence): Owner {
    return this.#cache.ownerOf(channel, activation, evidence);
  }

  /** The channel is closed; what was kept of its callers goes. */
  channelClosed(channel: object): void {
    this.#cache.forget(channel);
  }

  onCapacity(listener: () => void): Disposable {
    return this.#executionListeners.add(listener);
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    if (!Number.isSafeInteger(amount) || amount < 1) throw new RangeError(`amount: ${amount}`);
    const slot = this.#owners.find(owner);
    const pool = poolOf(stage, owner, slot);
    const reason = this.#check(stage, owner, slot, pool, amount);
    if (reason !== FITS) return this.#refuse(stage, reason, owner, slot, pool);
    if (stage === Stage.ReassemblyBytes && !this.reassemblyBudget.tryReserve(amount, true)) return this.#refuseBudget(owner, slot);
    return this.#charge(stage, pool, slot < 0 ? this.#owners.add(owner) : slot, amount);
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    if (!Number.isSafeInteger(bytes) || bytes < 1) throw new RangeError(`bytes: ${bytes}`);
    const found = this.#owners.find(owner);
    // One reserve for all three: they are all stages of decoded requests.
    const pool = poolOf(Stage.RequestQueue, owner, found);
    let reason = this.#check(Stage.RequestQueue, owner, found, pool, 1);
    if (reason !== FITS) return this.#refuse(Stage.RequestQueue, reason, owner, found, pool);
    reason = this.#check(Stage.RequestQueueBytes, owner, found, pool, bytes);
    if (reason !== FITS) return this.#refuse(Stage.RequestQueueBytes, reason, owner, found, pool);
    if (mayPark) reason = this.#check(Stage.ParkedRequest, owner, found, pool, 1);
    if (reason !== FITS) return this.#refuse(Stage.ParkedRequest, reason, owner, found, pool);
    const slot = found < 0 ? this.#owners.add(owner) : found;
    return new LedgerRequestLeases(
      this.#charge(Stage.RequestQueue, pool, slot, 1),
      this.#charge(Stage.RequestQueueBytes, pool, slot, bytes),
      mayPark ? this.#charge(Stage.ParkedRequest, pool, slot, 1) : undefined,
    );
  }

  /** Nobody is told of capacity any more. What is charged stays charged until its lease ends. Idempotent. */
  [Symbol.dispose](): void {
    this.#executionListeners.clear();
  }

  /** Why `amount` doesn't fit, or `FITS`. What is wrong with the owner comes before `Capacity`. */
  #check(stage: Stage, owner: Owner, slot: number, pool: number, amount: number): RefusalReason | undefined {
    if (slot === INVALID) return 'InvalidOwner';
    const limit = this.#limits.of(stage, this.#trustedSlot(slot));
    const used = this.#owners.usage(slot, stage);
    if (used + amount > limit && !this.#isWaived('OwnerLimit', stage, owner, slot, pool)) return 'OwnerLimit';
    // Who has something in use has an entry.
    if (used === 0 && !this.#owners.hasEntry(slot, owner.ownerClass)) return 'OwnerTableFull';
    if (this.#ledger.fits(stage, pool, amount, used > 0 && this.#owners.count > 1)) {
      if (!this.#hasShadowStages || !this.#isInShadow(stage) || this.#isUnderCeiling(stage, amount)) return FITS;
    } else if (this.#isUnderCeiling(stage, amount) && this.#isWaived('Capacity', stage, owner, slot, pool)) return FITS;
    return 'Capacity';
  }

  #isInShadow(stage: Stage): boolean {
    return (this.plan.stages[stage] as StagePlan).isShadow;
  }

  /** What the server itself can do holds in shadow mode too. */
  #isUnderCeiling(stage: Stage, amount: number): boolean {
    return this.#ledger.total(stage) + amount <= (this.plan.stages[stage] as StagePlan).ceiling;
  }

  /** Counts what would have been refused if it is in shadow mode: a stage with all its limits, an owner with its own. */
  #isWaived(reason: RefusalReason, stage: Stage, owner: Owner, slot: number, pool: number): boolean {
    const isOwnersOwn = reason === 'OwnerLimit' && this.#limits.isShadow(owner.key, owner.ownerClass === 'Trusted');
    if (!isOwnersOwn && !this.#isInShadow(stage)) return false;
    this.#shadowRefusals.add(stage, reason);
    this.#onRefused?.(this.#refusal(stage, reason, slot, pool), owner, true);
    return true;
  }

  #charge(stage: Stage, pool: number, slot: number, amount: number): Lease {
    this.#ledger.charge(stage, pool, amount);
    this.#owners.charge(slot, stage, amount);
    return new LedgerLease(this.#holder, stage, pool, slot, amount);
  }

  #release(stage: Stage, pool: number, slot: number, amount: number): void {
    const ownerCount = this.#owners.count;
    this.#ledger.release(stage, pool, amount);
    this.#owners.release(slot, stage, amount);
    if (stage === Stage.ReassemblyBytes) this.reassemblyBudget.release(amount);
    // Who is alone now may have what was kept for others.
    const isAlone = this.#owners.count === 1 && ownerCount > 1;
    if (stage === Stage.RequestExecution || isAlone) this.#executionListeners.noteReleased();
  }

  #refuse(stage: Stage, reason: RefusalReason, owner: Owner, slot: number, pool: number): Refusal {
    return this.#noteRefused(this.#refusal(stage, reason, slot, pool), owner, slot);
  }

  /** Another server took what this one could have had. */
  #refuseBudget(owner: Owner, slot: number): Refusal {
    const { usedBytes, maxBytes } = this.reassemblyBudget;
    return this.#noteRefused(this.#refusalOf(Stage.ReassemblyBytes, 'Capacity', usedBytes, maxBytes), owner, slot);
  }

  #noteRefused(refusal: Refusal, owner: Owner, slot: number): Refusal {
    this.#refusals.add(refusal.stage, refusal.reason);
    if (slot >= 0) this.#owners.noteRefusal(slot);
    if (refusal.stage === Stage.RequestExecution) this.#executionListeners.noteRefused();
    this.#onRefused?.(refusal, owner, false);
    return refusal;
  }

  #refusal(stage: Stage, reason: RefusalReason, slot: number, pool: number): Refusal {
    switch (reason) {
      case 'InvalidOwner':
        return this.#refusalOf(stage, reason, 0, 0);
      case 'OwnerLimit':
        return this.#refusalOf(stage, reason, this.#owners.usage(slot, stage), this.#limits.of(stage, this.#trustedSlot(slot)));
      case 'OwnerTableFull':
        return this.#refusalOf(stage, reason, this.#owners.count, this.plan.maxTrackedOwners);
      case 'Capacity':
        return this.#refusalOf(stage, reason, this.#usedOf(stage, pool), this.#capacityOf(stage, slot, pool));
    }
  }

  #refusalOf(stage: Stage, reason: RefusalReason, usage: number, limit: number): Refusal {
    return { kind: 'refusal', id: this.#refusalIds.next(), stage, reason, usage, limit };
  }

  /** In use of what the pool could have: its reserve and shared capacity. */
  #usedOf(stage: Stage, pool: number): number {
    return this.#ledger.shared(stage) + Math.min(this.#ledger.ofPool(stage, pool), this.#ledger.reserve(stage, pool));
  }

  #capacityOf(stage: Stage, slot: number, pool: number): number {
    const isBusy = this.#owners.usage(slot, stage) > 0 && this.#owners.count > 1;
    return this.#ledger.sharedCapacity(stage, isBusy) + this.#ledger.reserve(stage, pool);
  }

  #trustedSlot(slot: number): number {
    return slot < this.#owners.trustedCount ? slot : -1;
  }
}
