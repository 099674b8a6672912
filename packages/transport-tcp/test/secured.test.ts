import { generateKeyPairSync } from 'node:crypto';
import type { ChannelIdentity, SecureChannelEndpoints } from '@bulkhead/secure-channel';
import { Certificate, createApplicationCertificate, LocalPrivateKey, SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import { RawUacpPeer, SecuredUacpPeer } from '@bulkhead/testkit';
import { MessageSecurityMode, ReadRequest, ReadResponse, StatusCodes, UaStatusError } from '@bulkhead/types';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EchoServer } from './echo-server.ts';

async function makeIdentity(applicationName: string): Promise<ChannelIdentity> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = await createApplicationCertificate(privateKey, publicKey, {
    applicationUri: `urn:localhost:${applicationName}`,
    applicationName,
    hostNames: ['localhost'],
    notBeforeMs: Date.now() - 60_000,
  });
  return { certificate: Certificate.parse(der), certificateChain: der, privateKey: new LocalPrivateKey(privateKey) };
}

describe('a secured channel over a socket', () => {
  let own: ChannelIdentity;
  let client: ChannelIdentity;
  let server: EchoServer;
  let isTrusted: boolean;

  beforeAll(async () => {
    [own, client] = await Promise.all([makeIdentity('server'), makeIdentity('client')]);
  });

  beforeEach(async () => {
    isTrusted = true;
    const endpoints: SecureChannelEndpoints = {
      securityModes: (policy) => (policy.isSecure ? [MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt] : []),
      identity: () => own,
      validateClientCertificate: async () => {
        if (!isTrusted) throw new UaStatusError(StatusCodes.BadCertificateUntrusted, 'nobody knows it');
      },
    };
    server = new EchoServer({}, {}, endpoints);
    await server.start();
  });

  afterEach(() => server.stop());

  const open = async (policy: SecurityPolicy, mode: MessageSecurityMode): Promise<SecuredUacpPeer> =>
    SecuredUacpPeer.open(await RawUacpPeer.connect({ port: server.port }), {
      policy,
      mode,
      identity: client,
      serverCertificate: own.certificate,
    });

  it.each([SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss])(
    'opens, serves, renews under traffic and closes with $name',
    async (policy) => {
      for (const mode of [MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt]) {
        const peer = await open(policy, mode);
        const ids = Array.from({ length: 20 }, () => peer.sendRequest(ReadRequest));
        const renewal = peer.renew();
        await renewal;
        for (const id of ids) expect((await peer.response(id)).decode(ReadResponse).responseHeader.serviceResult).toBe(StatusCodes.Good);
        await peer.request(ReadRequest, {}, ReadResponse);
        expect(server.provider.usage).toEqual({ Connection: 1 });
        await peer.close();
      }
    },
  );

  it('gives the same answers to one byte at a time', async () => {
    const peer = await open(SecurityPolicies.Basic256Sha256, MessageSecurityMode.SignAndEncrypt);
    const requests = [peer.encodeRequest(ReadRequest), peer.encodeRequest(ReadRequest)];
    await peer.raw.sendByteByByte(Buffer.concat(requests.flatMap(({ chunks }) => chunks)));
    for (const { requestId } of requests) (await peer.response(requestId)).decode(ReadResponse);
    await peer.close();
  });

  it('delivers responses of several chunks', async () => {
    server.sink.textLength = 500_000;
    const peer = await open(SecurityPolicies.Aes256_Sha256_RsaPss, MessageSecurityMode.SignAndEncrypt);
    const { responseHeader } = await peer.request(ReadRequest, {}, ReadResponse);
    expect(responseHeader.stringTable?.[0]).toHaveLength(500_000);
    await peer.close();
  });

  it('refuses an untrusted client and gives its handshake back', async () => {
    isTrusted = false;
    await expect(open(SecurityPolicies.Basic256Sha256, MessageSecurityMode.Sign)).rejects.toThrow('ERR 0x80');
    await expect.poll(() => server.provider.usage).toEqual({});
    expect(server.factory.diagnostics.closed.SecurityRejected).toBe(1);
  });

  it('closes on a chunk that was tampered with', async () => {
    const peer = await open(SecurityPolicies.Basic256Sha256, MessageSecurityMode.SignAndEncrypt);
    const [chunk] = peer.encodeRequest(ReadRequest).chunks;
    if (chunk) chunk[40] = (chunk[40] as number) ^ 1;
    peer.raw.send(chunk as Buffer);
    expect((await peer.raw.nextError()).error).toBe(StatusCodes.BadSecurityChecksFailed);
    await peer.raw.closed;
  });

  it('frees everything when the peer goes away in the middle of an OpenSecureChannel', async () => {
    for (let i = 0; i < 5; i++) {
      const raw = await RawUacpPeer.connect({ port: server.port });
      const opening = SecuredUacpPeer.open(raw, {
        policy: SecurityPolicies.Basic256Sha256,
        mode: MessageSecurityMode.Sign,
        identity: client,
        serverCertificate: own.certificate,
      });
      await expect.poll(() => server.factory.registry.connectionCount).toBe(1);
      setTimeout(() => void raw.destroy(), i);
      await opening.catch(() => {});
      await raw.destroy();
      await expect.poll(() => server.provider.usage).toEqual({});
    }
  });
});
