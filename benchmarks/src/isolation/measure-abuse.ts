import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeId } from '@bulkhead/types';
import { readProcessUsage } from '../process-usage.ts';
import type { AbuserCommand } from './abuser.ts';
import { type Abuse, type AbuseCounts, type AbuseTarget, POLITE_ADDRESS, variablesOf } from './abuses/abuse.ts';
import type { Child } from './child.ts';
import type { MeasuredServer } from './measured-server.ts';
import { Newcomers } from './newcomers.ts';
import { PoliteClient, type PoliteOutcome } from './polite-client.ts';
import type { ServerReport } from './server-report.ts';

const NEWCOMER_ADDRESS = '127.0.0.10';
const CHANGE_EVERY_MS = 100;
/** Sessions of clients that are gone end later, by their timeout. */
const REST_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 250;
/** Until V8 has given pages back. */
const REST_MS = 500;

export interface AbuseWindow {
  /** Where the polite client connects. */
  readonly politeUrl: string;
  /** How long the polite client is alone before each abuse. */
  readonly aloneSeconds: number;
  readonly seconds: number;
}

/** One abuse against one server. */
export interface AbuseResult {
  readonly alone: PoliteOutcome;
  readonly abused: PoliteOutcome;
  /** Undefined when the abuse isn't one that keeps others out. */
  readonly newcomers: { readonly p50Ms: number; readonly errors: readonly string[]; readonly count: number } | undefined;
  readonly counts: AbuseCounts;
  readonly rssBeforeBytes: number;
  readonly rssPeakBytes: number;
  readonly rssAfterBytes: number;
  readonly loopDelayP99Ms: number;
  /** Of one core. */
  readonly serverCores: number;
  /** What the server still held afterwards; undefined when it doesn't count that. */
  readonly left: Readonly<Record<string, number>>;
}

/** Lets the polite client read alone, then while the abuse goes on, and looks at what is left of it. @throws Error when the server ended. */
export async function measureAbuse(
  abuse: Abuse,
  target: AbuseTarget,
  { server, abuser }: { readonly server: MeasuredServer; readonly abuser: Child },
  { politeUrl, aloneSeconds, seconds }: AbuseWindow,
): Promise<AbuseResult> {
  const nodes = variablesOf(target);
  const alone = await politely(politeUrl, nodes, async () => {
    await sleep(aloneSeconds * 1000);
  });
  const before = await server.report(true);
  let counts: AbuseCounts | undefined;
  let during: ServerReport = before;
  let rssPeakBytes = before.rssBytes;
  let newcomers: Newcomers | undefined;
  const startMs = performance.now();
  const abused = await politely(politeUrl, nodes, async () => {
    if (abuse.needsChanges === true) server.change(CHANGE_EVERY_MS);
    const started = await abuser.ask<{ error?: string }>({ name: abuse.name, target } satisfies AbuserCommand);
    if (started.error !== undefined) throw new Error(`the abuse could not begin: ${started.error}`);
    if (abuse.admitsNewcomers === true) newcomers = new Newcomers(target.url, NEWCOMER_ADDRESS, nodes);
    rssPeakBytes = await watchRss(server, seconds * 1000);
    during = await server.report(false);
    await newcomers?.stop();
    counts = await abuser.ask<AbuseCounts>({ name: undefined } satisfies AbuserCommand);
    server.change(0);
  });
  const elapsedMs = performance.now() - startMs;
  const after = await comesToRest(server);
  return {
    alone,
    abused,
    newcomers: newcomers && { p50Ms: newcomers.latency.quantileMs(0.5), errors: newcomers.errors, count: newcomers.latency.count },
    counts: counts ?? { connections: 0, closed: 0, requests: 0, responses: 0 },
    rssBeforeBytes: before.rssBytes,
    rssPeakBytes: Math.max(rssPeakBytes, during.rssBytes),
    rssAfterBytes: after.rssBytes,
    loopDelayP99Ms: during.loopDelayP99Ms,
    serverCores: (during.cpuMs - before.cpuMs) / elapsedMs,
    left: Object.fromEntries(Object.entries(after.held ?? {}).filter(([, count]) => count !== 0)),
  };
}

async function politely(url: string, nodes: readonly NodeId[], during: () => Promise<void>): Promise<PoliteOutcome> {
  const client = await PoliteClient.connect(url, POLITE_ADDRESS, nodes);
  client.start();
  try {
    await during();
  } finally {
    await client.stop();
  }
  return client.outcome;
}

/** Until `durationMs` are over. @returns the most that the server's process had in memory. */
async function watchRss({ pid }: MeasuredServer, durationMs: number): Promise<number> {
  const endMs = performance.now() + durationMs;
  let peakBytes = 0;
  while (performance.now() < endMs) {
    peakBytes = Math.max(peakBytes, (pid === undefined ? undefined : readProcessUsage(pid)?.rssBytes) ?? 0);
    await sleep(Math.min(LOOK_EVERY_MS, endMs - performance.now()));
  }
  return peakBytes;
}

async function comesToRest(server: MeasuredServer): Promise<ServerReport> {
  const deadlineMs = performance.now() + REST_WITHIN_MS;
  const isAtRest = ({ held = {} }: ServerReport): boolean => Object.values(held).every((count) => count === 0);
  while (performance.now() < deadlineMs && !isAtRest(await server.report(false))) await sleep(LOOK_EVERY_MS);
  await server.report(true);
  await sleep(REST_MS);
  return server.report(true);
}
