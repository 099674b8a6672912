import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateStore } from '@bulkhead/security';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulationResult, simulate } from './simulation.ts';
import { Tally } from './tally.ts';

const SEED_COUNT = Number(process.env['BULKHEAD_SEEDS'] ?? 2000);
const FIRST_SEED = Number(process.env['BULKHEAD_FROM'] ?? 1);
const SEEDS_PER_TEST = 250;
const MS_PER_SEED = 1000;
const REPEATED_SEEDS = Math.min(50, SEED_COUNT);
/** With fewer seeds, rare things may not happen. */
const ENOUGH_SEEDS = 1000;

/** A simulation that never gets there proves nothing. */
const answers: readonly string[] = [
  ...['ServerTooBusy', 'ServerHalted', 'Timeout', 'RequestCancelledByClient', 'TooManySessions', 'UserAccessDenied'],
  ...['SessionClosed', 'SessionIdInvalid', 'SessionNotActivated', 'SecureChannelClosed', 'SecureChannelIdInvalid'],
].map((name) => `answer Bad${name}`);

const happenings: readonly string[] = [
  ...answers,
  ...['HelloTimeout', 'HandshakeTimeout', 'MessageTooLarge', 'NotEnoughResources', 'Reclaimed', 'ServerShutdown', 'SlowReader'].map(
    (reason) => `closed ${reason}`,
  ),
  ...['Connection', 'ParkedRequest', 'RequestExecution', 'RequestQueue', 'SessionEstablishment'].flatMap((stage) => [
    `refusal ${stage} Capacity`,
    `refusal ${stage} OwnerLimit`,
  ]),
  ...['refusal ReassemblyBytes Capacity', 'refusal RequestQueueBytes Capacity', 'connection refused OwnerTableFull'],
  ...['channel held back', 'channel released', 'message checked', 'missed message fetched', 'request resumed', 'wait for others'],
  'witness served',
];

describe('the whole server under a seeded schedule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bulkhead-simulation-'));
  let store: CertificateStore;

  beforeAll(async () => {
    const applicationUri = 'urn:bulkhead:simulated';
    store = await CertificateStore.open({ folder, applicationUri, applicationName: 'Simulated', hostNames: ['server'] });
  });

  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tally = new Tally();

  async function simulateAll(first: number, count: number): Promise<SimulationResult[]> {
    const results: SimulationResult[] = [];
    for (let seed = first; seed < first + count; seed++) {
      const result = await simulate(seed, store);
      results.push(result);
      tally.addAll(result.tally);
    }
    return results;
  }

  for (let first = FIRST_SEED; first < FIRST_SEED + SEED_COUNT; first += SEEDS_PER_TEST) {
    const count = Math.min(SEEDS_PER_TEST, FIRST_SEED + SEED_COUNT - first);
    it(`keeps its promises with seeds ${first} to ${first + count - 1}`, { timeout: count * MS_PER_SEED + 60_000 }, async () => {
      await simulateAll(first, count);
    });
  }

  it.skipIf(SEED_COUNT < ENOUGH_SEEDS)('comes into every situation that it is about', () => {
    expect(happenings.filter((what) => tally.count(what) === 0)).toEqual([]);
  });

  it('does the same again with the same seed', async () => {
    const once = await simulateAll(FIRST_SEED, REPEATED_SEEDS);
    expect(await simulateAll(FIRST_SEED, REPEATED_SEEDS)).toEqual(once);
    expect(new Set(once.map(({ traceHash }) => traceHash)).size).toBe(REPEATED_SEEDS);
  });
});
