import type { Abort, Decision, Ready, Retry } from '../src/index.ts';

export function ready(decision: Decision): Ready {
  if (decision.kind !== 'ready') throw new Error(`not ready: ${decision.kind}`);
  return decision;
}

export function retry(decision: Decision): Retry {
  if (decision.kind !== 'retry') throw new Error(`no retry: ${decision.kind}`);
  return decision;
}

export function aborted(decision: Decision): Abort {
  if (decision.kind !== 'abort') throw new Error(`no abort: ${decision.kind}`);
  return decision;
}
