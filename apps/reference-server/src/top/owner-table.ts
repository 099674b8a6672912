import { formatBytes } from '../plan-table.ts';
import type { IsolationReading, OwnerRow, StageRow } from './isolation-report.ts';
import { alignedTable, count, printable, rate } from './table-text.ts';

const MS_PER_PERCENT = 10;

/** An owner, and what it did since the reading before. */
interface Row extends OwnerRow {
  /** Milliseconds of the event loop in each second. */
  readonly executionMsPerSecond: number;
  readonly refusalsPerSecond: number;
}

/**
 * Owners, those that hold the event loop most first, below a line of the stages that are in use.
 * @param before the reading that rates are reckoned from; none: rates are 0.
 * @param maxRows of owners.
 */
export function ownerTable(reading: IsolationReading, before: IsolationReading | undefined, maxRows: number): string {
  const rows = rowsOf(reading, before);
  const shown = rows.slice(0, maxRows);
  const { stages } = reading;
  const inUse = stages.map((_, at) => at).filter((at) => rows.some(({ usage }) => (usage[at] ?? 0) > 0));
  const stageTitles = inUse.map((at) => shortened(stages[at]?.stage ?? ''));
  const titles = ['owner', 'class', 'loop', 'ms in all', 'refusals/s', 'refusals', 'retained', ...stageTitles];
  const table = alignedTable([titles, ...shown.map((row) => cells(row, stages, inUse))]);
  const hidden = rows.length - shown.length;
  return [
    `${count(rows.length)} owners. In use: ${stageLine(stages)}`,
    '',
    ...table,
    ...(hidden > 0 ? [`and ${count(hidden)} more`] : []),
  ].join('\n');
}

/** @param inUse the stages that have a column. */
function cells(row: Row, stages: readonly StageRow[], inUse: readonly number[]): string[] {
  return [
    printable(row.key),
    row.ownerClass,
    `${(row.executionMsPerSecond / MS_PER_PERCENT).toFixed(1)}%`,
    count(Math.round(row.executionMs)),
    rate(row.refusalsPerSecond),
    count(row.refusalCount),
    formatBytes(row.retainedBytes),
    ...inUse.map((at) => amount(row.usage[at] ?? 0, stages[at])),
  ];
}

function stageLine(stages: readonly StageRow[]): string {
  const used = stages.filter(({ used: value }) => value > 0);
  if (used.length === 0) return 'nothing';
  return used
    .map((stage) => `${stage.stage} ${amount(stage.used, stage)}${stage.total > 0 ? ` of ${amount(stage.total, stage)}` : ''}`)
    .join(', ');
}

function amount(value: number, stage: StageRow | undefined): string {
  return stage?.unit === 'bytes' ? formatBytes(value) : count(value);
}

/** `RequestQueueBytes` is `queueBytes` in a title. */
function shortened(stage: string): string {
  const name = stage.replace(/^Request/u, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function rowsOf({ atMs, owners }: IsolationReading, before: IsolationReading | undefined): Row[] {
  const known = new Map(before?.owners.map((owner) => [`${owner.ownerClass} ${owner.key}`, owner]));
  const seconds = before === undefined ? 0 : (atMs - before.atMs) / 1000;
  const perSecond = (now: number, then: number): number => (seconds > 0 ? Math.max(0, now - then) / seconds : 0);
  const rows = owners.map((owner) => {
    const then = known.get(`${owner.ownerClass} ${owner.key}`);
    return {
      ...owner,
      executionMsPerSecond: perSecond(owner.executionMs, then?.executionMs ?? 0),
      refusalsPerSecond: perSecond(owner.refusalCount, then?.refusalCount ?? 0),
    };
  });
  return rows.sort(
    (a, b) => b.executionMsPerSecond - a.executionMsPerSecond || b.executionMs - a.executionMs || a.key.localeCompare(b.key),
  );
}
