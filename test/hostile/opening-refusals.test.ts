import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SecurityPolicies } from '@bulkhead/security';
import { RawUacpPeer, rawChunk } from '@bulkhead/testkit';
import { BinaryWriter, GetEndpointsRequest, GetEndpointsResponse, MessageSecurityMode } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest, until } from './bystander.ts';
import { type ClientIdentity, makeIdentity, openSecured, type SecuredClientOptions } from './secured-client.ts';
import { refusalOf, statusName } from './status-names.ts';

const { Basic256Sha256, Aes256_Sha256_RsaPss } = SecurityPolicies;

/** Trusts everybody, offers one policy with encryption only. */
let hostile: HostileTest;
/** Trusts nobody. */
let strict: HostileTest;
let identity: ClientIdentity;
let other: ClientIdentity;

beforeAll(async () => {
  [identity, other] = await Promise.all([makeIdentity('client'), makeIdentity('other')]);
  const security = { policies: ['None', 'Basic256Sha256'], modes: ['SignAndEncrypt'] } as const;
  hostile = await HostileTest.start({ security, pki: { autoAcceptUntrustedCertificates: true } });
  strict = await HostileTest.start({ security });
});

afterAll(async () => {
  await hostile.end();
  await strict.end();
});

function optionsFor(server: HostileTest, overrides: Partial<SecuredClientOptions> = {}): SecuredClientOptions {
  const serverCertificate = server.test.server.certificateStore.certificate;
  return { port: server.port, policy: Basic256Sha256, identity, serverCertificate, ...overrides };
}

/** The security header of an OPN, with noise where the encrypted part belongs. */
function rawOpen(policyUri: string, certificate: Uint8Array | null, thumbprint: Uint8Array | null): Buffer {
  const writer = new BinaryWriter();
  writer.writeUInt32(0);
  writer.writeString(policyUri);
  writer.writeByteString(certificate);
  writer.writeByteString(thumbprint);
  writer.writeBytes(Buffer.alloc(256, 0x5a));
  return rawChunk('OPN', 'F', writer.toBuffer());
}

async function answerTo(chunk: Buffer): Promise<string> {
  const peer = await RawUacpPeer.connect({ port: hostile.port });
  await peer.hello();
  peer.send(chunk);
  const { error } = await peer.nextError();
  await peer.closed;
  return statusName(error);
}

describe('an OpenSecureChannel request that must not succeed', () => {
  it('is refused for a client certificate that is not trusted, which is kept for the administrator', async () => {
    await strict.costsOnlyItsSender(async () => {
      expect(await refusalOf(openSecured(optionsFor(strict)))).toBe('BadSecurityChecksFailed');
    });
    const rejected = join(strict.test.server.options.pki.folder, 'rejected');
    await until(() => readdirSync(rejected).some((name) => name.endsWith('.der')));
  });

  it.each([
    ['a policy that is not offered', { policy: Aes256_Sha256_RsaPss }, 'BadSecurityPolicyRejected'],
    ['a mode that is not offered', { mode: MessageSecurityMode.Sign }, 'BadSecurityModeRejected'],
    ['no mode with a secure policy', { mode: MessageSecurityMode.None }, 'BadSecurityModeRejected'],
    ['a mode that does not exist', { mode: 9 as MessageSecurityMode }, 'BadSecurityModeRejected'],
  ])('is refused for %s', async (_what, overrides, status) => {
    await hostile.costsOnlyItsSender(async () => {
      expect(await refusalOf(openSecured(optionsFor(hostile, overrides)))).toBe(status);
    });
  });

  it('is refused when it was encrypted for another server', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const serverCertificate = strict.test.server.certificateStore.certificate;
      expect(await refusalOf(openSecured(optionsFor(hostile, { serverCertificate })))).toBe('BadCertificateInvalid');
    });
  });

  it('is refused when the key is not that of the certificate', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const stolen: ClientIdentity = { ...identity, privateKey: other.privateKey };
      expect(await refusalOf(openSecured(optionsFor(hostile, { identity: stolen })))).toBe('BadSecurityChecksFailed');
    });
  });

  it('is refused for a certificate that is none, or none at all, and for noise instead of cipher text', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const { thumbprintBytes } = hostile.test.server.certificateStore.certificate;
      const { der } = identity.certificate;
      const flipped = Buffer.from(der);
      flipped[20] = (flipped[20] as number) ^ 0xff;
      for (const certificate of [
        Buffer.alloc(600, 0x30),
        Buffer.from('3084ffffffff', 'hex'),
        der.subarray(0, 400),
        flipped,
        Buffer.concat([der, Buffer.alloc(9)]),
        Buffer.concat(Array.from({ length: 40 }, () => der)),
        null,
        der,
      ]) {
        expect(await answerTo(rawOpen(Basic256Sha256.uri, certificate, thumbprintBytes))).toBe('BadSecurityChecksFailed');
      }
    });
  });

  it('is refused for policies and thumbprints that make no sense', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const { der, thumbprintBytes } = identity.certificate;
      expect(await answerTo(rawOpen(`${Basic256Sha256.uri}x`, der, thumbprintBytes))).toBe('BadSecurityPolicyRejected');
      expect(await answerTo(rawOpen('', der, thumbprintBytes))).toBe('BadSecurityPolicyRejected');
      expect(await answerTo(rawOpen('x'.repeat(256), der, thumbprintBytes))).toBe('BadEncodingLimitsExceeded');
      expect(await answerTo(rawOpen(Basic256Sha256.uri, der, null))).toBe('BadCertificateInvalid');
      expect(await answerTo(rawOpen(Basic256Sha256.uri, der, Buffer.alloc(21)))).toBe('BadDecodingError');
    });
  });
});

describe('a renewal that must not succeed', () => {
  it('is refused with the certificate of another client', async () => {
    await hostile.costsOnlyItsSender(async () => {
      // The channel keeps this object, so its owner can change behind the channel's back.
      const changing = { ...identity };
      const peer = await openSecured(optionsFor(hostile, { identity: changing }));
      Object.assign(changing, other);
      expect(await refusalOf(peer.renew())).toBe('BadSecurityChecksFailed');
      await peer.raw.closed;
    });
  });

  it('is refused when its bytes were sent before', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openSecured(optionsFor(hostile));
      const renewal = await peer.channel.renew(77);
      peer.raw.send(...renewal);
      await peer.channel.receive(await peer.raw.nextChunk(), performance.now());
      await peer.request(GetEndpointsRequest, {}, GetEndpointsResponse);
      peer.raw.send(...renewal);
      expect(statusName((await peer.raw.nextError()).error)).toBe('BadSequenceNumberInvalid');
      await peer.raw.closed;
    });
  });
});
