import type { ChunkReassemblyBudget } from './chunk-reassembly-budget.ts';
import type { Lease, Refusal, RequestLeases } from './lease.ts';
import type { CallerEvidence, Owner, OwnerClass, ProtectedWork } from './owner.ts';
import type { ResourceIsolationPlan } from './plan/plan.ts';
import type { ResourceIsolationProvider, ResourceIsolationReassemblyProvider } from './provider.ts';
import { Stage } from './stage.ts';

/**
 * Has ReassemblyBytes charged to `budget` too, whatever the provider does: its total always holds. The rule that channels without
 * an activated Session may use only `maxBytesWithoutSession` holds unless the provider is a `ResourceIsolationReassemblyProvider`.
 * @returns `provider` itself if it charges this budget already.
 */
export function withReassemblyBudget(
  provider: ResourceIsolationProvider | ResourceIsolationReassemblyProvider,
  budget: ChunkReassemblyBudget,
): ResourceIsolationProvider {
  const { replacesSessionlessRule = false, reassemblyBudget } = provider as Partial<ResourceIsolationReassemblyProvider>;
  if (reassemblyBudget === budget) return provider;
  return new BudgetedResourceIsolationProvider(provider, budget, replacesSessionlessRule);
}

class BudgetedResourceIsolationProvider implements ResourceIsolationProvider {
  readonly #inner: ResourceIsolationProvider;
  readonly #budget: ChunkReassemblyBudget;
  readonly #everybodyMayUseAll: boolean;

  constructor(inner: ResourceIsolationProvider, budget: ChunkReassemblyBudget, everybodyMayUseAll: boolean) {
    this.#inner = inner;
    this.#budget = budget;
    this.#everybodyMayUseAll = everybodyMayUseAll;
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
    const owner = this.#inner.classify(evidence);
    return evidence.hasActivatedSession && !this.#everybodyMayUseAll ? new SessionBoundOwner(owner) : owner;
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    const lease = this.#inner.tryAcquire(stage, unwrapped(owner), amount);
    if (stage !== Stage.ReassemblyBytes || lease.kind === 'refusal') return lease;
    const mayUseAll = this.#everybodyMayUseAll || owner.isSessionBound === true;
    if (this.#budget.tryReserve(amount, mayUseAll)) return new BudgetedLease(lease, this.#budget);
    lease[Symbol.dispose]();
    return { kind: 'refusal', stage, reason: 'Capacity', usage: this.#budget.usedBytes, limit: this.#budget.limitFor(mayUseAll) };
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    return this.#inner.tryAdmitRequest(unwrapped(owner), bytes, mayPark);
  }

  onCapacity(listener: () => void): Disposable {
    return this.#inner.onCapacity?.(listener) ?? { [Symbol.dispose]: () => {} };
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
