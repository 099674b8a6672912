import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type Abuse,
  type AbuseCounts,
  addIsolationNodes,
  isolationParking,
  METHODS,
  Newcomers,
  NODE_PREFIX,
  POLITE_ADDRESS,
  PoliteClient,
  type PoliteOutcome,
  type RunningAbuse,
  urlBy,
  variablesOf,
} from '@bulkhead/benchmarks';
import { startTestServer, usageOf } from '../../support/test-server.ts';

const ALONE_MS = 300;
const ABUSE_MS = 1000;
const CHANGE_EVERY_MS = 100;
const MOST_ABUSE_MS = 4_000;
const ENOUGH = 60;
const ENOUGH_RESPONSES = 150;
const LOOK_MS = 50;
/** Whoever is gone is forgotten after this long. */
const SESSION_TIMEOUT_MS = 2500;
const NEWCOMER_ADDRESS = '127.0.0.10';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What a polite client and the server went through. */
export interface AbuseRecord {
  readonly alone: PoliteOutcome;
  readonly abused: PoliteOutcome;
  readonly newcomers: Newcomers | undefined;
  readonly counts: AbuseCounts;
  /** Most answers that the abusers got while the polite client waited for one. */
  readonly mostInBetween: number;
  /** What the server held when the abuse was over and everybody was gone. */
  readonly left: Readonly<Record<string, number>>;
  readonly rssGrowthBytes: number;
  /** What is still on the heap and beside it. */
  readonly keptBytes: number;
}

/** Lets an abuse go on for a while against a new server with its defaults; server, abusers and polite client share the process. */
export async function abuseServer(abuse: Abuse): Promise<AbuseRecord> {
  let change = (): void => undefined;
  const test = await startTestServer(
    (space) => {
      change = addIsolationNodes(space);
    },
    {
      minSessionTimeoutMs: 100,
      maxSessionTimeoutMs: SESSION_TIMEOUT_MS,
      requestParking: isolationParking,
      webSocket: {},
      https: {},
      webPort: { port: 0 },
      pki: { autoAcceptUntrustedCertificates: true },
    },
  );
  const workDir = mkdtempSync(join(tmpdir(), 'bulkhead-abuser-'));
  try {
    const url = test.server.endpointUrls[0] ?? '';
    const target = { url, webUrls: test.server.endpointUrls.slice(1), nodePrefix: NODE_PREFIX, methods: METHODS, workDir };
    const nodes = variablesOf(target);
    const connect = (): Promise<PoliteClient> => PoliteClient.connect(urlBy(target, abuse.politeTransport) ?? url, POLITE_ADDRESS, nodes);
    const alone = await connect();
    alone.start();
    await sleep(ALONE_MS);
    await alone.stop();

    const before = memory();
    const polite = await connect();
    polite.start();
    const changing = abuse.needsChanges === true ? setInterval(change, CHANGE_EVERY_MS) : undefined;
    let running: RunningAbuse | undefined = await abuse.start(target);
    const between = new InBetween(running.counts);
    polite.onAnswer = () => between.note();
    const newcomers = abuse.admitsNewcomers === true ? new Newcomers(url, NEWCOMER_ADDRESS, nodes) : undefined;
    await sleep(ABUSE_MS);
    // A busy machine gives everybody less: figures need some answers.
    const endMs = performance.now() + MOST_ABUSE_MS;
    const isEnough = (): boolean => polite.outcome.answers >= ENOUGH && (running?.counts.responses ?? 0) >= ENOUGH_RESPONSES;
    while (!isEnough() && performance.now() < endMs) await sleep(LOOK_MS);
    const rssGrowthBytes = process.memoryUsage.rss() - before.rssBytes;
    await newcomers?.stop();
    await polite.stop();
    const counts = { ...running.counts };
    running.stop();
    // With all that its peers hold.
    running = undefined;
    clearInterval(changing);
    await nothingHeld(() => usageOf(test.server));
    const left = Object.fromEntries(Object.entries(usageOf(test.server)).filter(([, count]) => count !== 0));
    const keptBytes = await leastKept(before.heapBytes);
    const { most: mostInBetween } = between;
    return { alone: alone.outcome, abused: polite.outcome, newcomers, counts, mostInBetween, left, rssGrowthBytes, keptBytes };
  } finally {
    await test.server.stop();
    await test.end();
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** Counts what abusers got from one answer of the polite client to the next. */
class InBetween {
  most = 0;
  readonly #counts: AbuseCounts;
  #before: number;

  constructor(counts: AbuseCounts) {
    this.#counts = counts;
    this.#before = counts.responses;
  }

  note(): void {
    const { responses } = this.#counts;
    this.most = Math.max(this.most, responses - this.#before);
    this.#before = responses;
  }
}

const REST_WITHIN_MS = 8000;
const LOOK_EVERY_MS = 20;
const LOOKS_FOR_MEMORY = 10;
/** Not worth another look. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

async function nothingHeld(usage: () => Readonly<Record<string, number>>): Promise<void> {
  const deadlineMs = performance.now() + REST_WITHIN_MS;
  while (performance.now() < deadlineMs && Object.values(usage()).some((count) => count !== 0)) await sleep(LOOK_EVERY_MS);
}

/** The least that is kept within a while: what sockets have buffered goes some turns after they were closed. */
async function leastKept(heapBytes: number): Promise<number> {
  let least = memory().heapBytes - heapBytes;
  for (let look = 0; look < LOOKS_FOR_MEMORY && least > ENOUGH_BYTES; look++) {
    await sleep(10 * LOOK_EVERY_MS);
    least = Math.min(least, memory().heapBytes - heapBytes);
  }
  return least;
}

function memory(): { readonly rssBytes: number; readonly heapBytes: number } {
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssBytes: rss, heapBytes: heapUsed + external };
}
