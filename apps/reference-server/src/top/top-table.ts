import type { CallerReport, ServerReport } from './server-report.ts';
import { alignedTable, count, printable, rate } from './table-text.ts';

/** A caller, and what it did since the report before. */
interface Row extends CallerReport {
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
}

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['caller', ({ caller }) => printable(caller)],
  ['requests/s', ({ requestsPerSecond }) => rate(requestsPerSecond)],
  ['errors/s', ({ errorsPerSecond }) => rate(errorsPerSecond)],
  ['sessions', ({ sessions }) => count(sessions)],
  ['subscriptions', ({ subscriptions }) => count(subscriptions)],
  ['items', ({ items }) => count(items)],
  ['publish waiting', ({ waitingPublishRequests }) => count(waitingPublishRequests)],
  ['requests', ({ requests }) => count(requests)],
];

/**
 * What `top` shows: a line about the server, then one for each caller, those with the most requests per second first.
 * @param before the report that rates are reckoned from; none: rates are 0.
 * @param maxRows of callers.
 */
export function topTable(report: ServerReport, before: ServerReport | undefined, maxRows: number): string {
  const rows = rowsOf(report, before);
  const shown = rows.slice(0, maxRows);
  const table = alignedTable([columns.map(([title]) => title), ...shown.map((row) => columns.map(([, cell]) => cell(row)))]);
  const hidden = rows.length - shown.length;
  return [summaryLine(report, rows), '', ...table, ...(hidden > 0 ? [`and ${count(hidden)} more`] : [])].join('\n');
}

function summaryLine({ summary }: ServerReport, rows: readonly Row[]): string {
  const parts = [`${rate(rows.reduce((sum, row) => sum + row.requestsPerSecond, 0))} requests/s`];
  if (summary !== undefined) {
    parts.push(
      `${count(summary.currentSessionCount)} sessions`,
      `${count(summary.currentSubscriptionCount)} subscriptions`,
      `${count(summary.rejectedSessionCount)} sessions and ${count(summary.rejectedRequestsCount)} requests rejected`,
    );
  }
  return parts.join(', ');
}

function rowsOf({ atMs, callers }: ServerReport, before: ServerReport | undefined): Row[] {
  const known = new Map(before?.callers.map((report) => [report.caller, report]));
  const seconds = before === undefined ? 0 : (atMs - before.atMs) / 1000;
  const perSecond = (now: number, then: number): number => (seconds > 0 ? Math.max(0, now - then) / seconds : 0);
  const rows = callers.map((caller) => {
    const then = known.get(caller.caller);
    return {
      ...caller,
      requestsPerSecond: perSecond(caller.requests, then?.requests ?? 0),
      errorsPerSecond: perSecond(caller.errors, then?.errors ?? 0),
    };
  });
  return rows.sort((a, b) => b.requestsPerSecond - a.requestsPerSecond || b.requests - a.requests || a.caller.localeCompare(b.caller));
}
