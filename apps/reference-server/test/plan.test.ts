import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, parseConfiguration } from '../src/configuration.ts';
import { formatBytes } from '../src/plan-table.ts';
import { run } from '../src/run.ts';
import { hideOwnVariables } from './environment-variables.ts';

let folder: string;
let exitCode: typeof process.exitCode;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulkhead-plan-'));
  ({ exitCode } = process);
  hideOwnVariables();
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = exitCode;
  await rm(folder, { recursive: true, force: true });
});

/** Runs `--print-plan` with this file. */
async function printPlan(content: unknown): Promise<{ readonly out: string; readonly err: string; readonly exitCode: unknown }> {
  const printed = { log: '', error: '' };
  for (const name of ['log', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((text: string) => void (printed[name] += `${text}\n`));
  }
  process.exitCode = 0;
  const file = join(folder, 'c.json');
  await writeFile(file, JSON.stringify(content));
  await run(['--print-plan', '--config', file]);
  return { out: printed.log, err: printed.error, exitCode: process.exitCode };
}

const inServer = (section: object): object => ({ OpcUa: { Server: section } });

describe('the plan of a configuration', () => {
  it('RI-17 RI-24 is printed as a table, without a server', async () => {
    const {
      out,
      err,
      exitCode: code,
    } = await printPlan({
      limits: { maxSessionCount: 100, maxChannelCount: 103, maxMessageSize: 4_194_304, maxQueuedRequestCount: 10_000 },
      ...inServer({
        ResourceIsolation: { Mode: 'Balanced', Stages: [{ Stage: 'RequestExecution', OwnerHardLimit: 8 }] },
        RateLimits: { MaxConcurrentSessionEstablishment: 64 },
      }),
    });
    expect([err, code]).toEqual(['', 0]);
    const rows = new Map(out.split('\n').map((line) => [line.split(' ')[0], line.split(/\s{2,}/u)]));
    expect(rows.get('stage')).toEqual([
      'stage',
      'total',
      'shared',
      'bootstrap',
      'reconnect',
      'control',
      'trusted',
      'idle owners',
      'owner limit',
    ]);
    expect(rows.get('Connection')).toEqual(['Connection', '103', '101', '1', '1', '0', '0', '0', '103']);
    expect(rows.get('ReassemblyBytes')?.slice(0, 5)).toEqual(['ReassemblyBytes', '64 MiB', '31.5 MiB', '16.25 MiB', '16.25 MiB']);
    expect(rows.get('RequestQueue')?.slice(0, 3)).toEqual(['RequestQueue', '10,003', '10,000']);
    expect(rows.get('RequestExecution')?.at(-1)).toBe('8');
    expect(rows.get('SessionEstablishment')?.slice(0, 3)).toEqual(['SessionEstablishment', '64', '62']);
  });

  it.each([
    [{ limits: { maxSessionCount: 100, maxChannelCount: 101 } }, 'maxChannelCount'],
    [inServer({ ResourceIsolation: { Stages: [{ Stage: 'RequestQueue', Capacity: 3 }] } }), 'stages[0].capacity'],
    [
      inServer({ ResourceIsolation: { Mode: 'FairShare', Stages: [{ Stage: 'Connection', BootstrapReserved: 1 }] } }),
      'stages[0].bootstrapReserved',
    ],
    [inServer({ ResourceIsolation: { HandshakeTimeout: '00:02:01' } }), 'handshakeTimeoutMs'],
    [inServer({ RateLimits: { ConnectionBurst: 2 } }), 'rateLimits.connectionBurst'],
    [inServer({ RateLimits: { ConnectionBurst: '2' } }), 'OpcUa:Server:RateLimits:ConnectionBurst'],
    [inServer({ ResourceIsolation: { Mode: 'Fair' } }), 'OpcUa:Server:ResourceIsolation:Mode'],
  ])('RI-13 that cannot be made ends with 1 and names what is wrong: %j', async (content, path) => {
    const { out, err, exitCode: code } = await printPlan(content);
    expect([out, code]).toEqual(['', 1]);
    expect(err).toContain(path);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('shows bytes in a readable unit, and says when it rounded', () => {
    expect([0, 1023, 1024, 17_039_360, 33_030_144, 1_073_741_825].map(formatBytes)).toEqual([
      '0 B',
      '1,023 B',
      '1 KiB',
      '16.25 MiB',
      '31.5 MiB',
      '~1 GiB',
    ]);
  });
});

describe('the section OpcUa:Server', () => {
  it('RI-11 may be spelled in PascalCase and in camelCase', () => {
    const pascal = inServer({ ResourceIsolation: { Mode: 'FairShare' }, RateLimits: { ConnectionsPerSecond: 7 } });
    const camel = { opcUa: { server: { resourceIsolation: { mode: 'FairShare' }, rateLimits: { connectionsPerSecond: 7 } } } };
    for (const file of [pascal, camel]) {
      expect(parseConfiguration(JSON.stringify({ port: 1, ...file }), 'c.json')).toEqual({
        port: 1,
        resourceIsolation: { mode: 'FairShare' },
        rateLimits: { connectionsPerSecond: 7 },
      });
    }
  });

  it.each([
    [inServer({ Isolation: {} }), 'OpcUa:Server:Isolation'],
    [{ OpcUa: { Client: {} } }, 'OpcUa:Client'],
    [{ OpcUa: 3 }, 'OpcUa'],
    [{ OpcUa: {}, opcUa: {} }, 'OpcUa'],
    [inServer({ RateLimits: { Enabled: true, enabled: true } }), 'OpcUa:Server:RateLimits:enabled'],
    [inServer({ RateLimits: { ConnectionsPerMinute: 1 } }), 'OpcUa:Server:RateLimits:ConnectionsPerMinute'],
    [inServer({ ResourceIsolation: { Stages: [{ Stage: 'Connection', Limit: 3 }] } }), 'OpcUa:Server:ResourceIsolation:Stages'],
  ])('RI-11 has no key that nobody reads, and none twice: %j', (content, path) => {
    const parse = () => parseConfiguration(JSON.stringify(content), 'c.json');
    expect(parse).toThrow(ConfigurationError);
    expect(parse).toThrow(`c.json: ${path}`);
  });
});
