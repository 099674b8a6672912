import { mkdirSync } from 'node:fs';
import { readProcessUsage } from '../process-usage.ts';
import { NODE_PREFIX as REFERENCE_PREFIX } from '../servers/server-kinds.ts';
import { Child } from './child.ts';
import { NODE_PREFIX } from './isolation-nodes.ts';
import type { ServerCommand, ServerReport } from './server-report.ts';

/** A server that is abused. */
export interface MeasuredServer {
  readonly url: string;
  /** Where it is reached by HTTPS and WebSockets. */
  readonly webUrls: readonly string[];
  /** Text form of the NodeId of the first of its 1,000 Doubles, but for the number at its end. */
  readonly nodePrefix: string;
  /** It has the methods that some abuses call, and variables that change when they are told to. */
  readonly isOurs: boolean;
  readonly pid: number | undefined;
  readonly isAlive: boolean;
  report(isAtRest: boolean): Promise<ServerReport>;
  /** Changes all variables each so many ms; 0: never. */
  change(everyMs: number): void;
  end(): Promise<void>;
}

/** Starts a server of this benchmark in a process of its own. */
export async function startServer(file: string, pki: string): Promise<MeasuredServer> {
  mkdirSync(pki, { recursive: true });
  const child = new Child(file, ['--pki', pki]);
  const { url, webUrls = [] } = await child.next<{ url: string; webUrls?: readonly string[] }>();
  return {
    url,
    webUrls,
    nodePrefix: NODE_PREFIX,
    isOurs: true,
    pid: child.pid,
    get isAlive() {
      return child.isAlive;
    },
    report: (isAtRest) => child.ask<ServerReport>({ kind: 'report', isAtRest } satisfies ServerCommand),
    change: (everyMs) => child.send({ kind: 'change', everyMs } satisfies ServerCommand),
    end: () => child.end(),
  };
}

/** What of a server that runs already is known. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number | undefined;
  readonly nodePrefix: string | undefined;
}

/** A server that runs already: of its insides nothing is known but what its process uses. */
export function runningServer({ url, pid, nodePrefix = REFERENCE_PREFIX }: RunningServer): MeasuredServer {
  const usage = (): ReturnType<typeof readProcessUsage> => (pid === undefined ? undefined : readProcessUsage(pid));
  return {
    url,
    webUrls: [],
    nodePrefix,
    isOurs: false,
    pid,
    isAlive: true,
    report: async () => {
      const { rssBytes = Number.NaN, cpuMs = Number.NaN } = usage() ?? {};
      return { held: undefined, rssBytes, cpuMs, loopDelayP99Ms: Number.NaN };
    },
    change: () => undefined,
    end: async () => undefined,
  };
}
