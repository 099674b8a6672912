import { type Owner, type ResourceIsolationPlan, Stage } from '@bulkhead/resource-isolation';

/** Whose reserve a charge may use: `Shared` has none. */
export type PoolName = string;

/** The limits that a provider was told, looked at the simple way. */
export interface ReserveModel {
  total(stage: Stage): number;
  /** What everybody may use. */
  shared(stage: Stage): number;
  /** Part of `shared` that an owner with something in use can't have unless it is alone. */
  keptForIdleOwners(stage: Stage): number;
  /** What is kept for a pool. */
  reserve(stage: Stage, pool: PoolName): number;
  /** Most that this owner may have; undefined for one that may have nothing. */
  ownerLimit(stage: Stage, owner: Owner): number | undefined;
  readonly maxTrackedOwners: number;
}

const DEFAULT_MAX_TRACKED_OWNERS = 4096;

/** One total for all. */
export function modelOfTotals(totals: Readonly<Record<keyof typeof Stage, number>>): ReserveModel {
  const names = Object.keys(Stage) as (keyof typeof Stage)[];
  const total = (stage: Stage): number => totals[names[stage] as keyof typeof Stage];
  return {
    total,
    shared: total,
    keptForIdleOwners: () => 0,
    reserve: () => 0,
    ownerLimit: () => Infinity,
    maxTrackedOwners: DEFAULT_MAX_TRACKED_OWNERS,
  };
}

export function modelOfPlan(plan: ResourceIsolationPlan): ReserveModel {
  const trusted = (key: string): (typeof plan.trustedOwners)[number] | undefined => plan.trustedOwners.find((owner) => owner.key === key);
  return {
    total: (stage) => plan.getStage(stage).total,
    shared: (stage) => plan.getStage(stage).shared,
    keptForIdleOwners: (stage) => plan.getStage(stage).keptForIdleOwners,
    reserve: (stage, pool) => {
      const { bootstrap, reconnect, control } = plan.getStage(stage);
      if (pool === 'Bootstrap') return bootstrap;
      if (pool === 'Reconnect') return reconnect;
      if (pool === 'Control') return control;
      return trusted(pool.slice(TRUSTED.length))?.reserved[stage] ?? 0;
    },
    ownerLimit: (stage, { key, ownerClass }) =>
      ownerClass === 'Trusted' ? trusted(key)?.hardLimits[stage] : plan.getStage(stage).ownerHardLimit,
    maxTrackedOwners: plan.maxTrackedOwners,
  };
}

const TRUSTED = 'Trusted/';

/** RI-04: protected classes use their own reserve first; a live Session opens one for some kinds of work. */
export function poolNameOf(stage: Stage, { ownerClass, key, isSessionBound, work }: Owner): PoolName {
  if (ownerClass === 'Trusted') return TRUSTED + key;
  if (ownerClass !== 'Shared') return ownerClass;
  if (stage === Stage.ReassemblyBytes && isSessionBound === true) return 'Reconnect';
  const isDecoded = stage >= Stage.RequestQueue && stage <= Stage.RequestExecution;
  if (work === 'Control' && isDecoded) return 'Control';
  if (work === 'Reconnect' && (isDecoded || stage === Stage.SessionEstablishment)) return 'Reconnect';
  return 'Shared';
}
