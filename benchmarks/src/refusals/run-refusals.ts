import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import { discoverSecurity } from '../client/client-security.ts';
import { ClientConnection } from '../client/connection.ts';
import { PlainChannel } from '../client/plain-channel.ts';
import { SecuredChannel } from '../client/secured-channel.ts';
import { ConnectLoad, type ConnectRound } from '../load/connect-load.ts';
import { measure, type Window } from '../measure.ts';
import { median } from '../report.ts';
import { configuredServer } from '../servers/server-kinds.ts';
import type { RunningServer } from '../servers/server-process.ts';
import { acceptedRound, refusedRound } from './connection-rounds.ts';

/** How refusals are measured. */
export interface RefusalsOptions extends Window {
  /** Holds certificates and configurations. */
  readonly workDir: string;
  readonly identity: () => Promise<ChannelIdentity>;
  readonly runs: number;
}

/** One kind of connection, and what a server has to be told to treat it like that. */
interface ConnectionKind {
  readonly name: string;
  readonly server: object;
  /** @returns what is repeated, once the server is in the state that it takes. */
  prepare(url: string, options: RefusalsOptions): Promise<Preparation>;
}

interface Preparation {
  readonly round: ConnectRound;
  readonly end: () => Promise<void>;
}

const AT_A_TIME = 10;
const FAST = { ConnectionsPerSecond: 1_000_000, ConnectionBurst: 1_000_000 };

const kinds: readonly ConnectionKind[] = [
  {
    name: 'refused: more come per second than may',
    server: { RateLimits: { ConnectionsPerSecond: 3, ConnectionBurst: 3 } },
    // One token comes each second, which one of thousands of connections gets.
    prepare: async (url) => ({ round: refusedRound(url, { fromManyAddresses: true, mayBeLetIn: true }), end: async () => {} }),
  },
  {
    name: 'refused: their owner has as many as it may',
    server: { RateLimits: FAST, ResourceIsolation: { Stages: [{ Stage: 'Connection', OwnerHardLimit: 1 }] } },
    prepare: async (url) => {
      const held = await ClientConnection.open(url, new PlainChannel());
      return { round: refusedRound(url, { fromManyAddresses: false, mayBeLetIn: false }), end: () => held.close() };
    },
  },
  {
    name: 'accepted, SecurityPolicy None',
    server: { RateLimits: FAST },
    prepare: async (url) => ({ round: acceptedRound(url, () => new PlainChannel()), end: async () => {} }),
  },
  {
    name: 'accepted, Basic256Sha256',
    server: { RateLimits: FAST },
    prepare: async (url, { identity }) => {
      const security = await discoverSecurity(url, SecurityPolicies.Basic256Sha256, await identity());
      return { round: acceptedRound(url, () => new SecuredChannel(security)), end: async () => {} };
    },
  },
];

/** Measures what a connection costs a server that refuses it, and one that accepts it, by turns; prints a markdown table. */
export async function runRefusals(options: RefusalsOptions): Promise<void> {
  const figures = kinds.map((): { cpuUs: number; perSecond: number }[] => []);
  for (let run = 0; run < options.runs; run++) {
    for (const [at, kind] of kinds.entries()) {
      const figure = await measureKind(kind, options);
      console.error(`${kind.name}: ${Math.round(figure.cpuUs)} µs of CPU, ${Math.round(figure.perSecond)}/s`);
      figures[at]?.push(figure);
    }
  }
  const columns = figures.map((runs) => ({
    cpuUs: median(runs.map(({ cpuUs }) => cpuUs)),
    perSecond: median(runs.map((run) => run.perSecond)),
  }));
  const secured = columns.at(-1)?.cpuUs ?? Number.NaN;
  const rows = kinds.map(({ name }, at) => {
    const { cpuUs, perSecond } = columns[at] ?? { cpuUs: Number.NaN, perSecond: Number.NaN };
    return `| ${name} | ${Math.round(cpuUs).toLocaleString('en-US')} | ${(cpuUs / secured).toFixed(3)} | ${Math.round(perSecond).toLocaleString('en-US')} |`;
  });
  console.log(`| connection | server CPU µs each | of a secured one | per second |\n|---|---:|---:|---:|\n${rows.join('\n')}`);
}

async function measureKind(kind: ConnectionKind, options: RefusalsOptions): Promise<{ cpuUs: number; perSecond: number }> {
  const file = join(options.workDir, 'refusals.json');
  writeFileSync(file, JSON.stringify({ OpcUa: { Server: kind.server } }));
  const server: RunningServer = await configuredServer(options.workDir, 'bulkhead', file).start(0);
  try {
    const { round, end } = await kind.prepare(server.url, options);
    const { cpuMsPer1000, perSecond } = await measure(new ConnectLoad(round, AT_A_TIME), server.pid, options);
    await end();
    // Milliseconds per 1,000 are microseconds each.
    return { cpuUs: cpuMsPer1000, perSecond };
  } finally {
    await server.stop();
  }
}
