import { createPublicKey } from 'node:crypto';
import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  decryptUserSecret,
  type EncryptedUserSecret,
  encryptAsymmetric,
  encryptRsaSecret,
  encryptUserSecret,
  LocalPrivateKey,
  randomNonce,
  SecurityPolicies,
  type SecurityPolicy,
  type UserSecretContext,
} from '../src/index.ts';
import { makeCertificate, rsaKey } from './support/make-certificate.ts';

const secure = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss];
const server = makeCertificate({ key: rsaKey(2048) });
const key = new LocalPrivateKey(rsaKey(2048));
const serverNonce = randomNonce(32);
const password = Buffer.from('pässword', 'utf8');
const refused = expect.objectContaining({ statusCode: StatusCodes.BadIdentityTokenInvalid });

function context(policy: SecurityPolicy, changes: Partial<UserSecretContext> = {}): UserSecretContext {
  return { policy, key, serverNonce, certificateThumbprint: server.thumbprintBytes, ...changes };
}

describe.each(secure)('secrets under $name', (policy) => {
  const formats: [string, (secret: Uint8Array, nonce?: Buffer) => EncryptedUserSecret][] = [
    ['legacy format', (secret, nonce = serverNonce) => encryptUserSecret(policy, server, secret, nonce)],
    ['RsaEncryptedSecret', (secret, nonce = serverNonce) => encryptRsaSecret(policy, server, secret, nonce, 133_000_000_000_000_000n)],
  ];

  it.each(formats)('come out of the %s as they went in, empty and long ones too', async (_, encrypt) => {
    for (const secret of [password, Buffer.alloc(0), randomNonce(1), randomNonce(200), randomNonce(1000)]) {
      expect(await decryptUserSecret(encrypt(secret), context(policy))).toEqual(secret);
    }
  });

  it.each(formats)('in the %s are refused with the nonce of another session', async (_, encrypt) => {
    await expect(decryptUserSecret(encrypt(password, randomNonce(32)), context(policy))).rejects.toEqual(refused);
    await expect(decryptUserSecret(encrypt(password, Buffer.alloc(0)), context(policy))).rejects.toEqual(refused);
    await expect(decryptUserSecret(encrypt(password, serverNonce.subarray(1)), context(policy))).rejects.toEqual(refused);
  });

  it.each(formats)('in the %s are refused alike wherever a byte is changed', async (_, encrypt) => {
    const { secret, encryptionAlgorithm } = encrypt(password);
    const bytes = secret as Buffer;
    const messages = new Set<string>();
    for (let i = 0; i < bytes.length; i += 11) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] as number) ^ 0x40;
      const error = await decryptUserSecret({ encryptionAlgorithm, secret: changed }, context(policy)).catch((e: unknown) => e as Error);
      expect(error).toEqual(refused);
      messages.add(`${(error as Error).message} ${String((error as Error).cause)}`);
    }
    for (const length of [0, 1, 5, 9, bytes.length - 1]) {
      await expect(decryptUserSecret({ encryptionAlgorithm, secret: bytes.subarray(0, length) }, context(policy))).rejects.toEqual(refused);
    }
    expect(messages.size).toBe(1);
  });

  it.each(formats)('in the %s are refused when longer than allowed', async (_, encrypt) => {
    await expect(decryptUserSecret(encrypt(randomNonce(101)), context(policy, { maxSecretBytes: 100 }))).rejects.toEqual(refused);
    await expect(decryptUserSecret(encrypt(randomNonce(100)), context(policy, { maxSecretBytes: 100 }))).resolves.toHaveLength(100);
  });

  it('need the right encryption algorithm, or none', async () => {
    const { secret } = encryptUserSecret(policy, server, password, serverNonce);
    expect(await decryptUserSecret({ encryptionAlgorithm: '', secret }, context(policy))).toEqual(password);
    await expect(decryptUserSecret({ encryptionAlgorithm: 'http://other', secret }, context(policy))).rejects.toEqual(refused);
    await expect(decryptUserSecret({ encryptionAlgorithm: policy.asymmetricEncryptionUri, secret: null }, context(policy))).rejects.toEqual(
      refused,
    );
    await expect(decryptUserSecret({ encryptionAlgorithm: null, secret: password }, context(policy))).rejects.toEqual(refused);
  });

  it('with a length that lies are refused', async () => {
    for (const length of [0, 31, 41, 1000, 0x7fffffff, 0xffffffff]) {
      const plain = Buffer.alloc(4 + password.length + 32);
      plain.writeUInt32LE(length, 0);
      password.copy(plain, 4);
      serverNonce.copy(plain, 4 + password.length);
      const secret = encryptAsymmetric(policy, createPublicKey(rsaKey(2048)), plain);
      const token = { encryptionAlgorithm: policy.asymmetricEncryptionUri, secret };
      if (length === password.length + 32) expect(await decryptUserSecret(token, context(policy))).toEqual(password);
      else await expect(decryptUserSecret(token, context(policy))).rejects.toEqual(refused);
    }
  });

  it('padded with zeros to a whole block, as some clients send them, are read', async () => {
    const plain = Buffer.alloc(150);
    plain.writeUInt32LE(password.length + 32, 0);
    password.copy(plain, 4);
    serverNonce.copy(plain, 4 + password.length);
    const secret = encryptAsymmetric(policy, server.publicKey, plain);
    expect(await decryptUserSecret({ encryptionAlgorithm: policy.asymmetricEncryptionUri, secret }, context(policy))).toEqual(password);
  });

  it('encrypted for another server or another policy are refused', async () => {
    const other = encryptRsaSecret(policy, server, password, serverNonce, 0n);
    await expect(decryptUserSecret(other, context(policy, { certificateThumbprint: randomNonce(20) }))).rejects.toEqual(refused);
    const stranger = makeCertificate({ key: rsaKey(2048, 'other') });
    await expect(decryptUserSecret(encryptUserSecret(policy, stranger, password, serverNonce), context(policy))).rejects.toEqual(refused);
    for (const otherPolicy of secure.filter((candidate) => candidate !== policy)) {
      await expect(decryptUserSecret(other, context(otherPolicy))).rejects.toEqual(refused);
    }
  });

  it('answer BadServerTooBusy when too many private-key operations wait', async () => {
    const busy = new LocalPrivateKey(rsaKey(2048), { maxActive: 1, maxWaiting: 0 });
    const token = encryptUserSecret(policy, server, password, serverNonce);
    const [first, second] = await Promise.allSettled([1, 2].map(() => decryptUserSecret(token, context(policy, { key: busy }))));
    expect(first).toMatchObject({ status: 'fulfilled', value: password });
    expect(second).toMatchObject({ status: 'rejected', reason: { statusCode: StatusCodes.BadServerTooBusy } });
  });
});

describe('secrets under SecurityPolicy None', () => {
  it('are plain, and nothing may claim to be encrypted', async () => {
    const none = SecurityPolicies.None;
    const token = encryptUserSecret(none, undefined, password, serverNonce);
    expect(await decryptUserSecret(token, context(none))).toEqual(password);
    expect(await decryptUserSecret({ encryptionAlgorithm: null, secret: null }, context(none))).toEqual(Buffer.alloc(0));
    await expect(decryptUserSecret({ encryptionAlgorithm: 'x', secret: password }, context(none))).rejects.toEqual(refused);
    await expect(decryptUserSecret({ encryptionAlgorithm: null, secret: randomNonce(5000) }, context(none))).rejects.toEqual(refused);
  });
});
