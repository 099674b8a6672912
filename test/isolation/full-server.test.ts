import type { ResourceIsolationClassifier } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawUacpPeer } from '@bulkhead/testkit';
import { FindServersRequest, FindServersResponse } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const TRUSTED = '127.0.0.9';
const ORDINARY = '127.0.0.2';
/** Room for these many connections of anybody; one more for each class that has a reserve. */
const SHARED = 3;

const resourceIsolationClassifier: ResourceIsolationClassifier = {
  classifyIngress: (address) => (address === TRUSTED ? { key: 'plant', ownerClass: 'Trusted' } : undefined),
};

function startSmallServer(ownerHardLimit?: number): Promise<TestServer> {
  return startTestServer(undefined, {
    maxSessionCount: SHARED - 1,
    maxChannelCount: SHARED + 3,
    maxReassemblyBytes: 128 * 1024 * 1024,
    resourceIsolation: {
      mode: 'TrustedReservations',
      trustedOwners: [{ key: 'plant' }],
      ...(ownerHardLimit === undefined ? {} : { stages: [{ stage: 'Connection', ownerHardLimit }] }),
    },
    resourceIsolationClassifier,
  });
}

async function openPeer({ port }: TestServer, localAddress: string): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port, localAddress });
  await peer.hello();
  await peer.openNone();
  return peer;
}

async function isServed(peer: RawUacpPeer): Promise<boolean> {
  return (await peer.request(FindServersRequest, {}, FindServersResponse)).servers !== null;
}

describe('a newcomer at a server whose shared connections are all taken', () => {
  it('RI-39 gets the place of an idle channel in shared capacity, never of one in another’s reserve', async () => {
    const test = await startSmallServer();
    const inReserve = await openPeer(test, TRUSTED);
    const oldest = await openPeer(test, ORDINARY);
    const second = await openPeer(test, ORDINARY);
    const third = await openPeer(test, ORDINARY);
    const newcomer = await openPeer(test, '127.0.0.3');
    await oldest.closed;
    for (const peer of [inReserve, second, third, newcomer]) expect(await isServed(peer)).toBe(true);
    for (const peer of [inReserve, second, third, newcomer]) await peer.closeChannel();
    await test.end();
  });

  it('RI-39 is refused, and nobody is closed, when only a channel in another’s reserve is idle', async () => {
    const test = await startSmallServer();
    const inReserve = await openPeer(test, TRUSTED);
    const sessions = [
      await RawSession.open({ port: test.port, localAddress: ORDINARY }),
      await RawSession.open({ port: test.port, localAddress: ORDINARY }),
    ];
    const unfinished = await openPeer(test, ORDINARY);
    unfinished.send(unfinished.channel.chunk('MSG', 'C', 9, Buffer.alloc(100)));
    await until(() => test.server.resourceIsolation.getUsage(Stage.ReassemblyBytes) > 0);
    const refused = await RawUacpPeer.connect({ port: test.port, localAddress: '127.0.0.3' });
    await refused.closed;
    expect(await isServed(inReserve)).toBe(true);
    expect(unfinished.isClosed).toBe(false);
    await unfinished.destroy();
    for (const session of sessions) await session.close();
    await inReserve.closeChannel();
    await test.end();
  });

  it('RI-39 gets the place of an idle channel in its own reserve', async () => {
    const test = await startSmallServer();
    const own = await openPeer(test, TRUSTED);
    const held: RawSession[] = [];
    for (let at = 0; at < SHARED - 1; at++) held.push(await RawSession.open({ port: test.port, localAddress: ORDINARY }));
    const starting = await RawUacpPeer.connect({ port: test.port, localAddress: ORDINARY });
    await starting.hello();
    const newcomer = await openPeer(test, TRUSTED);
    await own.closed;
    expect(await isServed(newcomer)).toBe(true);
    expect(starting.isClosed).toBe(false);
    await newcomer.closeChannel();
    await starting.destroy();
    for (const session of held) await session.close();
    await test.end();
  });

  it('RI-39 closes nobody when it is over its own limit', async () => {
    const test = await startSmallServer(2);
    const idle = [await openPeer(test, '127.0.0.3'), await openPeer(test, ORDINARY), await openPeer(test, ORDINARY)];
    const greedy = await RawUacpPeer.connect({ port: test.port, localAddress: ORDINARY });
    await greedy.closed;
    for (const peer of idle) expect(await isServed(peer)).toBe(true);
    for (const peer of idle) await peer.closeChannel();
    await test.end();
  });
});
