import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { ChunkReassemblyBudget, type ServerOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  FindServersRequest,
  FindServersResponse,
  RequestHeader,
} from '@bulkhead/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { passwordToken } from '../hostile/secured-client.ts';
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

  it('RL-03 leaves a way in for those that come from elsewhere, however long it lasts', async () => {
    await start({ rateLimits: { connectionsPerSecond: 22, connectionBurst: 42 } });
    const stormsOnce = async (count = 20, localAddress = STORM): Promise<number> => {
      await until(() => test.server.counts.connections === 0);
      const held = await storm(count, localAddress);
      await end(held);
      return held.length;
    };
    for (let admitted = 0; admitted < 40; ) admitted += await stormsOnce();
    // The first that comes may find nothing left. From then on the storm is not alone.
    await stormsOnce(1, '127.0.0.6');
    for (let admitted = 0; admitted < 10; ) admitted += await stormsOnce();
    for (const localAddress of ['127.0.0.3', '127.0.0.4', '127.0.0.5']) {
      await stormsOnce();
      const session = await RawSession.open({ port: test.port, localAddress });
      await session.close();
    }
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

describe('rate limits of a server that says nothing of them', () => {
  it('RL-01 let 1,000 connections in at once and 500 more per second, two of each kept for others', async () => {
    await start({ maxChannelCount: 2000 });
    const startMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(startMs);
    const held = [...(await storm(600, '127.0.0.2')), ...(await storm(500, '127.0.0.3'))];
    expect(held).toHaveLength(998);
    clock.mockReturnValue(startMs + 1000);
    // Of callers that come seldom: the last eighth isn't for others.
    const later: RawUacpPeer[] = [];
    for (let caller = 0; caller < 50; caller++) later.push(...(await storm(11, `127.0.1.${caller}`)));
    clock.mockRestore();
    expect(later).toHaveLength(498);
    held.push(...later);
    expect(test.server.isolation.usage()[Stage.SessionEstablishment]?.total).toBe(Math.max(availableParallelism() * 8, 128));
    await end(held);
  });

  // Linux shows the backlog of a listening socket as its Send-Q.
  it.skipIf(spawnSync('ss', ['-V']).error !== undefined)('RL-04 have the operating system keep 512 that are not accepted yet', async () => {
    for (const [rateLimits, backlog] of [[{}, 512] as const, [{ listenBacklog: 77, enabled: false }, 77] as const]) {
      await start({ rateLimits });
      const { stdout } = spawnSync('ss', ['-ltnH', `sport = :${test.port}`], { encoding: 'utf8' });
      expect(Number(stdout.trim().split(/\s+/u)[2])).toBe(backlog);
      if (backlog === 512) await test.end();
    }
  });
});

describe('connections beyond the burst', () => {
  it.each(['FairShare', 'SharedOnly'] as const)(
    'RL-03 are closed without a byte, and nothing is kept for them, in mode %s',
    async (mode) => {
      await start({ resourceIsolation: { mode }, rateLimits: { connectionsPerSecond: 1, connectionBurst: 5 } });
      const startMs = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 30 }, async () => {
          const peer = await RawUacpPeer.connect({ port: test.port, localAddress: STORM });
          return {
            peer,
            isIn: await peer.hello().then(
              () => true,
              (error: Error) => error.message,
            ),
          };
        }),
      );
      const held = answers.filter(({ isIn }) => isIn === true);
      expect(held.length).toBeGreaterThanOrEqual(5);
      expect(held.length).toBeLessThanOrEqual(5 + (performance.now() - startMs) / 1000);
      const refused = answers.filter(({ isIn }) => isIn !== true);
      expect(new Set(refused.map(({ isIn }) => isIn))).toEqual(new Set(['the connection was closed']));
      expect(test.server.counts.connections).toBe(held.length);
      for (const stage of [Stage.Connection, Stage.Handshake]) expect(test.server.resourceIsolation.getUsage(stage)).toBe(held.length);
      await end(held.map(({ peer }) => peer));
    },
  );
});

describe('connections for which a full server would have to make room', () => {
  it('RL-14 cost one token, whether room is made or not, and close nobody when they come too fast', async () => {
    let isOpen = true;
    let asked = 0;
    await start({
      maxSessionCount: 2,
      maxChannelCount: 5,
      resourceIsolation: { mode: 'Balanced' },
      serverRateLimiterProvider: {
        connections: {
          tryAdmit: () => {
            asked++;
            return isOpen;
          },
        },
      },
    });
    const open = async (localAddress: string): Promise<RawUacpPeer> => {
      const peer = await RawUacpPeer.connect({ port: test.port, localAddress });
      await peer.hello();
      await peer.openNone();
      return peer;
    };
    const idle = [await open('127.0.0.2'), await open('127.0.0.3'), await open('127.0.0.4')];
    expect(asked).toBe(3);
    isOpen = false;
    await expect(open('127.0.0.5')).rejects.toThrow('closed');
    expect(asked).toBe(4);
    for (const peer of idle) await peer.request(FindServersRequest, {}, FindServersResponse);
    isOpen = true;
    const newcomer = await open('127.0.0.5');
    expect(asked).toBe(5);
    await idle[0]?.closed;
    for (const peer of [...idle.slice(1), newcomer]) await peer.closeChannel();
  });
});

describe('Session establishment', () => {
  it.each([
    [{ maxConcurrentSessionEstablishment: 1 }, 1],
    [{ maxConcurrentSessionEstablishment: 1, enabled: false }, 3],
    [{ maxConcurrentSessionEstablishment: 1, sessionRateLimitEnabled: false }, 3],
  ])('RL-02 is limited unless that is turned off: %o lets %i run at a time', async (rateLimits, expected) => {
    let asked = 0;
    let release = (): void => undefined;
    const released = new Promise<boolean>((resolve) => (release = () => resolve(true)));
    await start({
      rateLimits,
      resourceIsolation: { mode: 'SharedOnly' },
      security: {
        policies: ['None', 'Basic256Sha256'],
        allowAnonymous: true,
        validateUser: () => {
          asked++;
          return released;
        },
      },
    });
    const certificate = test.server.certificateStore.certificate;
    const clients = [];
    for (let at = 0; at < 3; at++) {
      const peer = await RawUacpPeer.connect({ port: test.port });
      await peer.hello();
      await peer.openNone();
      const created = await peer.request(CreateSessionRequest, { requestedSessionTimeout: 60_000 }, CreateSessionResponse);
      clients.push({ peer, created, requestHeader: RequestHeader.create({ authenticationToken: created.authenticationToken }) });
    }
    const answers = clients.map(async ({ peer, created, requestHeader }) => {
      const userIdentityToken = passwordToken(certificate, created);
      const { header } = await peer.response(peer.sendRequest(ActivateSessionRequest, { requestHeader, userIdentityToken }));
      return statusName(header.serviceResult);
    });
    await until(() => asked === expected);
    if (expected === 1) await until(() => test.server.isolation.refusals().length === 2);
    release();
    const results = await Promise.all(answers);
    expect(results.filter((name) => name === 'Good')).toHaveLength(expected);
    expect(results.filter((name) => name === 'BadServerTooBusy')).toHaveLength(3 - expected);
    for (const { peer, requestHeader } of clients) {
      await peer.request(CloseSessionRequest, { requestHeader, deleteSubscriptions: true }, CloseSessionResponse);
      await peer.closeChannel();
    }
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
