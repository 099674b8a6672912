import type { ChunkReassemblyBudget } from './chunk-reassembly-budget.ts';
import type { Lease, Refusal, RequestLeases } from './lease.ts';
import type { CallerEvidence, Owner, OwnerClass, ProtectedWork } from './owner.ts';
import type { ResourceIsolationPlan } from './plan/plan.ts';
import type { RefusalListener, ResourceIsolationProvider, ResourceIsolationReassemblyProvider } from './provider.ts';
import { RefusalIds } from './refusal-ids.ts';
import { Stage } from './stage.ts';

/** What goes with a budget around a provider. */
export interface ReassemblyBudgetOptions {
  /** Told of what the budget refuses; what the provider refuses it tells itself. */
  readonly onRefused?: RefusalListener | undefined;
  /** Those of the provider, so that no id comes twice. */
  readonly refusalIds?: RefusalIds;
}

/**
 * Has ReassemblyBytes charged to `budget` too, whatever the provider does: its total always holds. The rule that channels without
 * an activated Session may use only `maxBytesWithoutSession` holds unless the provider is a `ResourceIsolationReassemblyProvider`.
 * @returns `provider` itself if it charges this budget already.
 */
export function withReassemblyBudget(
  provider: ResourceIsolationProvider | ResourceIsolationReassemblyProvider,
  budget: ChunkReassemblyBudget,
  options: ReassemblyBudgetOptions = {},
): ResourceIsolationProvider {
  const { replacesSessionlessRule = false, reassemblyBudget } = provider as Partial<ResourceIsolationReassemblyProvider>;
  if (reassemblyBudget === budget) return provider;
  return new BudgetedResourceIsolationProvider(provider, budget, replacesSessionlessRule, options);
}

class BudgetedResourceIsolationProvider implements ResourceIsolationProvider {
  readonly #inner: ResourceIsolationProvider;
  readonly #budget: ChunkReassemblyBudget;
  readonly #everybodyMayUseAll: boolean;
  readonly #onRefused: RefusalListener | undefined;
  readonly #refusalIds: RefusalIds;
  /** So that an owner that the provider inside gives again is the same here. */
  readonly #sessionOwners: WeakMap<Owner, SessionBoundOwner> = new WeakMap();
  /** Only where the provider inside has it: whoever waits has to know whether anybody will call. */
  readonly onCapacity?: NonNullable<ResourceIsolationProvider['onCapacity']>;

  constructor(
    inner: ResourceIsolationProvider,
    budget: ChunkReassemblyBudget,
    everybodyMayUseAll: boolean,
    options: ReassemblyBudgetOptions,
  ) {
    this.#inner = inner;
    this.#budget = budget;
    this.#everybodyMayUseAll = everybodyMayUseAll;
    this.#onRefused = options.onRefused;
    this.#refusalIds = options.refusalIds ?? new RefusalIds();
    if (inner.onCapacity !== undefined) this.onCapacity = inner.onCapacity.bind(inner);
  }

  get trackedOwnerCount(): number {
    return this.#inner.trackedOwnerCount;
  }

  get plan(): ResourceIsolationPlan | undefined {
    return this.#inner.plan;
  }

  getUsage(stage: Stage): number {
    return this.#inner.getUsage(stage);
  }

  classifyIngress(address: string): Owner {
    return this.#inner.classifyIngress(address);
  }

  classify(evidence: CallerEvidence): Owner {
    return this.#withSession(this.#inner.classify(evidence), evidence);
  }

  classifyOn(channel: object, activation: object | undefined, evidence: CallerEvidence): Owner {
    return this.#withSession(this.#inner.classifyOn?.(channel, activation, evidence) ?? this.#inner.classify(evidence), evidence);
  }

  channelClosed(channel: object): void {
    this.#inner.channelClosed?.(channel);
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    const lease = this.#inner.tryAcquire(stage, unwrapped(owner), amount);
    if (stage !== Stage.ReassemblyBytes || lease.kind === 'refusal') return lease;
    const mayUseAll = this.#everybodyMayUseAll || owner.isSessionBound === true;
    if (this.#budget.tryReserve(amount, mayUseAll)) return new BudgetedLease(lease, this.#budget);
    lease[Symbol.dispose]();
    return this.#refuse(owner, mayUseAll);
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    return this.#inner.tryAdmitRequest(unwrapped(owner), bytes, mayPark);
  }

  #withSession(owner: Owner, evidence: CallerEvidence): Owner {
    if (!evidence.hasActivatedSession || this.#everybodyMayUseAll) return owner;
    const known = this.#sessionOwners.get(owner);
    if (known !== undefined) return known;
    const bound = new SessionBoundOwner(owner);
    this.#sessionOwners.set(owner, bound);
    return bound;
  }

  #refuse(owner: Owner, mayUseAll: boolean): Refusal {
    const refusal: Refusal = {
      kind: 'refusal',
      id: this.#refusalIds.next(),
      stage: Stage.ReassemblyBytes,
      reason: 'Capacity',
      usage: this.#budget.usedBytes,
      limit: this.#budget.limitFor(mayUseAll),
    };
    this.#onRefused?.(refusal, unwrapped(owner), false);
    return refusal;
  }
}

/** An owner of the provider inside, whose channel carries an activated Session. */
class SessionBoundOwner implements Owner {
  readonly key: string;
  readonly ownerClass: OwnerClass;
  readonly weight: number;
  readonly isSessionBound = true;
  readonly work: ProtectedWork | undefined;
  /** What the provider inside knows it by. */
  readonly inner: Owner;

  constructor(inner: Owner) {
    this.key = inner.key;
    this.ownerClass = inner.ownerClass;
    this.weight = inner.weight;
    this.work = inner.work;
    this.inner = inner;
  }
}

function unwrapped(owner: Owner): Owner {
  return owner instanceof SessionBoundOwner ? owner.inner : owner;
}

class BudgetedLease implements Lease {
  readonly kind = 'lease';
  readonly stage: Stage;
  readonly amount: number;
  readonly #inner: Lease;
  readonly #budget: ChunkReassemblyBudget;
  #isHeld = true;

  constructor(inner: Lease, budget: ChunkReassemblyBudget) {
    this.stage = inner.stage;
    this.amount = inner.amount;
    this.#inner = inner;
    this.#budget = budget;
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#budget.release(this.amount);
    this.#inner[Symbol.dispose]();
  }
}
