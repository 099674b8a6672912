import type { RefusalReason } from '../lease.ts';
import { type Stage, stages } from '../stage.ts';
import type { AllocateCounters, Counters } from './counters.ts';

/** All reasons, in the order they are looked at. */
export const refusalReasons: readonly RefusalReason[] = ['InvalidOwner', 'OwnerLimit', 'OwnerTableFull', 'Capacity'];

/** Refusals so far, by stage and reason: as many counters as there are labels, whoever calls. */
export class RefusalCounters {
  readonly #counters: Counters;

  constructor(allocate: AllocateCounters) {
    this.#counters = allocate(stages.length * refusalReasons.length);
  }

  count(stage: Stage, reason: RefusalReason): number {
    return this.#counters.get(indexOf(stage, reason));
  }

  add(stage: Stage, reason: RefusalReason): void {
    this.#counters.add(indexOf(stage, reason), 1);
  }
}

function indexOf(stage: Stage, reason: RefusalReason): number {
  return stage * refusalReasons.length + refusalReasons.indexOf(reason);
}
