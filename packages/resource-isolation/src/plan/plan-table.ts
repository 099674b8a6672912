import { isByteStage, type StageName, stageNames } from '../stage.ts';
import type { ResourceIsolationPlan } from './plan.ts';

/** One stage of the start-up table: numbers only, nothing that names a caller. */
export interface PlanRow {
  readonly stage: StageName;
  readonly unit: 'count' | 'bytes';
  readonly total: number;
  readonly shared: number;
  readonly bootstrap: number;
  readonly reconnect: number;
  readonly control: number;
  readonly trusted: number;
  /** Of what is shared. */
  readonly keptForIdleOwners: number;
  readonly ownerHardLimit: number;
  readonly shadow: boolean;
}

/** The limits in use, one row per stage, for the log at start-up. */
export function describePlan(plan: ResourceIsolationPlan): readonly PlanRow[] {
  return plan.stages.map(
    ({ stage, total, shared, bootstrap, reconnect, control, trusted, keptForIdleOwners, ownerHardLimit, isShadow }) => ({
      stage: stageNames[stage] as StageName,
      unit: isByteStage(stage) ? 'bytes' : 'count',
      total,
      shared,
      bootstrap,
      reconnect,
      control,
      trusted,
      keptForIdleOwners,
      ownerHardLimit,
      shadow: isShadow,
    }),
  );
}
