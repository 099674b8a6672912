import { checkInteger, ResourceIsolationOptionsError } from '../options-error.ts';
import { Stage, stageNames } from '../stage.ts';
import type { StagePlan, TrustedOwnerPlan } from './plan.ts';
import type { Profile, TrustedOwnerEntry } from './profile.ts';
import type { StageReserves } from './stage-reserves.ts';
import type { StageTotal } from './stage-totals.ts';

/** One of so many shared slots is kept for owners with nothing running. */
const IDLE_OWNERS_PART = 8;

/** What one stage is planned from. */
export interface StageParts {
  readonly stage: Stage;
  readonly profile: Profile;
  readonly unit: number;
  readonly reserves: StageReserves;
  readonly base: StageTotal;
  /** Least that has to be left for everybody, and why. */
  readonly minShared: number;
  readonly minSharedReason: string;
}

/** @throws ResourceIsolationOptionsError naming the option, or the server's limit, that has to change. */
export function planStage(parts: StageParts): StagePlan {
  const { stage, profile, unit, reserves, base, minShared, minSharedReason } = parts;
  const entry = profile.stages[stage];
  const given = entry?.option.capacity;
  const ceiling = checkInteger(base.source, base.total, 1);
  const total = given === undefined ? ceiling : checkInteger(`${entry?.path}.capacity`, given, 1, ceiling);
  const shared = total - reserves.sum;
  if (!(shared >= minShared)) {
    const expected = `${stageNames[stage]} of at least ${minShared + reserves.sum} (${reserves.sum} reserved, ${minSharedReason})`;
    throw new ResourceIsolationOptionsError(given === undefined ? base.source : `${entry?.path}.capacity`, expected, total);
  }
  const hardLimit = entry?.option.ownerHardLimit;
  return {
    stage,
    total,
    shared,
    bootstrap: reserves.bootstrap,
    reconnect: reserves.reconnect,
    control: reserves.control,
    trusted: reserves.trusted.reduce((sum, reserve) => sum + reserve, 0),
    keptForIdleOwners: keptForIdleOwners(parts, shared),
    ownerHardLimit: hardLimit === undefined ? total : checkInteger(`${entry?.path}.ownerHardLimit`, hardLimit, unit, total),
    unit,
    ceiling,
    isShadow: entry?.option.shadow ?? false,
  };
}

/**
 * Only where requests wait for room: elsewhere whoever has something in use would be refused while there is room.
 * @throws ResourceIsolationOptionsError for another stage or mode, or when nothing would be left for owners that run something.
 */
function keptForIdleOwners({ stage, profile }: StageParts, shared: number): number {
  const entry = profile.stages[stage];
  const given = entry?.option.keptForIdleOwners;
  if (stage === Stage.RequestExecution && profile.hasClassReserves) {
    return given === undefined
      ? Math.floor(shared / IDLE_OWNERS_PART)
      : checkInteger(`${entry?.path}.keptForIdleOwners`, given, 0, shared - 1);
  }
  if (given === undefined || given === 0) return 0;
  const where = profile.hasClassReserves ? `at stage ${stageNames[stage]}` : `in mode ${profile.mode}`;
  throw new ResourceIsolationOptionsError(`${entry?.path}.keptForIdleOwners`, `nothing kept ${where}`, given);
}

/** @param reserves by stage. */
export function planTrustedOwner(
  owner: TrustedOwnerEntry,
  at: number,
  profile: Profile,
  stagePlans: readonly StagePlan[],
  reserves: readonly StageReserves[],
): TrustedOwnerPlan {
  const reserved = reserves.map(({ trusted }) => trusted[at] as number);
  return {
    key: owner.option.key,
    weight: owner.weight,
    reserved,
    hardLimits: stagePlans.map((stagePlan) => trustedHardLimit(owner, stagePlan, profile, reserved[stagePlan.stage] as number)),
    isShadow: owner.option.shadow ?? false,
  };
}

function trustedHardLimit(owner: TrustedOwnerEntry, plan: StagePlan, profile: Profile, reserved: number): number {
  const reservation = owner.reservations[plan.stage];
  const given = reservation?.option.hardLimit;
  if (given !== undefined) return checkInteger(`${reservation?.path}.hardLimit`, given, Math.max(reserved, plan.unit), plan.total);
  const hasOwnerLimit = profile.stages[plan.stage]?.option.ownerHardLimit !== undefined;
  return hasOwnerLimit ? Math.max(plan.ownerHardLimit, reserved) : reserved + plan.shared;
}
