import { join } from 'node:path';
import { type AbuseTarget, urlBy } from './abuses/abuse.ts';
import { allAbuses } from './abuses/all-abuses.ts';
import { Child } from './child.ts';
import { METHODS } from './isolation-nodes.ts';
import { type IsolationRow, ratioOf, renderIsolation } from './isolation-table.ts';
import { measureAbuse } from './measure-abuse.ts';
import { type MeasuredServer, type RunningServer, runningServer, startServer } from './measured-server.ts';

/** So that the servers, not the abusers, get the processor when both want it. */
const ABUSER_NICENESS = 10;
const ALONE_SECONDS = 2;
/** How much longer p99 may be under an abuse. */
const MAX_RATIO = 5;

export interface IsolationOptions {
  /** Holds certificates. */
  readonly workDir: string;
  /** Of each abuse. */
  readonly seconds: number;
  /** Parts of the names of abuses; all when empty. */
  readonly only: readonly string[];
  readonly servers: readonly string[] | undefined;
  /** One that runs already; alone unless `servers` names others. */
  readonly running: RunningServer | undefined;
}

const SERVERS: Readonly<Record<string, string>> = { bulkhead: 'bulkhead-server.js', 'node-opcua': 'node-opcua-server.js' };

/** Name of the server that runs already. */
const RUNNING = 'url';

function starterOf(name: string, pki: string, running: RunningServer | undefined): () => Promise<MeasuredServer> {
  if (name === RUNNING && running !== undefined) return async () => runningServer(running);
  const file = SERVERS[name];
  if (file === undefined) throw new Error(`no server is called ${name}: ${Object.keys(SERVERS).join(', ')}`);
  return () => startServer(file, pki);
}

/** Measures a polite client alone and beside each abuse; prints a markdown table. @returns whether Bulkhead kept its promise. */
export async function runIsolation({ workDir, seconds, only, servers, running }: IsolationOptions): Promise<boolean> {
  const abuses = allAbuses.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  if (abuses.length === 0) throw new Error(`no abuse is called ${only.join(' or ')}: ${allAbuses.map(({ name }) => name).join(', ')}`);
  const rows: IsolationRow[] = [];
  for (const name of servers ?? (running === undefined ? Object.keys(SERVERS) : [RUNNING])) {
    const start = starterOf(name, join(workDir, `isolation-${name}`), running);
    let server: MeasuredServer | undefined;
    const abuser = new Child('abuser.js', [], ABUSER_NICENESS);
    try {
      for (const abuse of abuses) {
        // One that did not survive the abuse before is started anew.
        if (server?.isAlive !== true) server = await start();
        const { url, webUrls, nodePrefix, isOurs } = server;
        if (!isOurs && abuse.needsMethods === true) continue;
        const target: AbuseTarget = { url, webUrls, nodePrefix, methods: METHODS, workDir };
        const { transport, politeTransport } = abuse;
        const politeUrl = urlBy(target, politeTransport);
        if (urlBy(target, transport) === undefined || politeUrl === undefined) continue;
        const processes = { server, abuser };
        let row: IsolationRow;
        try {
          const result = await measureAbuse(abuse, target, processes, { politeUrl, aloneSeconds: ALONE_SECONDS, seconds });
          row = { abuse: abuse.name, server: name, politeTransport, result, error: undefined };
        } catch (error) {
          row = { abuse: abuse.name, server: name, politeTransport, result: undefined, error: (error as Error).message };
          await abuser.ask({ name: undefined });
          await server.end();
        }
        rows.push(row);
        printProgress(row, rows);
      }
    } finally {
      await server?.end();
      await abuser.end();
    }
  }
  console.log(renderIsolation(rows));
  return rows.every((row) => row.server !== 'bulkhead' || isKept(row, rows));
}

/** No errors, nothing left, and p99 within the bound. */
function isKept(row: IsolationRow, rows: readonly IsolationRow[]): boolean {
  const { result } = row;
  if (!result) return false;
  const errors = [...result.abused.errors, ...(result.newcomers?.errors ?? [])];
  return errors.length === 0 && Object.keys(result.left).length === 0 && ratioOf(row, rows) <= MAX_RATIO;
}

function printProgress({ abuse, server, result, error }: IsolationRow, rows: readonly IsolationRow[]): void {
  if (!result) return console.error(`${abuse} | ${server}: failed: ${error}`);
  const { abused, newcomers, counts } = result;
  const ratio = ratioOf(rows.at(-1) as IsolationRow, rows).toPrecision(3);
  const { connections, closed, requests, responses } = counts;
  console.error(
    `${abuse} | ${server}: p99 ${abused.p99Ms.toPrecision(3)} ms, ${ratio} times; abuse: ${connections} connections, ${closed} closed, ${requests} requests, ${responses} responses`,
  );
  for (const problem of new Set([...abused.errors, ...(newcomers?.errors ?? [])].slice(0, 5))) console.error(`  ${problem}`);
}
