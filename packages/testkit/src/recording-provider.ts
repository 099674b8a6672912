import type {
  CallerEvidence,
  Lease,
  Owner,
  Refusal,
  RefusalReason,
  RequestLeases,
  ResourceIsolationProvider,
} from '@bulkhead/resource-isolation';
import { Stage, stageNames } from '@bulkhead/resource-isolation';

/** Limits of one stage; a missing one doesn't limit. */
export interface RecordedStageLimits {
  readonly total?: number;
  readonly perOwner?: number;
}

type StageName = keyof typeof Stage;

/** One question that was asked, with its answer. */
export interface RecordedAdmission {
  readonly stage: Stage;
  readonly owner: string;
  readonly amount: number;
  readonly refused: RefusalReason | undefined;
}

/** Counts exactly, remembers every question, and refuses where a test wants it. The owner is the address. */
export class RecordingProvider implements ResourceIsolationProvider {
  readonly admissions: RecordedAdmission[] = [];
  readonly #limits: Map<Stage, RecordedStageLimits> = new Map();
  readonly #forced: Map<Stage, RefusalReason> = new Map();
  readonly #used: number[] = stageNames.map(() => 0);
  readonly #usedByOwner: Map<string, number>[] = stageNames.map(() => new Map());
  #refusalCount = 0;

  constructor(limits: Readonly<Partial<Record<StageName, RecordedStageLimits>>> = {}) {
    for (const [name, stageLimits] of Object.entries(limits)) this.setLimits(Stage[name as StageName], stageLimits);
  }

  setLimits(stage: Stage, limits: RecordedStageLimits): void {
    this.#limits.set(stage, limits);
  }

  /** Refuses everything at a stage until called with undefined. */
  refuse(stage: Stage, reason: RefusalReason | undefined): void {
    if (reason === undefined) this.#forced.delete(stage);
    else this.#forced.set(stage, reason);
  }

  classifyIngress(address: string): Owner {
    return { key: `address:${address}`, ownerClass: 'Shared', weight: 1 };
  }

  classify(evidence: CallerEvidence): Owner {
    return evidence.userName === undefined
      ? this.classifyIngress(evidence.address)
      : { key: `user:${evidence.userName}`, ownerClass: 'Shared', weight: 1 };
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    const refusal = this.#check(stage, owner, amount);
    this.admissions.push({ stage, owner: owner.key, amount, refused: refusal?.reason });
    if (refusal !== undefined) return refusal;
    this.#charge(stage, owner.key, amount);
    return new RecordedLease(stage, amount, () => this.#charge(stage, owner.key, -amount));
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    const queue = this.tryAcquire(Stage.RequestQueue, owner, 1);
    if (queue.kind === 'refusal') return queue;
    const retained = this.tryAcquire(Stage.RequestQueueBytes, owner, bytes);
    if (retained.kind === 'refusal') {
      queue[Symbol.dispose]();
      return retained;
    }
    const parked = mayPark ? this.tryAcquire(Stage.ParkedRequest, owner, 1) : undefined;
    if (parked?.kind === 'refusal') {
      retained[Symbol.dispose]();
      queue[Symbol.dispose]();
      return parked;
    }
    return { kind: 'lease', queue, bytes: retained, parked };
  }

  getUsage(stage: Stage): number {
    return this.#used[stage] as number;
  }

  /** Stages in use, by name: empty when everything was given back. */
  get usage(): Readonly<Partial<Record<StageName, number>>> {
    return Object.fromEntries(stageNames.map((name) => [name, this.getUsage(Stage[name])]).filter(([, used]) => used !== 0));
  }

  get trackedOwnerCount(): number {
    return new Set(this.#usedByOwner.flatMap((owners) => [...owners.keys()])).size;
  }

  #check(stage: Stage, owner: Owner, amount: number): Refusal | undefined {
    const forced = this.#forced.get(stage);
    const used = this.#used[stage] as number;
    if (forced !== undefined) return this.#refusal(stage, forced, used, used);
    const { total = Infinity, perOwner = Infinity } = this.#limits.get(stage) ?? {};
    const owned = this.#usedByOwner[stage]?.get(owner.key) ?? 0;
    if (owned + amount > perOwner) return this.#refusal(stage, 'OwnerLimit', owned, perOwner);
    if (used + amount > total) return this.#refusal(stage, 'Capacity', used, total);
    return undefined;
  }

  #refusal(stage: Stage, reason: RefusalReason, usage: number, limit: number): Refusal {
    return { kind: 'refusal', id: ++this.#refusalCount, stage, reason, usage, limit };
  }

  #charge(stage: Stage, key: string, amount: number): void {
    const owners = this.#usedByOwner[stage] as Map<string, number>;
    const owned = (owners.get(key) ?? 0) + amount;
    if (owned === 0) owners.delete(key);
    else owners.set(key, owned);
    this.#used[stage] = (this.#used[stage] as number) + amount;
  }
}

class RecordedLease implements Lease {
  readonly kind = 'lease' as const;
  readonly stage: Stage;
  readonly amount: number;
  #giveBack: (() => void) | undefined;

  constructor(stage: Stage, amount: number, giveBack: () => void) {
    this.stage = stage;
    this.amount = amount;
    this.#giveBack = giveBack;
  }

  [Symbol.dispose](): void {
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    giveBack?.();
  }
}
