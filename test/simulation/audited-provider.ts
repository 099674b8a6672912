import {
  type CallerEvidence,
  type Lease,
  type Owner,
  type Refusal,
  type RefusalReason,
  type RequestLeases,
  type ResourceIsolationPlan,
  type ResourceIsolationProvider,
  Stage,
  stageNames,
} from '@bulkhead/resource-isolation';
import type { Findings } from './findings.ts';
import { type PoolName, poolNameOf, type ReserveModel } from './reserve-model.ts';
import type { Tally } from './tally.ts';

const stages: readonly Stage[] = Object.values(Stage);

/** What of one stage is leased, summed up from the leases themselves. */
class StageAccount {
  total = 0;
  readonly byPool: Map<PoolName, number> = new Map();
  readonly byOwner: Map<string, number> = new Map();
}

/**
 * Stands before a provider and keeps its own books of live leases. Each answer is compared with what the limits say; so a limit
 * that doesn't hold, a reserve that others use and a refusal without a reason are all found where they happen.
 */
export class AuditedProvider implements ResourceIsolationProvider {
  /** Whom the last admitted request was charged to. */
  lastAdmittedOwner: Owner | undefined;
  /** Called before RequestExecution is asked for. */
  onExecutionAsked: () => void = () => undefined;
  readonly #inner: ResourceIsolationProvider;
  readonly #model: ReserveModel;
  readonly #findings: Findings;
  readonly #tally: Tally;
  readonly #accounts: readonly StageAccount[] = stages.map(() => new StageAccount());

  constructor(inner: ResourceIsolationProvider, model: ReserveModel, findings: Findings, tally: Tally) {
    this.#inner = inner;
    this.#model = model;
    this.#findings = findings;
    this.#tally = tally;
  }

  get plan(): ResourceIsolationPlan | undefined {
    return this.#inner.plan;
  }

  get trackedOwnerCount(): number {
    return this.#inner.trackedOwnerCount;
  }

  getUsage(stage: Stage): number {
    return this.#inner.getUsage(stage);
  }

  /** Sum of the live leases. */
  leased(stage: Stage): number {
    return this.#account(stage).total;
  }

  classifyIngress(address: string): Owner {
    return this.#inner.classifyIngress(address);
  }

  classify(evidence: CallerEvidence): Owner {
    return this.#inner.classify(evidence);
  }

  classifyOn(channel: object, activation: object | undefined, evidence: CallerEvidence): Owner {
    return this.#inner.classifyOn?.(channel, activation, evidence) ?? this.#inner.classify(evidence);
  }

  channelClosed(channel: object): void {
    this.#inner.channelClosed?.(channel);
  }

  onCapacity(listener: () => void): Disposable {
    return this.#inner.onCapacity?.(listener) ?? { [Symbol.dispose]: () => undefined };
  }

