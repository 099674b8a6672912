import type { OwnerClass } from '../owner.ts';
import { Stage, type StageName } from '../stage.ts';
import type { ResourceIsolationMode } from './options.ts';

/** The limits of one stage: operations, or bytes for the byte stages. */
export interface StagePlan {
  readonly stage: Stage;
  /** Everything, reserves included. */
  readonly total: number;
  /** What is left for everybody after all reserves. */
  readonly shared: number;
  readonly bootstrap: number;
  readonly reconnect: number;
  readonly control: number;
  /** Reserves of all trusted owners together. */
  readonly trusted: number;
  /** Part of what is shared that only owners with nothing in use here may take, while there are several owners. */
  readonly keptForIdleOwners: number;
  /** Most that one ordinary owner may have. */
  readonly ownerHardLimit: number;
  /** The smallest reserve that is any use: one operation, or one message of maximum size. */
  readonly unit: number;
  /** Total before `capacity` lowered it: what holds even in shadow mode. */
  readonly ceiling: number;
  /** What isolation adds here is only counted. */
  readonly isShadow: boolean;
}

/** What one trusted owner has. */
export interface TrustedOwnerPlan {
  readonly key: string;
  /** Turns per round. */
  readonly weight: number;
  /** Kept for it, by stage. */
  readonly reserved: readonly number[];
  /** Most it may have, by stage. */
  readonly hardLimits: readonly number[];
  /** Its hard limits are only counted. */
  readonly isShadow: boolean;
}

/** Everything a provider goes by, checked and immutable. */
export interface PlanData {
  readonly mode: ResourceIsolationMode;
  /** By stage number. */
  readonly stages: readonly StagePlan[];
  readonly trustedOwners: readonly TrustedOwnerPlan[];
  readonly maxTrackedOwners: number;
  readonly maxOwnerKeyLength: number;
  readonly defaultWeight: number;
  readonly handshakeTimeoutMs: number;
  readonly maxRetainedMessageBytes: number;
  readonly ipv6PrefixLength: number;
  readonly shadowOwners: readonly string[];
}

/** The limits of a server, divided among its classes of caller. Made by `createRuntimePlan`. */
export class ResourceIsolationPlan implements PlanData {
  readonly mode: ResourceIsolationMode;
  readonly stages: readonly StagePlan[];
  readonly trustedOwners: readonly TrustedOwnerPlan[];
  readonly maxTrackedOwners: number;
  readonly maxOwnerKeyLength: number;
  readonly defaultWeight: number;
  readonly handshakeTimeoutMs: number;
  readonly maxRetainedMessageBytes: number;
  readonly ipv6PrefixLength: number;
  readonly shadowOwners: readonly string[];

  constructor(data: PlanData) {
    this.mode = data.mode;
    this.stages = data.stages;
    this.trustedOwners = data.trustedOwners;
    this.maxTrackedOwners = data.maxTrackedOwners;
    this.maxOwnerKeyLength = data.maxOwnerKeyLength;
    this.defaultWeight = data.defaultWeight;
    this.handshakeTimeoutMs = data.handshakeTimeoutMs;
    this.maxRetainedMessageBytes = data.maxRetainedMessageBytes;
    this.ipv6PrefixLength = data.ipv6PrefixLength;
    this.shadowOwners = data.shadowOwners;
  }

  getStage(stage: Stage | StageName): StagePlan {
    return this.stages[typeof stage === 'string' ? Stage[stage] : stage] as StagePlan;
  }

  /** Entries of the owner table that only this class may take; trusted owners have theirs besides. */
  reservedEntries(ownerClass: OwnerClass): number {
    return reservedEntries(ownerClass, this.stages);
  }
}

/** One per class that has a reserve anywhere. */
export function reservedEntries(ownerClass: OwnerClass, stages: readonly StagePlan[]): number {
  return stages.some((stage) => reserveOf(ownerClass, stage) > 0) ? 1 : 0;
}

function reserveOf(ownerClass: OwnerClass, stage: StagePlan): number {
  switch (ownerClass) {
    case 'Bootstrap':
      return stage.bootstrap;
    case 'Reconnect':
      return stage.reconnect;
    case 'Control':
      return stage.control;
    case 'Shared':
    case 'Trusted':
      return 0;
  }
}
