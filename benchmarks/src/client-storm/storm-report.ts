import type { RestartResult } from './restart.ts';
import type { Attempts } from './session-storm.ts';
import type { SubscriberFigures } from './storm-messages.ts';

export interface StormResult {
  readonly sessions: number;
  readonly maxConcurrentSessionEstablishment: number | undefined;
  readonly connected: number;
  readonly attempts: Attempts;
  /** Until the last session was connected. */
  readonly connectMs: number;
  /** Until each had its monitored item. */
  readonly monitoredMs: number;
  readonly serverCpuMs: number;
  readonly clientCpuMs: number;
  readonly subscriber: SubscriberFigures;
}

/** @returns a markdown table with a column for each storm. */
export function renderStorm(storms: readonly StormResult[]): string {
  const rows: readonly (readonly [string, (storm: StormResult) => string])[] = [
    ['maxConcurrentSessionEstablishment', (storm) => String(storm.maxConcurrentSessionEstablishment ?? 'default')],
    ['sessions connected', (storm) => `${storm.connected} of ${storm.sessions}`],
    ['refused for good', (storm) => String(storm.attempts.refusedForGood)],
    ['attempts', (storm) => String(storm.attempts.attempts)],
    ['refused with RetryAfterMs', (storm) => String(storm.attempts.refusedWithHint)],
    ['refused as too busy without RetryAfterMs', (storm) => String(storm.attempts.refusedWithoutHint)],
    ['other failed attempts', (storm) => String(storm.attempts.otherFailures)],
    ['all connected after', (storm) => seconds(storm.connectMs)],
    ['all monitoring after', (storm) => seconds(storm.monitoredMs)],
    ['CPU of the server', (storm) => seconds(storm.serverCpuMs)],
    ['CPU of the clients', (storm) => seconds(storm.clientCpuMs)],
    ['subscriber: notifications', ({ subscriber }) => String(subscriber.notifications)],
    ['subscriber: late, p50 / p99 / most', ({ subscriber }) => lateness(subscriber)],
    ['a mere timer beside it: late, p99 / most', ({ subscriber }) => `${ms(subscriber.timerP99Ms)} / ${ms(subscriber.timerMaxMs)}`],
    ['subscriber: messages missing', ({ subscriber }) => String(subscriber.missingMessages)],
    ['subscriber: intervals left out', ({ subscriber }) => String(subscriber.skippedIntervals)],
  ];
  const columns = storms.map(() => '---:').join('|');
  const lines = rows.map(([name, cell]) => `| ${name} | ${storms.map(cell).join(' | ')} |`);
  return [lines[0], `|---|${columns}|`, ...lines.slice(1)].join('\n');
}

export function renderRestart({ sessions, back, backMs }: RestartResult): string {
  return `restart of the server: ${back} of ${sessions} subscribed sessions back after ${seconds(backMs)}`;
}

function lateness({ p50LatenessMs, p99LatenessMs, maxLatenessMs }: SubscriberFigures): string {
  return `${ms(p50LatenessMs)} / ${ms(p99LatenessMs)} / ${ms(maxLatenessMs)}`;
}

function ms(duration: number): string {
  return `${duration.toFixed(0)} ms`;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
