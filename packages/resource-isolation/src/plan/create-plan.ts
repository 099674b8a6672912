import { checkInteger, ResourceIsolationOptionsError } from '../options-error.ts';
import type { OwnerClass } from '../owner.ts';
import { Stage, stages } from '../stage.ts';
import type { ResourceIsolationOptions } from './options.ts';
import { ResourceIsolationPlan, reservedEntries, type StagePlan } from './plan.ts';
import { planStage, planTrustedOwner } from './plan-stage.ts';
import { type Profile, resolveProfile } from './profile.ts';
import {
  type MessageLimits,
  type ResolvedMessageLimits,
  resolveMessageLimits,
  resolveServerLimits,
  type ServerLimits,
} from './server-limits.ts';
import { resolveReserves, type StageReserves } from './stage-reserves.ts';
import { reassemblyTotal, stageTotal } from './stage-totals.ts';

/** Arrays and pool rounding keep alive up to this many times a message and its last chunk. */
const RETAINED_FACTOR = 4;

/** How ReassemblyBytes is divided; nothing is said of the other stages. */
export interface ReassemblyPlan {
  readonly maxRetainedMessageBytes: number;
  readonly reassembly: StagePlan;
}

/**
 * Divides a server's limits among its callers, for every mode: SharedOnly gets a finite plan without reserves too.
 * Nothing is made to fit: what doesn't is an error.
 * @throws ResourceIsolationOptionsError naming the option or the limit.
 */
export function createRuntimePlan(limits: ServerLimits, options: ResourceIsolationOptions = {}): ResourceIsolationPlan {
  const profile = resolveProfile(options);
  const resolved = resolveServerLimits(limits);
  const maxRetainedMessageBytes = retainedBytes(profile, resolved);
  const reserves: StageReserves[] = [];
  const stagePlans = stages.map((stage) => {
    const unit = unitOf(stage, resolved, maxRetainedMessageBytes);
    const stageReserves = resolveReserves(stage, profile, unit);
    reserves.push(stageReserves);
    const base = stageTotal(stage, resolved, stageReserves.sum);
    // A client that replaces its connection needs one more than there are Sessions (OPC 10000-4 §5.6.2).
    const minShared = stage === Stage.Connection ? resolved.maxSessionCount + 1 : unit;
    const minSharedReason = stage === Stage.Connection ? 'maxSessionCount + 1 shared' : `${unit} shared`;
    return planStage({ stage, profile, unit, reserves: stageReserves, base, minShared, minSharedReason });
  });
  checkOwnerTable(profile, stagePlans);
  return new ResourceIsolationPlan({
    ...profile,
    stages: stagePlans,
    trustedOwners: profile.trustedOwners.map((owner, at) => planTrustedOwner(owner, at, profile, stagePlans, reserves)),
    maxRetainedMessageBytes,
  });
}

/**
 * Sizes ReassemblyBytes only; `createRuntimePlan` makes the whole plan.
 * @throws ResourceIsolationOptionsError naming the option or the limit.
 */
export function createPlan(limits: MessageLimits, options: ResourceIsolationOptions = {}): ReassemblyPlan {
  const profile = resolveProfile(options);
  const resolved = resolveMessageLimits(limits);
  const unit = retainedBytes(profile, resolved);
  const stage = Stage.ReassemblyBytes;
  const reserves = resolveReserves(stage, profile, unit);
  const base = reassemblyTotal(resolved.reassemblyBytes);
  const reassembly = planStage({ stage, profile, unit, reserves, base, minShared: unit, minSharedReason: `${unit} shared` });
  return { maxRetainedMessageBytes: unit, reassembly };
}

function retainedBytes(profile: Profile, limits: ResolvedMessageLimits): number {
  const bytes = profile.maxRetainedMessageBytes ?? RETAINED_FACTOR * (limits.maxMessageSize + limits.maxBufferSize);
  return checkInteger('maxRetainedMessageBytes', bytes, 1);
}

function unitOf(stage: Stage, limits: ResolvedMessageLimits, maxRetainedMessageBytes: number): number {
  if (stage === Stage.ReassemblyBytes) return maxRetainedMessageBytes;
  return stage === Stage.RequestQueueBytes ? limits.maxMessageSize : 1;
}

const protectedClasses: readonly OwnerClass[] = ['Bootstrap', 'Reconnect', 'Control'];

/** One entry for shared traffic, one for each protected class in use, one for each trusted owner. */
function checkOwnerTable(profile: Profile, stagePlans: readonly StagePlan[]): void {
  const classes = protectedClasses.reduce((sum, ownerClass) => sum + reservedEntries(ownerClass, stagePlans), 0);
  const needed = 1 + classes + profile.trustedOwners.length;
  if (profile.maxTrackedOwners >= needed) return;
  throw new ResourceIsolationOptionsError('maxTrackedOwners', `at least ${needed} entries`, profile.maxTrackedOwners);
}
