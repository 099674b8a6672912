import { randomBytes } from 'node:crypto';
import { SecurityPolicies } from '@bulkhead/security';
import { type RawResponse, RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  AdditionalParametersType,
  BuiltInType,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  GetEndpointsRequest,
  GetEndpointsResponse,
  RequestHeader,
  ServiceFault,
  SignatureData,
} from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { HostileTest, until } from './bystander.ts';
import { makeIdentity, passwordToken, SecuredSession } from './secured-client.ts';
import { statusName } from './status-names.ts';

let hostile: HostileTest;

afterEach(() => hostile.end());

async function openPeer(localAddress = '127.0.0.1'): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port: hostile.port, localAddress });
  await peer.hello();
  await peer.openNone();
  return peer;
}

function createSession(peer: RawUacpPeer): Promise<RawResponse> {
  return peer.response(peer.sendRequest(CreateSessionRequest, { requestedSessionTimeout: 60_000 }));
}

const codeOf = ({ header }: RawResponse): string => statusName(header.serviceResult);

/** RetryAfterMs of a fault's additionalHeader. */
function retryAfterMs({ header }: RawResponse): unknown {
  const { parameters } = header.additionalHeader.decode(AdditionalParametersType);
  const value = parameters?.find(({ key }) => key.name === 'RetryAfterMs')?.value;
  expect(value?.type).toBe(BuiltInType.Int64);
  return value?.value;
}

describe('with as many Sessions as there may be', () => {
  it('RL-07 one more is answered with BadTooManySessions while nothing is being established, and channels can still be opened', async () => {
    hostile = await HostileTest.start({ maxSessionCount: 4, maxChannelCount: 5, resourceIsolation: { mode: 'SharedOnly' } });
    await hostile.costsOnlyItsSender(async () => {
      const sessions = await Promise.all(Array.from({ length: 3 }, () => RawSession.open({ port: hostile.port })));
      expect(hostile.usage).toMatchObject({ sessions: 4, SessionEstablishment: 0 });
      const further = await openPeer();
      await further.request(GetEndpointsRequest, {}, GetEndpointsResponse);
      for (let i = 0; i < 10; i++) expect(codeOf(await createSession(further))).toBe('BadTooManySessions');
      for (const session of sessions) expect((await session.read('ns=1;s=Bystander')).results?.[0]?.value?.value).toBe(42);
      await sessions[0]?.close();
      expect(codeOf(await createSession(further))).toBe('Good');
      await further.closeChannel();
      await sessions[1]?.close();
      await sessions[2]?.close();
    });
  });

  it('those that are created and never activated give way to a client that means it', async () => {
    hostile = await HostileTest.start({ maxSessionCount: 5, maxChannelCount: 20 });
    await hostile.costsOnlyItsSender(async () => {
      const flooders = await Promise.all(['127.0.0.2', '127.0.0.3'].map(openPeer));
      let isFlooding = true;
      const floods = flooders.map(async (peer) => {
        while (isFlooding) expect(['Good', 'BadTooManySessions']).toContain(codeOf(await createSession(peer)));
      });
      await until(() => hostile.usage['sessions'] === 5);
      for (let round = 0; round < 20; round++) {
        const client = await RawSession.open({ port: hostile.port, localAddress: '127.0.0.4' });
        expect((await client.read('ns=1;s=Bystander')).results?.[0]?.value?.value).toBe(42);
        await client.close();
      }
      isFlooding = false;
      await Promise.all(floods);
      await Promise.all(flooders.map((peer) => peer.closeChannel()));
    });
  });
});

describe('with as many Sessions being established as may be', () => {
  it('RL-05 RL-08 one more is told BadServerTooBusy and when to come again, before its signature is looked at', async () => {
    let release = (): void => undefined;
    const asked = new Promise<boolean>((resolve) => (release = () => resolve(true)));
    let isAsked = false;
    hostile = await HostileTest.start({
      resourceIsolation: { mode: 'SharedOnly' },
      rateLimits: { maxConcurrentSessionEstablishment: 1 },
      security: {
        policies: ['None', 'Basic256Sha256'],
        allowAnonymous: true,
        validateUser: () => {
          isAsked = true;
          return asked;
        },
      },
      pki: { autoAcceptUntrustedCertificates: true },
    });
    const identity = await makeIdentity('client');
    await hostile.costsOnlyItsSender(async () => {
      const serverCertificate = hostile.test.server.certificateStore.certificate;
      const policy = SecurityPolicies.Basic256Sha256;
      const secured = await SecuredSession.create({ port: hostile.port, policy, identity, serverCertificate });
      const [slow, late] = [await openPeer(), await openPeer()];
      const created = (await createSession(slow)).decode(CreateSessionResponse);
      const requestHeader = RequestHeader.create({ authenticationToken: created.authenticationToken });
      const activating = slow.sendRequest(ActivateSessionRequest, {
        requestHeader,
        userIdentityToken: passwordToken(serverCertificate, created),
      });
      await until(() => isAsked);

      for (const returnDiagnostics of [0, 0x3ff]) {
        const busy = await late.response(
          late.sendRequest(CreateSessionRequest, { requestHeader: RequestHeader.create({ returnDiagnostics, requestHandle: 7 }) }),
        );
        expect([codeOf(busy), busy.typeId, busy.header.requestHandle]).toEqual(['BadServerTooBusy', ServiceFault.binaryEncodingId, 7]);
        expect(retryAfterMs(busy)).toBe(1000n);
      }
      const forged = SignatureData.create({ algorithm: policy.asymmetricSignatureUri, signature: randomBytes(256) });
      expect(statusName(await secured.activate(secured.userToken('user', 'password'), forged))).toBe('BadServerTooBusy');

      release();
      expect(codeOf(await slow.response(activating))).toBe('Good');
      expect(statusName(await secured.activate(secured.userToken('user', 'password'), forged))).toBe('BadApplicationSignatureInvalid');
      expect(codeOf(await createSession(late))).toBe('Good');
      await slow.request(CloseSessionRequest, { requestHeader, deleteSubscriptions: true }, CloseSessionResponse);
      await slow.closeChannel();
      await late.closeChannel();
      await secured.peer.close();
    });
  });
});
