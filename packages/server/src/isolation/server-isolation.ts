import {
  DefaultResourceIsolationProvider,
  isByteStage,
  type Owner,
  type OwnerClass,
  type PlanRow,
  type RefusalReason,
  type ResourceIsolationPlan,
  type ResourceIsolationProvider,
  type RetainedBytesLedger,
  Stage,
  type StageName,
  stageNames,
} from '@bulkhead/resource-isolation';
import type { RefusalEntry, RefusalLog } from './refusal-log.ts';

/** One stage: what is in use, and the limits where they are known (an own provider need not tell). */
export interface StageUsage extends Partial<PlanRow> {
  readonly stage: StageName;
  readonly unit: 'count' | 'bytes';
  readonly used: number;
}

/** A caller that has something in use, or had requests lately. */
export interface OwnerReport {
  readonly key: string;
  readonly ownerClass: OwnerClass;
  /** In use, by stage. */
  readonly usage: Readonly<Record<StageName, number>>;
  /** Refused since it has had something in use without a break. */
  readonly refusalCount: number;
  /** How long its requests have held the event loop, ms. */
  readonly executionMs: number;
}

/** What operators see of how callers are kept apart. */
export interface IsolationReport {
  /** The limits in use; undefined in mode SharedOnly, and with a provider that has no plan. */
  readonly plan: ResourceIsolationPlan | undefined;
  /** Callers with something in use. */
  readonly trackedOwnerCount: number;
  /** What shadow mode let through so far, though it would have been refused. */
  readonly shadowRefusals: number;
  /** What is kept for callers when their requests are done: queued values, sent messages, continuation points, unsent responses. */
  readonly retained: RetainedBytesReport;
  /** All stages, in the order a request meets them. */
  usage(): readonly StageUsage[];
  /** For people, not for metrics. Without `usage` and `refusalCount` where the provider doesn't keep them per owner. */
  owners(): readonly OwnerReport[];
  /** The last refusals, the oldest first. @param ownerKey of one owner only. */
  refusals(ownerKey?: string): readonly RefusalEntry[];
  /** Refused so far; 0 with an own provider, unless it is a `DefaultResourceIsolationProvider`. */
  refusalCount(stage: Stage, reason: RefusalReason): number;
}

/** Bytes kept for callers. */
export interface RetainedBytesReport {
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
  /** Kept for all callers now. */
  readonly usedBytes: number;
  /** Kept for one caller now. */
  ofOwner(key: string): number;
}

/** What requests of an owner cost. */
export interface OwnerTime {
  readonly owner: Owner;
  readonly executionMs: number;
}

export interface ServerIsolationParts {
  /** What everybody asks. */
  readonly provider: ResourceIsolationProvider;
  /** What is asked about owners: `provider`, or what is inside of it. */
  readonly accounts: ResourceIsolationProvider;
  readonly limits: readonly PlanRow[] | undefined;
  readonly refusals: RefusalLog;
  readonly retained: RetainedBytesLedger;
  readonly ownerTimes: () => Iterable<OwnerTime>;
  /** Ended with the server; undefined for what the host gave. */
  readonly owned: Disposable | undefined;
}

/** The provider of one server, and what is known of it. */
export class ServerIsolation implements IsolationReport, Disposable {
  readonly provider: ResourceIsolationProvider;
  readonly #parts: ServerIsolationParts;

  constructor(parts: ServerIsolationParts) {
    this.provider = parts.provider;
    this.#parts = parts;
  }

  get plan(): ResourceIsolationPlan | undefined {
    return this.provider.plan;
  }

  get retained(): RetainedBytesLedger {
    return this.#parts.retained;
  }

  get trackedOwnerCount(): number {
    return this.provider.trackedOwnerCount;
  }

  get shadowRefusals(): number {
    return this.#parts.refusals.shadowCount;
  }

  usage(): readonly StageUsage[] {
    return stageNames.map((stage) => ({
      stage,
      unit: isByteStage(Stage[stage]) ? 'bytes' : 'count',
      used: this.provider.getUsage(Stage[stage]),
      ...this.#parts.limits?.[Stage[stage]],
    }));
  }

  owners(): readonly OwnerReport[] {
    const { accounts, ownerTimes } = this.#parts;
    const reports = new Map<string, OwnerReport>();
    if (accounts instanceof DefaultResourceIsolationProvider) {
      for (const { key, ownerClass, usage, refusalCount } of accounts.ownerUsages()) {
        reports.set(reportKey(key, ownerClass), { key, ownerClass, usage: byStageName(usage), refusalCount, executionMs: 0 });
      }
    }
    for (const { owner, executionMs } of ownerTimes()) {
      const { key, ownerClass } = owner;
      const known = reports.get(reportKey(key, ownerClass)) ?? { key, ownerClass, usage: byStageName([]), refusalCount: 0 };
      reports.set(reportKey(key, ownerClass), { ...known, executionMs });
    }
    return [...reports.values()];
  }

  refusals(ownerKey?: string): readonly RefusalEntry[] {
    return this.#parts.refusals.entries(ownerKey);
  }

  refusalCount(stage: Stage, reason: RefusalReason): number {
    const { accounts, refusals } = this.#parts;
    return accounts instanceof DefaultResourceIsolationProvider ? accounts.getRefusalCount(stage, reason) : refusals.count(stage, reason);
  }

  [Symbol.dispose](): void {
    this.#parts.owned?.[Symbol.dispose]();
  }
}

function byStageName(usage: readonly number[]): Readonly<Record<StageName, number>> {
  return Object.fromEntries(stageNames.map((name) => [name, usage[Stage[name]] ?? 0])) as Record<StageName, number>;
}

/** One key may come in several classes. */
function reportKey(key: string, ownerClass: OwnerClass): string {
  return `${ownerClass} ${key}`;
}
