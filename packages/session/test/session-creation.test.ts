import { Stage } from '@bulkhead/resource-isolation';
import { Certificate, SecurityPolicies, signatureInput, verifySignature } from '@bulkhead/security';
import { createApplicationDescription, StatusCodes } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Application, expectCode, Harness, makeApplication, TestChannel } from './harness.ts';

const { None, Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicies;
let server: Application;
let client: Application;
let stranger: Application;

beforeAll(async () => {
  [server, client, stranger] = (await Promise.all(['server', 'client', 'stranger'].map(makeApplication))) as [
    Application,
    Application,
    Application,
  ];
});

describe('CreateSession', () => {
  it('gives an unguessable token, a nonce, the revised timeout and the endpoints', async () => {
    const harness = new Harness(undefined, { limits: { minTimeoutMs: 5_000, maxTimeoutMs: 50_000 } });
    const channel = new TestChannel(None);
    const first = await harness.create(channel, undefined, { sessionName: 'mine', requestedSessionTimeout: 1e9 });
    const second = await harness.create(channel, undefined, { requestedSessionTimeout: Number.NaN });
    expect(first.response.revisedSessionTimeout).toBe(50_000);
    expect(second.response.revisedSessionTimeout).toBe(5_000);
    expect((first.response.authenticationToken.identifier as Buffer).length).toBe(32);
    expect(first.response.authenticationToken.equals(second.response.authenticationToken)).toBe(false);
    expect(first.response.sessionId.equals(second.response.sessionId)).toBe(false);
    expect(first.serverNonce.length).toBe(32);
    expect(first.serverNonce.equals(second.serverNonce)).toBe(false);
    expect(first.response.serverEndpoints?.[0]?.endpointUrl).toBe('opc.tcp://localhost:4840');
    expect([...harness.manager.sessions()].map(({ sessionName }) => sessionName)).toEqual(['mine', 'Session 1']);
    expect(harness.manager.bySessionId(first.response.sessionId)?.sessionName).toBe('mine');
    expect(JSON.stringify([...harness.manager.sessions()])).not.toContain(first.response.authenticationToken.toString());
  });

  it.each([Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss])(
    'signs the client certificate and nonce under $name',
    async (policy) => {
      const harness = new Harness(server);
      const clientNonce = Buffer.alloc(32, 9);
      const { response } = await harness.create(new TestChannel(policy, client), client, { clientNonce });
      const certificate = Certificate.parse(response.serverCertificate as Buffer);
      expect(verifySignature(policy, certificate, signatureInput(client.der, clientNonce), response.serverSignature)).toBe(true);
      expect(harness.establishing).toBe(0);
    },
  );

  it('refuses a short or missing nonce, another certificate and another ApplicationUri on a secured channel', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    await expectCode(harness.create(channel, client, { clientNonce: Buffer.alloc(31, 1) }), StatusCodes.BadNonceInvalid);
    await expectCode(harness.create(channel, client, { clientNonce: null }), StatusCodes.BadNonceInvalid);
    await expectCode(harness.create(channel, client, { clientCertificate: stranger.der }), StatusCodes.BadCertificateInvalid);
    await expectCode(harness.create(channel, client, { clientCertificate: null }), StatusCodes.BadCertificateInvalid);
    await expectCode(harness.create(channel, client, { clientCertificate: Buffer.from([0x30, 0x82]) }), StatusCodes.BadCertificateInvalid);
    const clientDescription = createApplicationDescription({ applicationUri: 'urn:test:stranger' });
    await expectCode(harness.create(channel, client, { clientDescription }), StatusCodes.BadCertificateUriInvalid);
    expect(harness.manager.sessionCount).toBe(0);
    expect(harness.establishing).toBe(0);
  });

  it('checks nothing of the client with SecurityPolicy None', async () => {
    const harness = new Harness(undefined);
    await harness.create(new TestChannel(None), undefined, { clientNonce: null, clientCertificate: stranger.der });
    expect(harness.manager.sessionCount).toBe(1);
  });

  it('makes no Session on a channel that is secured like no endpoint, which is there for discovery only', async () => {
    const endpoints = { describe: () => [], credentials: () => undefined };
    const harness = new Harness(undefined, { endpoints });
    await expectCode(harness.create(new TestChannel(None)), StatusCodes.BadSecurityPolicyRejected);
    expect(harness.manager.sessionCount).toBe(0);
    expect(harness.establishing).toBe(0);
  });

  it('makes no Session for a channel that closed while the server signed', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    const creating = harness.create(channel, client);
    channel.isOpen = false;
    await expectCode(creating, StatusCodes.BadSecureChannelClosed);
    expect(harness.manager.sessionCount).toBe(0);
    expect(harness.establishing).toBe(0);
  });

  it('RL-07 answers BadTooManySessions at the cap, whatever is free in SessionEstablishment', async () => {
    const harness = new Harness(undefined, { limits: { maxSessionCount: 2 } });
    const channel = new TestChannel(None);
    for (let i = 0; i < 2; i++) await harness.activate(await harness.create(channel), channel);
    await expectCode(harness.create(channel), StatusCodes.BadTooManySessions);
    expect(harness.manager.sessionCount).toBe(2);
  });

  it('never exceeds the cap with CreateSessions at the same time', async () => {
    const harness = new Harness(server, { limits: { maxSessionCount: 3 } });
    const channel = new TestChannel(Basic256Sha256, client);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => harness.create(channel, client)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(harness.manager.sessionCount).toBe(3);
    expect(harness.establishing).toBe(0);
  });

  it('counts each Session once when as many as there may be are created at the same time', async () => {
    const harness = new Harness(undefined, { limits: { maxSessionCount: 4 } });
    const channel = new TestChannel(None);
    await Promise.all(Array.from({ length: 4 }, () => harness.create(channel)));
    expect(harness.closed).toEqual([]);
    expect(harness.manager.sessionCount).toBe(4);
  });

  it('gives the place of the oldest Session that was never activated away, one of the same address first', async () => {
    const harness = new Harness(undefined, { limits: { maxSessionCount: 3 } });
    const channel = new TestChannel(None);
    const other = new TestChannel(None, undefined, undefined, '10.0.0.2');
    await harness.create(other, undefined, { sessionName: 'other' });
    const active = await harness.create(channel, undefined, { sessionName: 'active' });
    await harness.activate(active, channel);
    await harness.create(channel, undefined, { sessionName: 'idle' });
    await harness.create(channel, undefined, { sessionName: 'new' });
    expect(harness.closed).toEqual(['idle evicted true']);
    const third = new TestChannel(None, undefined, undefined, '10.0.0.3');
    await harness.create(third, undefined, { sessionName: 'third' });
    expect(harness.closed).toEqual(['idle evicted true', 'other evicted true']);
  });

  it('RL-05 has no place for one more when SessionEstablishment is full, and tells when there is one again', async () => {
    const harness = new Harness(server, { establishment: 1 });
    const freed: number[] = [];
    harness.manager.gate.onPlaceFreed(() => void freed.push(harness.manager.gate.placesInUse));
    const channel = new TestChannel(Basic256Sha256, client);
    const first = harness.create(channel, client);
    const signaturesBefore = server.privateKey.pendingOperations;
    const refused = await harness.create(channel, client).catch((error: unknown) => error);
    expect(refused).toMatchObject({ id: 1, stage: Stage.SessionEstablishment, reason: 'Capacity', usage: 1, limit: 1 });
    expect(server.privateKey.pendingOperations).toBe(signaturesBefore);
    await first;
    expect(freed).toEqual([0]);
    await harness.create(channel, client);
    expect(harness.establishing).toBe(0);
  });
});
