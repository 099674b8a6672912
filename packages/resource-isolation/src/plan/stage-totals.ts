import { Stage } from '../stage.ts';
import type { ResolvedServerLimits } from './server-limits.ts';

/** A stage's total as the server's limits have it, and which limit to change. */
export interface StageTotal {
  readonly total: number;
  readonly source: string;
}

/**
 * The total before `capacity` lowers it. In the queue of decoded requests reserves come on top, so that what is shared is what was
 * configured; elsewhere they are inside.
 * @param reserved sum of the stage's reserves.
 */
export function stageTotal(stage: Stage, limits: ResolvedServerLimits, reserved: number): StageTotal {
  switch (stage) {
    case Stage.Connection:
    case Stage.Handshake:
      return { total: limits.maxChannelCount, source: 'maxChannelCount' };
    case Stage.ReassemblyBytes:
      return reassemblyTotal(limits.reassemblyBytes);
    case Stage.RequestQueue:
      return { total: limits.queued + reserved, source: 'maxQueuedRequestCount' };
    case Stage.RequestQueueBytes:
      return { total: limits.maxMessageSize * (limits.queued + limits.executing + limits.parked) + reserved, source: 'maxMessageSize' };
    case Stage.ParkedRequest:
      return { total: limits.parked + reserved, source: 'maxParkedRequestCount' };
    case Stage.RequestExecution:
      return { total: limits.executing, source: 'maxConcurrentRequests' };
    case Stage.SessionEstablishment:
      return { total: limits.sessionEstablishment, source: 'maxConcurrentSessionEstablishment' };
  }
}

export function reassemblyTotal(budgetBytes: number): StageTotal {
  return { total: budgetBytes, source: 'reassemblyBudget.maxBytes' };
}
