import { ServerDiagnosticsSummaryDataType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { IsolationReading, OwnerRow } from '../src/top/isolation-report.ts';
import { ownerTable } from '../src/top/owner-table.ts';
import type { CallerReport, ServerReport } from '../src/top/server-report.ts';
import { topTable } from '../src/top/top-table.ts';

const caller = (name: string, fields: Partial<CallerReport> = {}): CallerReport => ({
  caller: name,
  sessions: 1,
  subscriptions: 0,
  items: 0,
  waitingPublishRequests: 0,
  requests: 0,
  errors: 0,
  ...fields,
});
const report = (atMs: number, ...callers: CallerReport[]): ServerReport => ({ atMs, callers, summary: undefined });
const cells = (line: string | undefined): string[] => line?.split(/\s{2,}/u) ?? [];

describe('the table of top', () => {
  it('tells per second what callers did between two looks, the busiest first', () => {
    const before = report(1000, caller('urn:polite', { requests: 100, errors: 4 }), caller('urn:hog', { requests: 5000 }));
    const now = report(
      3000,
      caller('urn:polite', { requests: 107, errors: 5 }),
      caller('urn:hog', { requests: 8000, items: 1200, sessions: 3 }),
    );
    const [summary, , , hog, polite] = topTable(now, before, 10).split('\n');
    expect(summary).toBe('1,504 requests/s');
    expect(cells(hog)).toEqual(['urn:hog', '1,500', '0', '3', '0', '1,200', '0', '8,000']);
    expect(cells(polite)).toEqual(['urn:polite', '3.5', '0.5', '1', '0', '0', '0', '107']);
  });

  it('has no rates at the first look, nor below 0 for a caller that came back', () => {
    expect(cells(topTable(report(0, caller('a', { requests: 9 })), undefined, 10).split('\n')[3])[1]).toBe('0');
    const before = report(0, caller('a', { requests: 9 }));
    expect(cells(topTable(report(1000, caller('a', { requests: 2 })), before, 10).split('\n')[3])[1]).toBe('0');
  });

  it('keeps to the lines that there are, and says how many callers are missing', () => {
    const lines = topTable(report(0, ...Array.from({ length: 30 }, (_, at) => caller(`urn:${at}`))), undefined, 5).split('\n');
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe('and 25 more');
  });

  it('lets no caller’s name move the cursor', () => {
    const table = topTable(report(0, caller('a\u001b[2Jb\nc\u202ed')), undefined, 5);
    expect(table).toContain('a?[2Jb?c?d');
  });

  it('sums the server up', () => {
    const summary = ServerDiagnosticsSummaryDataType.create({
      currentSessionCount: 3,
      currentSubscriptionCount: 2,
      rejectedSessionCount: 1,
      rejectedRequestsCount: 40,
    });
    expect(topTable({ ...report(0), summary }, undefined, 5).split('\n')[0]).toBe(
      '0 requests/s, 3 sessions, 2 subscriptions, 1 sessions and 40 requests rejected',
    );
  });
});

describe('the table of owners', () => {
  const owner = (key: string, fields: Partial<OwnerRow> = {}): OwnerRow => ({
    key,
    ownerClass: 'Shared',
    executionMs: 0,
    refusalCount: 0,
    retainedBytes: 0,
    usage: [1, 0],
    ...fields,
  });
  const stages = [
    { stage: 'Connection', unit: 'count', used: 12, total: 200 },
    { stage: 'RequestQueueBytes', unit: 'bytes', used: 0, total: 0 },
  ];
  const reading = (atMs: number, ...owners: OwnerRow[]): IsolationReading => ({ atMs, owners, stages });

  it('shows who holds the event loop most first, in parts of it, and only stages that are in use', () => {
    const before = reading(0, owner('user:polite', { executionMs: 10 }), owner('address:127.0.0.2', { executionMs: 100, refusalCount: 5 }));
    const now = reading(
      2000,
      owner('user:polite', { executionMs: 20 }),
      owner('address:127.0.0.2', { executionMs: 1500, refusalCount: 25, retainedBytes: 2048, usage: [3, 0] }),
    );
    const [summary, , titles, hog, polite] = ownerTable(now, before, 5).split('\n');
    expect(summary).toBe('2 owners. In use: Connection 12 of 200');
    expect(cells(titles)).toEqual(['owner', 'class', 'loop', 'ms in all', 'refusals/s', 'refusals', 'retained', 'connection']);
    expect(cells(hog)).toEqual(['address:127.0.0.2', 'Shared', '70.0%', '1,500', '10.0', '25', '2 KiB', '3']);
    expect(cells(polite)).toEqual(['user:polite', 'Shared', '0.5%', '20', '0', '0', '0 B', '1']);
  });

  it('keeps to the lines that there are', () => {
    const lines = ownerTable(reading(0, ...Array.from({ length: 9 }, (_, at) => owner(`user:${at}`))), undefined, 4).split('\n');
    expect(lines.at(-1)).toBe('and 5 more');
    expect(lines).toHaveLength(8);
  });
});