  /** Whether the limits leave room for this. */
  hasRoom(stage: Stage, owner: Owner, amount: number): boolean {
    return this.#expect(stage, owner, amount) === undefined;
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    if (stage === Stage.RequestExecution) this.onExecutionAsked();
    const expected = this.#expect(stage, owner, amount);
    const answer = this.#inner.tryAcquire(stage, owner, amount);
    if (answer.kind === 'refusal') {
      this.#compare(stage, owner, amount, expected, answer.reason);
      return answer;
    }
    this.#compare(stage, owner, amount, expected, undefined);
    return this.#open(answer, owner);
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    const wanted: readonly (readonly [Stage, number])[] = [
      [Stage.RequestQueue, 1],
      [Stage.RequestQueueBytes, bytes],
      ...(mayPark ? [[Stage.ParkedRequest, 1] as const] : []),
    ];
    const [stage, amount] = wanted.find(([each, needed]) => this.#expect(each, owner, needed) !== undefined) ?? [Stage.RequestQueue, 1];
    const expected = this.#expect(stage, owner, amount);
    const answer = this.#inner.tryAdmitRequest(owner, bytes, mayPark);
    if (answer.kind === 'refusal') {
      this.#compare(answer.stage, owner, amount, answer.stage === stage ? expected : undefined, answer.reason);
      return answer;
    }
    this.#compare(stage, owner, amount, expected, undefined);
    this.lastAdmittedOwner = owner;
    return {
      kind: 'lease',
      queue: this.#open(answer.queue, owner),
      bytes: this.#open(answer.bytes, owner),
      parked: answer.parked === undefined ? undefined : this.#open(answer.parked, owner),
    };
  }

  /** Compares the provider's counters with the leases, and the leases with the limits. */
  check(): void {
    for (const stage of stages) {
      const { total } = this.#account(stage);
      const usage = this.#inner.getUsage(stage);
      if (usage !== total) this.#findings.report(`${stageNames[stage]} reads ${usage}, but leases of ${total} live`);
      if (total > this.#model.total(stage)) this.#findings.report(`${stageNames[stage]}: ${total} of ${this.#model.total(stage)}`);
      const shared = this.#sharedUsage(stage, undefined, 0);
      if (shared > this.#model.shared(stage)) {
        this.#findings.report(`${stageNames[stage]}: ${shared} of ${this.#model.shared(stage)} shared, the rest is others' reserve`);
      }
    }
  }

  #expect(stage: Stage, owner: Owner, amount: number): RefusalReason | undefined {
    const limit = this.#model.ownerLimit(stage, owner);
    if (limit === undefined) return 'InvalidOwner';
    const own = this.#account(stage).byOwner.get(nameOf(owner)) ?? 0;
    if (own + amount > limit) return 'OwnerLimit';
    const used = this.#sharedUsage(stage, poolNameOf(stage, owner), amount);
    // What fits into the owner's reserve takes nothing that is shared.
    if (used === this.#sharedUsage(stage, undefined, 0)) return undefined;
    const kept = own > 0 && this.trackedOwnerCount > 1 ? this.#model.keptForIdleOwners(stage) : 0;
    return used > this.#model.shared(stage) - kept ? 'Capacity' : undefined;
  }

  /** What is used of shared capacity: all that doesn't fit into reserves. @param amount is added to `pool`. */
  #sharedUsage(stage: Stage, pool: PoolName | undefined, amount: number): number {
    const { byPool } = this.#account(stage);
    let shared = pool === undefined || byPool.has(pool) ? 0 : Math.max(0, amount - this.#model.reserve(stage, pool));
    for (const [name, used] of byPool) {
      shared += Math.max(0, used + (name === pool ? amount : 0) - this.#model.reserve(stage, name));
    }
    return shared;
  }

  #compare(stage: Stage, owner: Owner, amount: number, expected: RefusalReason | undefined, actual: RefusalReason | undefined): void {
    if (actual !== undefined) this.#tally.add(`refusal ${stageNames[stage]} ${actual}`);
    if (expected === actual) return;
    if (actual === 'OwnerTableFull' && this.trackedOwnerCount > 0) return;
    this.#findings.report(
      `${stageNames[stage]}: ${amount} for ${nameOf(owner)} was ${actual ?? 'granted'}, but should be ${expected ?? 'granted'}`,
    );
  }

  #open(lease: Lease, owner: Owner): Lease {
    const pool = poolNameOf(lease.stage, owner);
    this.#book(lease, pool, nameOf(owner), lease.amount);
    return new AuditedLease(lease, () => this.#book(lease, pool, nameOf(owner), -lease.amount));
  }

  #book({ stage }: Lease, pool: PoolName, owner: string, amount: number): void {
    const account = this.#account(stage);
    account.total += amount;
    add(account.byPool, pool, amount);
    add(account.byOwner, owner, amount);
  }

  #account(stage: Stage): StageAccount {
    return this.#accounts[stage] as StageAccount;
  }
}

class AuditedLease implements Lease {
  readonly kind = 'lease';
  readonly stage: Stage;
  readonly amount: number;
  readonly #inner: Lease;
  #close: (() => void) | undefined;

  constructor(inner: Lease, close: () => void) {
    this.stage = inner.stage;
    this.amount = inner.amount;
    this.#inner = inner;
    this.#close = close;
  }

  get isShared(): boolean {
    return this.#inner.isShared !== false;
  }

  [Symbol.dispose](): void {
    this.#close?.();
    this.#close = undefined;
    this.#inner[Symbol.dispose]();
  }
}

/** Tells owners apart: one key may come in several classes. */
export function nameOf({ ownerClass, key }: Owner): string {
  return `${ownerClass}/${key}`;
}

function add(amounts: Map<string, number>, key: string, amount: number): void {
  const sum = (amounts.get(key) ?? 0) + amount;
  if (sum === 0) amounts.delete(key);
  else amounts.set(key, sum);
}
