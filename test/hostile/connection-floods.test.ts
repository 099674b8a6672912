import { RawUacpPeer, RecordingProvider } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  GetEndpointsRequest,
  GetEndpointsResponse,
  RequestHeader,
} from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { HostileTest, until } from './bystander.ts';
import { passwordToken } from './secured-client.ts';
import { statusName } from './status-names.ts';

let hostile: HostileTest;

afterEach(() => hostile.end());

async function openPeer(localAddress = '127.0.0.1'): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port: hostile.port, localAddress });
  await peer.hello();
  await peer.openNone();
  return peer;
}

/** True when the server took the connection, false when it closed it without a word. */
async function isTaken(peer: RawUacpPeer): Promise<boolean> {
  try {
    await peer.hello();
    return true;
  } catch {
    await peer.closed;
    return false;
  }
}

describe('a flood of connections', () => {
  it('that never send fills no more than maxChannelCount, and is gone with the Hello deadline', async () => {
    const maxChannelCount = 300;
    hostile = await HostileTest.start({ maxSessionCount: 10, maxChannelCount, helloTimeoutMs: 3000 });
    await hostile.costsOnlyItsSender(async () => {
      const flood = await Promise.all(Array.from({ length: maxChannelCount + 20 }, () => RawUacpPeer.connect({ port: hostile.port })));
      await until(() => flood.filter((peer) => peer.isClosed).length >= 20);
      expect(hostile.usage['connections']).toBeLessThanOrEqual(maxChannelCount);
      expect(hostile.usage['connections']).toBeGreaterThan(maxChannelCount - 5);
      expect(await isTaken(await RawUacpPeer.connect({ port: hostile.port }))).toBe(false);
      await hostile.bystanderGoesOn();
      await Promise.all(flood.map((peer) => peer.closed));
      const newcomer = await openPeer();
      await newcomer.request(GetEndpointsRequest, {}, GetEndpointsResponse);
      await newcomer.closeChannel();
    });
  });

  it('that open a channel and go away without a word leaves nothing', async () => {
    hostile = await HostileTest.start();
    await hostile.costsOnlyItsSender(async () => {
      for (let round = 0; round < 5; round++) {
        const peers = await Promise.all(Array.from({ length: 40 }, () => openPeer()));
        await Promise.all(peers.map((peer) => peer.destroy()));
      }
    });
  });

  it('that opens channels only makes room by itself: the oldest channel without a Session goes, a new client gets in', async () => {
    hostile = await HostileTest.start({ maxSessionCount: 10, maxChannelCount: 30 });
    await hostile.costsOnlyItsSender(async () => {
      const idle: RawUacpPeer[] = [];
      while ((hostile.usage['connections'] ?? 0) < 25) idle.push(await openPeer());
      for (let i = 0; i < 40; i++) idle.push(await openPeer());
      await until(() => idle.filter((peer) => peer.isClosed).length >= idle.length - 30);
      // The oldest went first.
      const firstAlive = idle.findIndex((peer) => !peer.isClosed);
      expect(idle.slice(firstAlive).every((peer) => !peer.isClosed)).toBe(true);
      const client = await RawSession.open({ port: hostile.port, localAddress: '127.0.0.3' });
      expect((await client.read('ns=1;s=Bystander')).results?.[0]?.value?.value).toBe(42);
      await client.close();
      await Promise.all(idle.map((peer) => peer.destroy()));
    });
  });
});

describe('a full server', () => {
  it('RI-39 makes room by closing an established channel without a Session, none that is in the middle of something, for nobody over its limit', async () => {
    const total = 8;
    const provider = new RecordingProvider({ Connection: { total, perOwner: total - 1 } });
    let release = (): void => undefined;
    const held = new Promise<boolean>((resolve) => {
      release = () => resolve(true);
    });
    const validateUser = (): Promise<boolean> => held;
    hostile = await HostileTest.start({
      resourceIsolationProvider: provider,
      security: { policies: ['None', 'Basic256Sha256'], allowAnonymous: true, validateUser },
    });
    await hostile.costsOnlyItsSender(async () => {
      const withSession = await RawSession.open({ port: hostile.port });
      const inFlight = await openPeer();
      const activating = await startActivation(inFlight);
      const inHandshake = await RawUacpPeer.connect({ port: hostile.port });
      await inHandshake.hello();
      const halfSender = await openPeer();
      halfSender.send(halfSender.channel.chunk('MSG', 'C', 9, Buffer.alloc(100)));
      const slowReader = await openPeer();
      await fillItsWrites(slowReader);
      const older = await openPeer();
      const busy = [withSession.peer, inFlight, inHandshake, halfSender, slowReader];
      // The bystander and these seven fill the server; this address is at its own limit too.
      const newer = await openPeer();
      expect(hostile.usage['connections']).toBe(total);

      expect(await isTaken(await RawUacpPeer.connect({ port: hostile.port }))).toBe(false);
      expect([older.isClosed, newer.isClosed]).toEqual([false, false]);

      const first = await RawUacpPeer.connect({ port: hostile.port, localAddress: '127.0.0.3' });
      expect(await isTaken(first)).toBe(true);
      expect(statusName((await older.nextError()).error)).toBe('BadTcpNotEnoughResources');
      expect(newer.isClosed).toBe(false);
      const second = await RawUacpPeer.connect({ port: hostile.port, localAddress: '127.0.0.3' });
      expect(await isTaken(second)).toBe(true);
      expect(statusName((await newer.nextError()).error)).toBe('BadTcpNotEnoughResources');
      // Nothing is left that could go.
      expect(await isTaken(await RawUacpPeer.connect({ port: hostile.port, localAddress: '127.0.0.3' }))).toBe(false);
      expect(busy.map((peer) => peer.isClosed)).toEqual(busy.map(() => false));

      release();
      await activating.end();
      await withSession.close();
      await Promise.all([...busy, first, second].map((peer) => peer.destroy()));
    });
  });
});

/** Asks for much more than the sockets' buffers take, and reads nothing. */
async function fillItsWrites(peer: RawUacpPeer): Promise<void> {
  peer.pause();
  const { channel } = peer;
  for (let batch = 0; batch < 40; batch++) {
    peer.send(...Array.from({ length: 100 }, () => channel.request(GetEndpointsRequest, {})));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Begins to activate a Session with a password that is being looked at. */
async function startActivation(peer: RawUacpPeer): Promise<{ end(): Promise<void> }> {
  const created = await peer.request(CreateSessionRequest, { requestedSessionTimeout: 60_000 }, CreateSessionResponse);
  const requestHeader = RequestHeader.create({ authenticationToken: created.authenticationToken });
  const userIdentityToken = passwordToken(hostile.test.server.certificateStore.certificate, created);
  const requestId = peer.sendRequest(ActivateSessionRequest, { requestHeader, userIdentityToken });
  return {
    end: async () => {
      (await peer.response(requestId)).decode(ActivateSessionResponse);
      await peer.request(CloseSessionRequest, { requestHeader, deleteSubscriptions: true }, CloseSessionResponse);
    },
  };
}
