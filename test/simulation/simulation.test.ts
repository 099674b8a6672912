import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientKinds } from './options.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import { SimulationStore } from './simulation-store.ts';
import { Tally } from './tally.ts';

const SEED_COUNT = Number(process.env['TEST_SEEDS'] ?? 2000);
const FIRST_SEED = Number(process.env['TEST_FROM'] ?? 1);
const SEEDS_PER_TEST = 250;
const MS_PER_SEED = 1000;
const REPEATED_SEEDS = Math.min(50, SEED_COUNT);
/** With fewer seeds, rare things may not happen. */
const ENOUGH_SEEDS = 1000;
const LEAST_RUNS_PER_SETTING = 100;

/** A simulation that never gets there proves nothing. */
const answers: readonly string[] = [
  ...['ServerTooBusy', 'ServerHalted', 'Timeout', 'RequestCancelledByClient', 'TooManySessions', 'UserAccessDenied'],
  ...['SessionClosed', 'SessionIdInvalid', 'SessionNotActivated', 'SecureChannelClosed', 'SecureChannelIdInvalid'],
].map((name) => `answer Bad${name}`);

const settings: readonly string[] = [
  ...['SharedOnly', 'FairShare', 'Balanced', 'TrustedReservations'].map((mode) => `mode ${mode}`),
  ...['turn', 'time', 'arrival'].map((scheduling) => `scheduling ${scheduling}`),
  ...['trusted', 'Bootstrap', 'Reconnect', 'Control'].map((standing) => `standing ${standing}`),
  ...['cut', 'stall', 'clockJump', 'wallClockStep'].map((fault) => `fault ${fault}`),
  ...['shutdown', 'clientsLeave'].map((end) => `end ${end}`),
  ...clientKinds.map((kind) => `client ${kind}`),
];

const happenings: readonly string[] = [
  ...answers,
  ...[
    'HelloTimeout',
    'HandshakeTimeout',
    'MessageTooLarge',
    'NotEnoughResources',
    'Reclaimed',
    'ServerShutdown',
    'SlowReader',
    'OwnerUnsentLimit',
  ].map((reason) => `closed ${reason}`),
  ...['Connection', 'ParkedRequest', 'RequestExecution', 'RequestQueue', 'SessionEstablishment'].flatMap((stage) => [
    `refusal ${stage} Capacity`,
    `refusal ${stage} OwnerLimit`,
  ]),
  ...['refusal ReassemblyBytes Capacity', 'refusal RequestQueueBytes Capacity', 'connection refused OwnerTableFull'],
  ...[
    'channel held back',
    'channel released',
    'message checked',
    'missed message fetched',
    'request resumed',
    'wait for others',
    'wait for a place',
  ],
  'witness served',
];

describe('the whole server under a seeded schedule', () => {
  let opened: SimulationStore;

  beforeAll(async () => {
    opened = await SimulationStore.open();
  });

  afterAll(() => opened[Symbol.asyncDispose]());

  const tally = new Tally();

  async function simulateAll(first: number, count: number): Promise<SimulationResult[]> {
    const results: SimulationResult[] = [];
    for (let seed = first; seed < first + count; seed++) {
      const result = await simulate(seed, opened.store).catch((error: unknown) => {
        // At once: a long run says the rest only when it ends.
        console.error(error instanceof Error ? error.message : error);
        throw error;
      });
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
    expect(settings.filter((what) => tally.count(what) < LEAST_RUNS_PER_SETTING)).toEqual([]);
  });

  it('does the same again with the same seed', async () => {
    const once = await simulateAll(FIRST_SEED, REPEATED_SEEDS);
    expect(await simulateAll(FIRST_SEED, REPEATED_SEEDS)).toEqual(once);
    expect(new Set(once.map(({ traceHash }) => traceHash)).size).toBe(REPEATED_SEEDS);
  });
});
