import { referenceNodeIds } from '@bulkhead/reference-server';
import { ClientSubscription, type DataValue, TimestampsToReturn } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { nextEvent, variable } from '../support/publishing.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const TICK_MS = 100;
const DURATION_MS = 10_000;
const LAST_VALUES_WITHIN_MS = 10_000;
const VALUE_ATTRIBUTE = 13;
let server: ReferenceTestServer;
let clients: ForeignClients;
/** Only once the items are there: values that come while it makes them the library gives out later, after newer ones. */
let isTicking = false;
/** Other nodes change at the same pace. */
const stopTicks: (() => void)[] = [];

beforeAll(async () => {
  server = await startReferenceTestServer(
    {},
    {
      benchTickMs: TICK_MS,
      every: (periodMs, run) => {
        const isBench = periodMs === TICK_MS;
        const interval = setInterval(() => {
          if (!isBench || isTicking) run();
        }, periodMs);
        const stop = (): void => clearInterval(interval);
        if (isBench) stopTicks.push(stop);
        return stop;
      },
    },
  );
  clients = await ForeignClients.create();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

/** All values that each item got, by its position. */
async function watchAll(samplingInterval: number): Promise<number[][]> {
  const session = await clients.session(server.endpointUrl);
  const subscription = ClientSubscription.create(session, { requestedPublishingInterval: TICK_MS, publishingEnabled: true });
  await nextEvent(subscription, 'started');
  const seen = referenceNodeIds.bench.map((): number[] => []);
  const group = await subscription.monitorItems(
    referenceNodeIds.bench.map((nodeId) => ({ nodeId, attributeId: VALUE_ATTRIBUTE })),
    { samplingInterval, queueSize: 20, discardOldest: true },
    TimestampsToReturn.Both,
  );
  group.on('changed', (_item, { value, statusCode }: DataValue, index) => {
    if (!statusCode.isGood()) throw new Error(`${referenceNodeIds.bench[index]}: ${statusCode.toString()}`);
    seen[index]?.push(value.value);
  });
  return seen;
}

function lastValues(): number[] {
  return referenceNodeIds.bench.map((nodeId) => variable(server.server, nodeId).dataValue.value?.value as number);
}

describe('1,000 items that change every 100 ms, subscribed for 10 s by a foreign client', () => {
  it('arrive without a loss or a duplicate', async () => {
    const every = await watchAll(0);
    const sampled = await watchAll(TICK_MS);
    isTicking = true;
    await new Promise((resolve) => setTimeout(resolve, DURATION_MS));
    for (const stop of stopTicks) stop();
    const last = lastValues();
    await vi.waitFor(() => {
      expect(every.map((values) => values.at(-1))).toEqual(last);
      expect(sampled.map((values) => values.at(-1))).toEqual(last);
    }, LAST_VALUES_WITHIN_MS);
    // Each tick adds 1 to every value.
    const tickCount = Math.round(last[0] ?? 0);
    expect(tickCount).toBeGreaterThan(10);
    for (const [index, values] of every.entries()) {
      const ticks = values.map((value) => Math.round(value - index / 1000));
      // The first value is from before the first tick.
      const first = values[0] === index / 10 ? 1 : 0;
      const expected = ticks.slice(first).map((_, i) => (ticks[first] ?? 0) + i);
      expect(ticks.slice(first), `item ${index}`).toEqual(expected);
      expect(ticks.length, `item ${index}`).toBeGreaterThanOrEqual(tickCount);
    }
    // What is sampled at the pace of its changes may miss one, but gets none twice and none late.
    for (const [index, all] of sampled.entries()) {
      const values = all[0] === index / 10 ? all.slice(1) : all;
      expect(values, `item ${index}`).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(values.length, `item ${index}`).toBeGreaterThan(0.5 * tickCount);
    }
  });
});
