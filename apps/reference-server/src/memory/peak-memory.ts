import type { ResourceIsolationPlan } from '@bulkhead/resource-isolation';
import { describePlan } from '@bulkhead/resource-isolation';
import { formatBytes } from '../plan-table.ts';
import type { MachineShare } from './propose-totals.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** What one of each costs, rounded up from what was measured; buffers are counted by the plan. */
export const bytesPer = {
  /** Node, the code, the standard namespace. */
  process: 128 * MiB,
  heapOfProcess: 64 * MiB,
  /** Read ahead, a chunk each way, TLS. */
  connection: 256 * KiB,
  session: 64 * KiB,
  monitoredItem: 1.5 * KiB,
} as const;

/** The totals of a server that memory goes by. */
export interface MemoryTotals {
  readonly maxChannelCount: number;
  readonly maxSessionCount: number;
  readonly maxRetainedBytes: number;
  readonly maxMonitoredItems: number;
}

/** Most bytes that a server can use when everything that it allows is used up. */
export function peakMemory(plan: ResourceIsolationPlan, totals: MemoryTotals): { readonly bytes: number; readonly heapBytes: number } {
  const heap = totals.maxRetainedBytes + totals.maxSessionCount * bytesPer.session + totals.maxMonitoredItems * bytesPer.monitoredItem;
  const buffers = describePlan(plan)
    .filter(({ unit }) => unit === 'bytes')
    .reduce((sum, { total }) => sum + total, 0);
  return {
    bytes: bytesPer.process + heap + buffers + totals.maxChannelCount * bytesPer.connection,
    heapBytes: bytesPer.heapOfProcess + heap,
  };
}

/** How a plan doesn't fit the machine, one sentence each; none on a machine without a container. */
export function memoryWarnings(plan: ResourceIsolationPlan, totals: MemoryTotals, share: MachineShare): readonly string[] {
  if (!share.isContainer) return [];
  const { bytes, heapBytes } = peakMemory(plan, totals);
  const warnings: string[] = [];
  if (bytes > share.memoryBytes) {
    warnings.push(`The limits allow ${formatBytes(roundUp(bytes))} in all, and the container ${formatBytes(share.memoryBytes)}.`);
  }
  if (heapBytes > share.heapBytes) {
    warnings.push(`The limits allow ${formatBytes(roundUp(heapBytes))} on V8's heap, which ends at ${formatBytes(share.heapBytes)}.`);
  }
  if (share.heapBytes > share.memoryBytes) {
    warnings.push(`V8's heap may grow to ${formatBytes(share.heapBytes)}, and the container has ${formatBytes(share.memoryBytes)}.`);
  }
  return warnings;
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / MiB) * MiB;
}
