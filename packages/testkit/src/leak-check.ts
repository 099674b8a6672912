import { type ResourceIsolationProvider, Stage, stageNames } from '@bulkhead/resource-isolation';
import type { ManualClock } from './manual-clock.ts';

export interface LeakCheckOptions {
  /** Every stage of it has to be at 0 in the end, without a tracked owner. */
  readonly provider?: ResourceIsolationProvider;
  /** No timer of it may be pending in the end. */
  readonly clock?: ManualClock;
}

/** Closing a socket takes a few turns; the test runner has timers of its own, of 100 ms. */
const MAX_WAIT_MS = 1_000;

/** Handles that count; others come and go with the test runner. */
const WATCHED = /^(TCP|TLS|Pipe|UDP|Timeout$)/u;

/**
 * Remembers the handles that are open now.
 * @returns a function that waits for closing handles, then throws an Error naming whatever leases, timers and handles are left.
 */
export function trackLeaks(options: LeakCheckOptions = {}): () => Promise<void> {
  const before = countHandles();
  return async () => {
    const endMs = performance.now() + MAX_WAIT_MS;
    let leaks = findLeaks(options, before);
    while (leaks.length > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setImmediate(resolve));
      leaks = findLeaks(options, before);
    }
    if (leaks.length > 0) throw new Error(`left behind: ${leaks.join(', ')}`);
  };
}

function findLeaks({ provider, clock }: LeakCheckOptions, before: ReadonlyMap<string, number>): string[] {
  const leaks: string[] = [];
  for (const name of provider ? stageNames : []) {
    const used = provider?.getUsage(Stage[name]) ?? 0;
    if (used !== 0) leaks.push(`${name} at ${used}`);
  }
  if (provider && provider.trackedOwnerCount > 0) leaks.push(`${provider.trackedOwnerCount} tracked owners`);
  if (clock && clock.pendingTimers > 0) leaks.push(`${clock.pendingTimers} timers`);
  for (const [kind, count] of countHandles()) {
    const more = count - (before.get(kind) ?? 0);
    if (more > 0) leaks.push(`${more} ${kind}`);
  }
  return leaks;
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
