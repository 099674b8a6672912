import { median } from '../report.ts';
import type { WebTransport } from './abuses/abuse.ts';
import type { AbuseResult } from './measure-abuse.ts';

/** One row: an abuse against a server, or why it could not be measured. */
export interface IsolationRow {
  readonly abuse: string;
  readonly server: string;
  /** What the polite client came by; opc.tcp when undefined. */
  readonly politeTransport: WebTransport | undefined;
  readonly result: AbuseResult | undefined;
  readonly error: string | undefined;
}

const MIB = 1024 * 1024;
const HEAD = `| abuse | server | p50 / p99 alone, ms | p50 / p99 under abuse, ms | ratio | errors | event loop late by (p99), ms | server cores | RSS growth, MiB | kept, MiB | left |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|`;

/** How often p99 under abuse is p99 alone; the latter from all times that the client was alone with that server, by that transport. */
export function ratioOf(row: IsolationRow, rows: readonly IsolationRow[]): number {
  return (row.result?.abused.p99Ms ?? Number.NaN) / aloneOf(row, rows).p99Ms;
}

/** The geometric mean of a server's ratios, one that could not be measured counted as `UNMEASURED_RATIO`. */
export function isolationScore(server: string, rows: readonly IsolationRow[]): number {
  const ratios = rows.filter((row) => row.server === server).map((row) => (row.result ? ratioOf(row, rows) : UNMEASURED_RATIO));
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Of a server that did not survive an abuse. */
export const UNMEASURED_RATIO = 1000;

/** A markdown table and the scores. */
export function renderIsolation(rows: readonly IsolationRow[]): string {
  const servers = [...new Set(rows.map(({ server }) => server))];
  const scores = servers.map((server) => `${server} ${formatMs(isolationScore(server, rows))}`);
  return [HEAD, ...rows.map((row) => renderRow(row, rows)), '', `Isolation score: ${scores.join(', ')}`].join('\n');
}

function renderRow(row: IsolationRow, rows: readonly IsolationRow[]): string {
  const { abuse, server, result, error } = row;
  if (!result) return `| ${abuse} | ${server} | failed: ${(error ?? '').replaceAll('|', '/').split('\n')[0]} | | | | | | | | |`;
  const { abused, newcomers } = result;
  const alone = aloneOf(row, rows);
  const errors = abused.errors.length + (newcomers?.errors.length ?? 0);
  const left = Object.entries(result.left).map(([name, count]) => `${count} ${name}`);
  const cells = [
    `${formatMs(alone.p50Ms)} / ${formatMs(alone.p99Ms)}`,
    `${formatMs(abused.p50Ms)} / ${formatMs(abused.p99Ms)}`,
    formatMs(ratioOf(row, rows)),
    `${errors} of ${abused.answers + (newcomers ? newcomers.count + newcomers.errors.length : 0)}`,
    formatMs(result.loopDelayP99Ms),
    result.serverCores.toFixed(2),
    formatMib(result.rssPeakBytes - result.rssBeforeBytes),
    formatMib(result.rssAfterBytes - result.rssBeforeBytes),
    left.join(', ') || 'nothing',
  ];
  return `| ${[abuse, server, ...cells].join(' | ')} |`;
}

/** The median over the times alone: one of them may have been disturbed. */
function aloneOf(
  { server, politeTransport }: IsolationRow,
  rows: readonly IsolationRow[],
): { readonly p50Ms: number; readonly p99Ms: number } {
  const alike = rows.filter((row) => row.server === server && row.politeTransport === politeTransport);
  const outcomes = alike.flatMap(({ result }) => (result ? [result.alone] : []));
  return { p50Ms: median(outcomes.map(({ p50Ms }) => p50Ms)), p99Ms: median(outcomes.map(({ p99Ms }) => p99Ms)) };
}

function formatMs(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(3)));
}

function formatMib(bytes: number): string {
  return Number.isNaN(bytes) ? '' : (bytes / MIB).toFixed(0);
}
