import { createServer, type Server } from 'node:net';
import { NodeId } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientConnection } from '../src/client/connection.ts';
import { PlainChannel } from '../src/client/plain-channel.ts';
import { ClientSession } from '../src/client/session.ts';
import { LatencyHistogram } from '../src/latency-histogram.ts';
import type { Load } from '../src/load/load.ts';
import { startReadLoad } from '../src/load/read-load.ts';
import { BakedReads } from '../src/peers/baked-reads.ts';
import { FloorConnection } from '../src/peers/floor-connection.ts';
import { median, renderTable } from '../src/report.ts';
import { turns } from '../src/run.ts';
import { allScenarios, type Scenario } from '../src/scenarios.ts';
import { foreignServer } from '../src/servers/server-kinds.ts';

const NODES: readonly NodeId[] = Array.from({ length: 1000 }, (_, index) => NodeId.string(2, `Bench.Double.${index}`));

describe('the load generator', () => {
  let floor: Server;
  let url: string;

  beforeAll(async () => {
    const baked = new BakedReads();
    floor = createServer((socket) => {
      new FloorConnection(socket, baked);
    });
    await new Promise<void>((resolve) => {
      floor.listen(0, '127.0.0.1', resolve);
    });
    const address = floor.address();
    if (typeof address !== 'object' || address === null) throw new Error('no address');
    url = `opc.tcp://127.0.0.1:${address.port}`;
  });

  afterAll(async () => {
    await new Promise((resolve) => {
      floor.close(resolve);
    });
  });

  it.each([
    [1, 1],
    [1, 50],
    [1000, 1],
    [1000, 50],
  ])('gets correct answers to Reads of %i nodes, %i in flight', async (nodesPerRequest, depth) => {
    const session = await ClientSession.open(await ClientConnection.open(url, new PlainChannel()), undefined);
    const load = startReadLoad(session, { nodes: NODES, nodesPerRequest, depth });
    await answered(load, 300);
    expect(load.latency.count).toBe(load.count);
    await load.stop();
  });

  it('refuses an answer to a request that is not in flight', async () => {
    const session = await ClientSession.open(await ClientConnection.open(url, new PlainChannel()), undefined);
    const load = startReadLoad(session, { nodes: NODES, nodesPerRequest: 1, depth: 1 });
    expect(() => load.onMessage(12345, Buffer.alloc(64), 0, 64)).toThrow('not in flight');
    await load.stop();
  });
});

describe('the report', () => {
  it('runs the servers by turns, forth and back', () => {
    const [scenario] = allScenarios() as [Scenario, ...Scenario[]];
    const servers = ['A', 'B'].map((name) => foreignServer(name, 'opc.tcp://127.0.0.1:4840', undefined));
    expect(turns([scenario], servers, 3).map(([, kind]) => kind.name)).toEqual(['A', 'B', 'B', 'A', 'A', 'B']);
  });

  it('shows the median of each column', () => {
    const [scenario] = allScenarios() as [Scenario, ...Scenario[]];
    const results = [3, 1, 2].map((value) => ({
      scenario: scenario.name,
      server: 'A',
      error: undefined,
      measurement: {
        perSecond: value * 1000,
        p50Ms: value,
        p99Ms: value,
        cpuMsPer1000: value,
        rssMb: value,
        generatorCores: value / 10,
        otherCores: 0,
      },
    }));
    expect(renderTable([scenario], ['A'], results)).toContain(`| ${scenario.name} | A | 2,000 | 2 | 2 | 2 | 2 | 0.20 |`);
    expect(median([1, 4])).toBe(2.5);
  });

  it('keeps latencies to about one per cent', () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 1000; ms++) histogram.record(ms);
    expect(Math.abs(histogram.quantileMs(0.5) / 500 - 1)).toBeLessThan(0.02);
    expect(Math.abs(histogram.quantileMs(0.99) / 990 - 1)).toBeLessThan(0.02);
  });
});

/** Resolves once the load counted that many answers. */
async function answered(load: Load, count: number): Promise<void> {
  while (load.count < count) {
    await Promise.race([load.failed, new Promise((resolve) => setImmediate(resolve))]);
  }
}
