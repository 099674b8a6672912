import { ChunkReassemblyBudget, type ServerOptions } from '@bulkhead/opcua';
import { RawUacpPeer } from '@bulkhead/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { statusName } from '../hostile/status-names.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const STORM = '127.0.0.2';
const GATEWAY = '127.0.0.7';

let test: TestServer;

afterEach(() => test.end());

async function start(options: Partial<ServerOptions>): Promise<void> {
  test = await startTestServer(undefined, options);
}

/** Connects so many times at once, and says who was let in once the server has answered all. */
async function storm(count: number, localAddress = STORM): Promise<RawUacpPeer[]> {
  const before = test.server.counts.connections;
  const peers = await Promise.all(Array.from({ length: count }, () => RawUacpPeer.connect({ port: test.port, localAddress })));
  await until(() => {
    const closed = peers.filter((peer) => peer.isClosed).length;
    return closed + test.server.counts.connections - before === count;
  });
  return peers.filter((peer) => !peer.isClosed);
}

const end = (peers: readonly RawUacpPeer[]): Promise<unknown> => Promise.all(peers.map((peer) => peer.destroy()));

describe('a storm of connections', () => {
  it('RL-13 takes no token that is kept for protected callers', async () => {
    await start({
      rateLimits: { connectionsPerSecond: 3, connectionBurst: 12 },
      resourceIsolationClassifier: {
        classifyIngress: (address) => (address === GATEWAY ? { key: 'gateway', ownerClass: 'Bootstrap' } : undefined),
      },
    });
    const startMs = performance.now();
    const held = await storm(40);
    expect(held.length).toBeGreaterThanOrEqual(10);
    // One more per second, as two of three are kept.
    expect(held.length).toBeLessThanOrEqual(11 + (performance.now() - startMs) / 1000);
    const session = await RawSession.open({ port: test.port, localAddress: GATEWAY });
    expect((await session.read('i=2255')).results?.[0]?.statusCode).toBe(0);
    await session.close();
    await end(held);
  });

  it('RL-13 gets nothing back for connections that it closes', async () => {
    await start({ rateLimits: { connectionsPerSecond: 3, connectionBurst: 7 } });
    const startMs = performance.now();
    let admitted = 0;
    for (let round = 0; round < 5; round++) {
      const held = await storm(10);
      admitted += held.length;
      await end(held);
      await until(() => test.server.counts.connections === 0);
    }
    expect(admitted).toBeLessThanOrEqual(6 + (performance.now() - startMs) / 1000);
  });

  it('RL-14 costs others nothing where its sender is over a limit of its own', async () => {
    await start({
      rateLimits: { connectionsPerSecond: 3, connectionBurst: 12 },
      resourceIsolation: { stages: [{ stage: 'Connection', ownerHardLimit: 2 }] },
    });
    const held = await storm(60);
    expect(held).toHaveLength(2);
    const others = await Promise.all(
      ['127.0.0.3', '127.0.0.4', '127.0.0.5'].map((localAddress) => RawSession.open({ port: test.port, localAddress })),
    );
    await Promise.all(others.map((session) => session.close()));
    await end(held);
  });

  it('RL-02 is not stopped by rate limits that are turned off, yet by the limits of isolation', async () => {
    await start({
      rateLimits: { enabled: false, connectionsPerSecond: 1, connectionBurst: 1 },
      resourceIsolation: { stages: [{ stage: 'Connection', ownerHardLimit: 30 }] },
    });
    const held = await storm(40);
    expect(held).toHaveLength(30);
    await end(held);
  });

  it('RL-09 is judged by a provider of the host alone', async () => {
    const asked: string[] = [];
    await start({
      rateLimits: { connectionsPerSecond: 3, connectionBurst: 3 },
      serverRateLimiterProvider: { connections: { tryAdmit: (_nowMs, { key }) => asked.push(key) !== 5 } },
    });
    const held = await storm(20);
    expect(held).toHaveLength(19);
    expect(asked).toEqual(new Array(20).fill(`address:${STORM}`));
    await end(held);
  });
});

describe('unfinished messages', () => {
  it.each([true, false])('CB-09 are bounded by the chunk budget with rate limits enabled: %s', async (enabled) => {
    const budget = new ChunkReassemblyBudget(256 * 1024, 256 * 1024);
    await start({
      rateLimits: { enabled },
      resourceIsolation: { mode: 'SharedOnly' },
      maxMessageSize: 128 * 1024,
      chunkReassemblyBudget: budget,
    });
    const peers: RawUacpPeer[] = [];
    for (let at = 0; at < 5; at++) {
      const peer = await RawUacpPeer.connect({ port: test.port });
      await peer.hello();
      await peer.openNone();
      peer.send(peer.channel.chunk('MSG', 'C', 9, Buffer.alloc(60_000)));
      peers.push(peer);
    }
    expect(statusName((await (peers.at(-1) as RawUacpPeer).nextError()).error)).toBe('BadTcpNotEnoughResources');
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.maxBytes);
    await end(peers);
    await until(() => budget.usedBytes === 0);
  });
});
