import type { ResourceIsolationPlan } from '../plan/plan.ts';
import { type Stage, stages } from '../stage.ts';

/** How much one owner may have of each stage, and whose limits are only counted. */
export class HardLimits {
  readonly #ordinary: readonly number[];
  readonly #trusted: readonly (readonly number[])[];
  readonly #shadowOwners: ReadonlySet<string>;
  readonly #shadowTrusted: ReadonlySet<string>;

  constructor(plan: ResourceIsolationPlan) {
    this.#ordinary = stages.map((stage) => plan.getStage(stage).ownerHardLimit);
    this.#trusted = plan.trustedOwners.map(({ hardLimits }) => hardLimits);
    this.#shadowOwners = new Set(plan.shadowOwners);
    this.#shadowTrusted = new Set(plan.trustedOwners.filter(({ isShadow }) => isShadow).map(({ key }) => key));
  }

  /** @param trustedSlot -1 for an ordinary owner. */
  of(stage: Stage, trustedSlot: number): number {
    return (trustedSlot < 0 ? this.#ordinary[stage] : this.#trusted[trustedSlot]?.[stage]) as number;
  }

  isShadow(key: string, isTrusted: boolean): boolean {
    return this.#shadowOwners.has(key) || (isTrusted && this.#shadowTrusted.has(key));
  }
}
