import { randomBytes } from 'node:crypto';
import type { ServerOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { SecurityPolicies } from '@bulkhead/security';
import { RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  RequestHeader,
  SignatureData,
} from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { makeIdentity, passwordToken, SecuredSession } from '../hostile/secured-client.ts';
import { statusName } from '../hostile/status-names.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let test: TestServer;
let release: () => void;

afterEach(() => test.end());

/** A server with one shared place, whose users are let in when the test releases them. */
async function start(sessionEstablishmentQueueLimit: number, resourceIsolation: ServerOptions['resourceIsolation']): Promise<void> {
  const released = new Promise<boolean>((resolve) => (release = () => resolve(true)));
  const isShared = resourceIsolation?.mode === 'SharedOnly';
  test = await startTestServer(undefined, {
    ...(resourceIsolation === undefined ? {} : { resourceIsolation }),
    rateLimits: { maxConcurrentSessionEstablishment: isShared ? 1 : 3, sessionEstablishmentQueueLimit },
    security: { policies: ['None', 'Basic256Sha256'], allowAnonymous: true, validateUser: () => released },
    pki: { autoAcceptUntrustedCertificates: true },
  });
}

async function openPeer(): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port: test.port });
  await peer.hello();
  await peer.openNone();
  return peer;
}

const create = (peer: RawUacpPeer, timeoutHint = 0): number =>
  peer.sendRequest(CreateSessionRequest, { requestHeader: RequestHeader.create({ timeoutHint }), requestedSessionTimeout: 60_000 });

const codeOf = async (peer: RawUacpPeer, requestId: number): Promise<string> =>
  statusName((await peer.response(requestId)).header.serviceResult);

const usage = (stage: Stage): number => test.server.resourceIsolation.getUsage(stage);

/** An ActivateSession that has the only shared place until users are released. */
async function occupy(): Promise<{ end(): Promise<void> }> {
  const peer = await openPeer();
  const created = (await peer.response(create(peer))).decode(CreateSessionResponse);
  const requestHeader = RequestHeader.create({ authenticationToken: created.authenticationToken });
  const userIdentityToken = passwordToken(test.server.certificateStore.certificate, created);
  const activating = peer.sendRequest(ActivateSessionRequest, { requestHeader, userIdentityToken });
  await until(() => usage(Stage.SessionEstablishment) === 1);
  return {
    end: async () => {
      expect(await codeOf(peer, activating)).toBe('Good');
      await peer.request(CloseSessionRequest, { requestHeader, deleteSubscriptions: true }, CloseSessionResponse);
      await peer.closeChannel();
    },
  };
}

describe.each([undefined, { mode: 'SharedOnly' }] as const)('CreateSession requests while the only place is taken, with %o', (mode) => {
  it('RL-06 wait their turn, oldest first, while other requests of their callers are served', async () => {
    await start(3, mode);
    const served = await RawSession.open({ port: test.port });
    const busy = await occupy();
    const peer = await openPeer();
    const first = create(peer);
    await until(() => usage(Stage.RequestQueue) === 1);
    const second = create(peer);
    await until(() => usage(Stage.RequestQueue) === 2);
    expect(usage(Stage.RequestExecution)).toBe(1);
    expect((await served.read('i=2255')).results?.[0]?.statusCode).toBe(0);
    release();
    await busy.end();
    const answered = [peer.channel.receive(await peer.nextChunk()), peer.channel.receive(await peer.nextChunk())];
    expect(answered.map((answer) => answer?.requestId)).toEqual([first, second]);
    expect(answered.map((answer) => statusName(answer?.header.serviceResult ?? -1))).toEqual(['Good', 'Good']);
    await served.close();
    await peer.closeChannel();
  });

  it('RL-05 RL-06 are refused when no more may wait, before a signature is looked at', async () => {
    await start(1, mode);
    const identity = await makeIdentity('client');
    const serverCertificate = test.server.certificateStore.certificate;
    const policy = SecurityPolicies.Basic256Sha256;
    const secured = await SecuredSession.create({ port: test.port, policy, identity, serverCertificate });
    const busy = await occupy();
    const peer = await openPeer();
    const waiting = create(peer);
    await until(() => usage(Stage.RequestQueue) === 1);
    const forged = SignatureData.create({ algorithm: policy.asymmetricSignatureUri, signature: randomBytes(256) });
    expect(statusName(await secured.activate(secured.userToken('user', 'password'), forged))).toBe('BadServerTooBusy');
    release();
    await busy.end();
    expect(await codeOf(peer, waiting)).toBe('Good');
    await peer.closeChannel();
    await secured.peer.close();
  });

  it('RL-06 end with their timeoutHint or their channel, and make room for others', async () => {
    await start(2, mode);
    const busy = await occupy();
    const [late, gone, last] = [await openPeer(), await openPeer(), await openPeer()];
    const timedOut = create(late, 100);
    create(gone);
    await until(() => usage(Stage.RequestQueue) >= 1);
    expect(await codeOf(late, timedOut)).toBe('BadTimeout');
    await gone.destroy();
    await until(() => usage(Stage.RequestQueue) === 0);
    const waiting = create(last);
    await until(() => usage(Stage.RequestQueue) === 1);
    release();
    await busy.end();
    expect(await codeOf(last, waiting)).toBe('Good');
    await late.closeChannel();
    await last.closeChannel();
  });
});
