import { randomBytes } from 'node:crypto';
import { RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  CancelRequest,
  CloseSessionRequest,
  CreateSessionRequest,
  CreateSessionResponse,
  NodeId,
  PublishRequest,
  ReadRequest,
  RequestHeader,
  type RequestType,
} from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { startTestServer } from '../support/test-server.ts';
import { HostileTest, until } from './bystander.ts';
import { statusName } from './status-names.ts';

const NODE = 'ns=1;s=Bystander';
let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start();
});

afterAll(() => hostile.end());

async function openPeer(port = hostile.port): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port });
  await peer.hello();
  await peer.openNone();
  return peer;
}

/** The code that a request with this token is answered with. */
async function statusOf<T extends { requestHeader: RequestHeader }>(
  peer: RawUacpPeer,
  authenticationToken: NodeId,
  type: RequestType<T>,
  init: Partial<T> = {},
): Promise<string> {
  const requestHeader = RequestHeader.create({ authenticationToken, requestHandle: 5 });
  const { header } = await peer.response(peer.sendRequest(type, { ...init, requestHeader }));
  expect(header.requestHandle).toBe(5);
  return statusName(header.serviceResult);
}

const read = (peer: RawUacpPeer, token: NodeId): Promise<string> => statusOf(peer, token, ReadRequest, readOf([NODE]));

function createSession(peer: RawUacpPeer): Promise<CreateSessionResponse> {
  return peer.request(CreateSessionRequest, { requestedSessionTimeout: 60_000 }, CreateSessionResponse);
}

describe('a request whose authentication token', () => {
  it.each([
    ['is null', NodeId.numeric(0, 0)],
    ['is a number', NodeId.numeric(0, 12_345)],
    ['is a SessionId', NodeId.guid(1, '72962b91-fa75-4ae6-8d28-b404dc7daf63')],
    ['is a text', NodeId.string(0, 'let me in')],
    ['is a text of 60 kB', NodeId.string(0, 'x'.repeat(60_000))],
    ['is empty', NodeId.opaque(0, Buffer.alloc(0))],
    ['has the right form', NodeId.opaque(0, randomBytes(32))],
    ['has the right form in another namespace', NodeId.opaque(1, randomBytes(32))],
    ['is nothing but zeros', NodeId.opaque(0, Buffer.alloc(32))],
  ])('%s is answered with BadSessionIdInvalid for every service', async (_what, token) => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      expect(await read(peer, token)).toBe('BadSessionIdInvalid');
      for (const type of [ActivateSessionRequest, CloseSessionRequest, CancelRequest, PublishRequest]) {
        expect(await statusOf(peer, token, type as RequestType<{ requestHeader: RequestHeader }>)).toBe('BadSessionIdInvalid');
      }
      await peer.closeChannel();
    });
  });

  it('belongs to a Session of another channel gets nothing, and that Session notices nothing', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const victim = await RawSession.open({ port: hostile.port });
      const token = victim.header().authenticationToken;
      const thief = await openPeer();
      expect(await read(thief, token)).toBe('BadSecureChannelIdInvalid');
      expect(await statusOf(thief, token, PublishRequest)).toBe('BadSecureChannelIdInvalid');
      expect(await statusOf(thief, token, CloseSessionRequest, { deleteSubscriptions: true })).toBe('BadSecureChannelIdInvalid');
      expect(await statusOf(thief, token, CancelRequest, { requestHandle: 1 })).toBe('BadSecureChannelIdInvalid');
      expect((await victim.read(NODE)).results?.[0]?.value?.value).toBe(42);
      await thief.closeChannel();
      await victim.close();
    });
  });

  it('was closed is as unknown as any other', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      const { authenticationToken } = await createSession(peer);
      expect(await statusOf(peer, authenticationToken, ActivateSessionRequest)).toBe('Good');
      expect(await statusOf(peer, authenticationToken, CloseSessionRequest)).toBe('Good');
      expect(await read(peer, authenticationToken)).toBe('BadSessionIdInvalid');
      expect(await statusOf(peer, authenticationToken, CloseSessionRequest)).toBe('BadSessionIdInvalid');
      await peer.closeChannel();
    });
  });
});

describe('a Session that is not activated', () => {
  it('is closed by its first use', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      const { authenticationToken } = await createSession(peer);
      expect(await read(peer, authenticationToken)).toBe('BadSessionNotActivated');
      expect(await statusOf(peer, authenticationToken, ActivateSessionRequest)).toBe('BadSessionIdInvalid');
      await peer.closeChannel();
    });
  });

  it('can be activated on its own channel only, and ends with that', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const [creator, thief] = [await openPeer(), await openPeer()];
      const { authenticationToken } = await createSession(creator);
      expect(await statusOf(thief, authenticationToken, ActivateSessionRequest)).toBe('BadSecureChannelIdInvalid');
      await creator.destroy();
      await until(() => hostile.usage['sessions'] === 1);
      expect(await statusOf(thief, authenticationToken, ActivateSessionRequest)).toBe('BadSessionIdInvalid');
      await thief.closeChannel();
    });
  });
});

describe('a Session on a channel without security, where none is offered', () => {
  it('cannot be activated', async () => {
    const test = await startTestServer(undefined, { security: { policies: ['Basic256Sha256'] } });
    const peer = await openPeer(test.port);
    const requestId = peer.sendRequest(CreateSessionRequest, { requestedSessionTimeout: 60_000 });
    const response = await peer.response(requestId);
    if (response.header.serviceResult === 0) {
      const { authenticationToken } = response.decode(CreateSessionResponse);
      expect(await statusOf(peer, authenticationToken, ActivateSessionRequest)).toBe('BadIdentityTokenRejected');
    }
    await peer.closeChannel();
    await test.end();
  });
});
