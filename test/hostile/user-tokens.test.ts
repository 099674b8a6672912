import { randomBytes } from 'node:crypto';
import { encryptRsaSecret, SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import { AnonymousIdentityToken, ExtensionObject, NodeId, SignatureData, UserNameIdentityToken, X509IdentityToken } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest } from './bystander.ts';
import { type ClientIdentity, makeIdentity, SecuredSession, userNameToken } from './secured-client.ts';
import { statusName } from './status-names.ts';

const { Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicies;
const policies = [Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss] as const;
const PASSWORD = 'correct horse battery staple';
const LOCKED_AFTER = 5;
/** Nobody checks a SigningTime. */
const TICKS_AT_SOME_TIME = 134_000_000_000_000_000n;

let hostile: HostileTest;
let identity: ClientIdentity;
/** Passwords that the application was asked about. */
const asked: string[] = [];

beforeAll(async () => {
  identity = await makeIdentity('client');
  hostile = await HostileTest.start({
    forbidden: [PASSWORD],
    security: {
      policies: ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'],
      allowAnonymous: true,
      validateUser: (_userName, password) => {
        asked.push(password);
        return password === PASSWORD;
      },
    },
    pki: { autoAcceptUntrustedCertificates: true },
  });
});

afterAll(() => hostile.end());

/** A caller of its own for each Session: wrong tokens of one test must not count in another. */
let callerCount = 0;

function create(policy: SecurityPolicy = Basic256Sha256, localAddress = `127.0.1.${++callerCount}`): Promise<SecuredSession> {
  const serverCertificate = hostile.test.server.certificateStore.certificate;
  return SecuredSession.create({ port: hostile.port, localAddress, policy, identity, serverCertificate });
}

async function activate(session: SecuredSession, token: ExtensionObject): Promise<string> {
  return statusName(await session.activate(token));
}

function flipped(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 0x01;
  return copy;
}

describe.each(policies)('a password encrypted with $name', (policy) => {
  it('is refused alike, whatever is wrong with its encryption, and nobody is asked about it', async () => {
    await hostile.costsOnlyItsSender(async () => {
      asked.length = 0;
      const session = await create(policy);
      const nonce = session.created.serverNonce as Buffer;
      const server = hostile.test.server.certificateStore.certificate;
      const good = session.userToken('user', PASSWORD).decode(UserNameIdentityToken);
      const secret = encryptRsaSecret(policy, server, Buffer.from(PASSWORD), nonce, TICKS_AT_SOME_TIME).secret as Buffer;
      const wrong: [string, Uint8Array | null, string | null][] = [
        ['no bytes', null, good.encryptionAlgorithm],
        ['noise of the right length', randomBytes(256), good.encryptionAlgorithm],
        ['noise of a wrong length', randomBytes(255), good.encryptionAlgorithm],
        ['noise of many blocks', randomBytes(256 * 40), good.encryptionAlgorithm],
        ['a flipped first byte', flipped(good.password as Buffer, 0), good.encryptionAlgorithm],
        ['a flipped last byte', flipped(good.password as Buffer, 255), good.encryptionAlgorithm],
        [
          'another nonce',
          session.userToken('user', PASSWORD, randomBytes(32)).decode(UserNameIdentityToken).password,
          good.encryptionAlgorithm,
        ],
        ['no nonce', session.userToken('user', PASSWORD, Buffer.alloc(0)).decode(UserNameIdentityToken).password, good.encryptionAlgorithm],
        ['another algorithm', good.password, 'urn:none'],
        ['plain text', Buffer.from(PASSWORD), null],
        ['an RsaEncryptedSecret with a flipped key', flipped(secret, secret.indexOf(server.thumbprintBytes) + 60), null],
        ['an RsaEncryptedSecret with a flipped signature', flipped(secret, secret.length - 1), null],
        ['an RsaEncryptedSecret cut short', secret.subarray(0, secret.length - 40), null],
      ];
      for (const [what, password, algorithm] of wrong) {
        // A name for each, so that none is locked out.
        expect([what, await activate(session, userNameToken(`${policy.name} ${what}`, password, algorithm))]).toEqual([
          what,
          'BadIdentityTokenInvalid',
        ]);
      }
      expect(asked).toEqual([]);
      expect(await activate(session, userNameToken('user', secret, null))).toBe('Good');
      await session.close();
    });
  });
});

describe('a user token', () => {
  it.each([
    ['an unknown policyId', ExtensionObject.of(AnonymousIdentityToken, { policyId: 'nobody' }), 'BadIdentityTokenInvalid'],
    ['a type that is no token', new ExtensionObject(NodeId.numeric(0, 1), Buffer.alloc(3)), 'BadIdentityTokenInvalid'],
    [
      'a certificate, which is not offered',
      ExtensionObject.of(X509IdentityToken, X509IdentityToken.create({})),
      'BadIdentityTokenRejected',
    ],
    ['no user name', userNameToken('', Buffer.alloc(256), null), 'BadIdentityTokenInvalid'],
    ['a user name of 10,000 letters', userNameToken('x'.repeat(10_000), Buffer.alloc(256), null), 'BadIdentityTokenInvalid'],
  ])('with %s is refused, and the Session can still be activated', async (_what, token, status) => {
    await hostile.costsOnlyItsSender(async () => {
      const session = await create();
      expect(await activate(session, token)).toBe(status);
      expect(await activate(session, ExtensionObject.NULL)).toBe('Good');
      await session.close();
    });
  });
});

describe('the signature of ActivateSession', () => {
  it('is checked before the user token is looked at, and a Session survives a wrong one', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const session = await create();
      const good = await session.signature();
      asked.length = 0;
      const bytes = good.signature as Buffer;
      for (const signature of [
        SignatureData.create({}),
        SignatureData.create({ ...good, signature: flipped(bytes, 0) }),
        SignatureData.create({ ...good, signature: bytes.subarray(1) }),
        SignatureData.create({ ...good, signature: randomBytes(100_000) }),
        SignatureData.create({ ...good, algorithm: 'urn:none' }),
      ]) {
        const status = await session.activate(session.userToken('user', PASSWORD), signature);
        expect(statusName(status)).toBe('BadApplicationSignatureInvalid');
      }
      expect(asked).toEqual([]);
      expect(await activate(session, session.userToken('user', PASSWORD))).toBe('Good');
      await session.close();
    });
  });
});

describe('wrong passwords', () => {
  it('lock the user out for the caller that guesses, and for nobody else', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const guesser = await create(Basic256Sha256, '127.0.0.2');
      for (let i = 0; i < LOCKED_AFTER; i++) {
        expect(await activate(guesser, guesser.userToken('operator', `guess ${i}`))).toBe('BadUserAccessDenied');
      }
      asked.length = 0;
      expect(await activate(guesser, guesser.userToken('operator', PASSWORD))).toBe('BadUserAccessDenied');
      expect(asked).toEqual([]);
      expect(await activate(guesser, guesser.userToken('another user', PASSWORD))).toBe('Good');

      const operator = await create(Basic256Sha256, '127.0.0.3');
      expect(await activate(operator, operator.userToken('operator', PASSWORD))).toBe('Good');
      await guesser.close();
      await operator.close();
    });
  });
});
