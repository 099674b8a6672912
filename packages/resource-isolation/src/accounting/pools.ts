import type { Owner } from '../owner.ts';
import { isDecodedRequestStage, Stage } from '../stage.ts';
import { FIRST_TRUSTED_POOL, Pool } from './stage-ledger.ts';

/**
 * Whose reserve an owner may use at a stage. A live Session opens the reconnect reserve for bytes of unfinished messages only, and
 * that of its request's work where requests are decoded; it is charged to its ordinary owner all the same.
 * @param slot of a trusted owner.
 */
export function poolOf(stage: Stage, owner: Owner, slot: number): number {
  switch (owner.ownerClass) {
    case 'Shared':
      return sessionPoolOf(stage, owner);
    case 'Bootstrap':
      return Pool.Bootstrap;
    case 'Reconnect':
      return Pool.Reconnect;
    case 'Control':
      return Pool.Control;
    case 'Trusted':
      return FIRST_TRUSTED_POOL + slot;
  }
}

function sessionPoolOf(stage: Stage, owner: Owner): number {
  if (owner.isSessionBound === true && stage === Stage.ReassemblyBytes) return Pool.Reconnect;
  if (owner.work === undefined) return Pool.Shared;
  // Only decoded requests have such a reserve; elsewhere it is 0.
  if (owner.work === 'Control') return Pool.Control;
  return isDecodedRequestStage(stage) || stage === Stage.SessionEstablishment ? Pool.Reconnect : Pool.Shared;
}
