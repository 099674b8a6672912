import { describePlan, type PlanRow, type ResourceIsolationPlan } from '@bulkhead/resource-isolation';

const KiB = 1024;
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

const columns: readonly (readonly [title: string, cell: (row: PlanRow, amount: (value: number) => string) => string])[] = [
  ['stage', ({ stage, shadow }) => (shadow ? `${stage} (shadow)` : stage)],
  ['total', ({ total }, amount) => amount(total)],
  ['shared', ({ shared }, amount) => amount(shared)],
  ['bootstrap', ({ bootstrap }, amount) => amount(bootstrap)],
  ['reconnect', ({ reconnect }, amount) => amount(reconnect)],
  ['control', ({ control }, amount) => amount(control)],
  ['trusted', ({ trusted }, amount) => amount(trusted)],
  ['idle owners', ({ keptForIdleOwners }, amount) => amount(keptForIdleOwners)],
  ['owner limit', ({ ownerHardLimit }, amount) => amount(ownerHardLimit)],
];

/** The limits of a plan as a table for people: one line per stage, counts or bytes. */
export function planTable(plan: ResourceIsolationPlan): string {
  const rows = describePlan(plan).map((row) => columns.map(([, cell]) => cell(row, row.unit === 'bytes' ? formatBytes : formatCount)));
  const lines = [columns.map(([title]) => title), ...rows];
  const widths = columns.map((_column, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, at) => pad(cell, widths[at] ?? 0, at === 0))
      .join('  ')
      .trimEnd(),
  );
  return [`mode ${plan.mode}`, '', ...table].join('\n');
}

function pad(cell: string, width: number, isText: boolean): string {
  return isText ? cell.padEnd(width) : cell.padStart(width);
}

function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** In the largest unit that is not too large, with up to two decimals; a sign says when that is not exact. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= KiB && unit < byteUnits.length - 1) {
    value /= KiB;
    unit++;
  }
  const rounded = Math.round(value * 100) / 100;
  return `${rounded === value ? '' : '~'}${rounded.toLocaleString('en-US')} ${byteUnits[unit]}`;
}
