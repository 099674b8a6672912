import { constants, createPublicKey, generateKeyPairSync, privateDecrypt, publicEncrypt, sign, webcrypto } from 'node:crypto';
import { StatusCodes } from '@bulkhead/types';
import { makeMessageChunkSignature, privateDecrypt_long, publicEncrypt_long, verifyMessageChunkSignature } from 'node-opcua-crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  cipherBytes,
  encryptAsymmetric,
  LocalPrivateKey,
  plainBlockBytes,
  randomNonce,
  SecurityPolicies,
  verifyAsymmetric,
} from '../src/index.ts';
import { rsaKey } from './support/make-certificate.ts';

const secure = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss];
const cases = [2048, 3072, 4096].flatMap((bits) => secure.map((policy) => ({ bits, policy, name: policy.name })));
const refused = expect.objectContaining({ statusCode: StatusCodes.BadSecurityChecksFailed });

describe.each(cases)('$name with RSA-$bits', { timeout: 30_000 }, ({ bits, policy }) => {
  const privateKey = rsaKey(bits);
  const publicKey = createPublicKey(privateKey);
  const key = new LocalPrivateKey(privateKey);

  it('verifies what it has signed and nothing else', async () => {
    const data = randomNonce(500);
    const signature = await key.sign(policy, data);
    expect(signature.length).toBe(bits / 8);
    expect(key.keySizeBytes).toBe(bits / 8);
    expect(verifyAsymmetric(policy, publicKey, data, signature)).toBe(true);
    data[17] = (data[17] as number) ^ 1;
    expect(verifyAsymmetric(policy, publicKey, data, signature)).toBe(false);
    data[17] = (data[17] as number) ^ 1;
    signature[0] = (signature[0] as number) ^ 1;
    expect(verifyAsymmetric(policy, publicKey, data, signature)).toBe(false);
    expect(verifyAsymmetric(policy, publicKey, data, signature.subarray(1))).toBe(false);
    expect(verifyAsymmetric(policy, publicKey, data, Buffer.alloc(0))).toBe(false);
  });

  it('decrypts what it has encrypted: less than a block, one, and several', async () => {
    const block = plainBlockBytes(policy, bits / 8);
    for (const length of [1, block - 1, block, block + 1, 3 * block]) {
      const plain = randomNonce(length);
      const encrypted = encryptAsymmetric(policy, publicKey, plain);
      expect(encrypted.length).toBe(cipherBytes(policy, bits / 8, length));
      expect(await key.decrypt(policy, encrypted)).toEqual(plain);
    }
  });
});

describe('asymmetric operations beside others', () => {
  const privateKey = rsaKey(2048);
  const publicKey = createPublicKey(privateKey);
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const key = new LocalPrivateKey(privateKey);

  it('PKCS1 signatures are those of node-opcua-crypto, in both directions', async () => {
    const data = randomNonce(300);
    const options = { signatureLength: 256, algorithm: 'RSA-SHA256' };
    const theirs = makeMessageChunkSignature(data, { ...options, privateKey: { hidden: privateKey } });
    const ours = await key.sign(SecurityPolicies.Basic256Sha256, data);
    expect(ours).toEqual(theirs);
    expect(verifyMessageChunkSignature(data, ours, { ...options, publicKey: publicPem })).toBe(true);
    expect(verifyAsymmetric(SecurityPolicies.Aes128_Sha256_RsaOaep, publicKey, data, theirs)).toBe(true);
  });

  it('OAEP-SHA1 blocks are those of node-opcua-crypto, in both directions', async () => {
    const plain = randomNonce(500);
    const theirs = publicEncrypt_long(plain, publicKey, 256, 42);
    expect(await key.decrypt(SecurityPolicies.Basic256Sha256, theirs)).toEqual(plain);
    const ours = encryptAsymmetric(SecurityPolicies.Basic256Sha256, publicKey, plain);
    expect(privateDecrypt_long(ours, { hidden: privateKey }, 256)).toEqual(plain);
  });

  it('PSS signatures have a 32 byte salt, OAEP-SHA256 uses SHA-256 for label and mask', async () => {
    const policy = SecurityPolicies.Aes256_Sha256_RsaPss;
    const data = randomNonce(100);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const right = sign('sha256', data, { key: privateKey, padding, saltLength: 32 });
    const wrong = sign('sha256', data, { key: privateKey, padding, saltLength: 20 });
    expect(verifyAsymmetric(policy, publicKey, data, right)).toBe(true);
    expect(verifyAsymmetric(policy, publicKey, data, wrong)).toBe(false);
    const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    expect(await key.decrypt(policy, publicEncrypt({ key: publicKey, ...oaep }, data))).toEqual(data);
    expect(privateDecrypt({ key: privateKey, ...oaep }, encryptAsymmetric(policy, publicKey, data))).toEqual(data);
  });

  it('a policy does not take the signatures and blocks of another', async () => {
    const data = randomNonce(64);
    const [pkcs1, pss] = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes256_Sha256_RsaPss];
    expect(verifyAsymmetric(pss, publicKey, data, await key.sign(pkcs1, data))).toBe(false);
    expect(verifyAsymmetric(pkcs1, publicKey, data, await key.sign(pss, data))).toBe(false);
    await expect(key.decrypt(pss, encryptAsymmetric(pkcs1, publicKey, data))).rejects.toEqual(refused);
  });

  it('every failed decryption gives one and the same answer', async () => {
    const policy = SecurityPolicies.Basic256Sha256;
    const good = encryptAsymmetric(policy, publicKey, randomNonce(300));
    const tampered = Buffer.from(good);
    tampered[300] = (tampered[300] as number) ^ 1;
    const errors = await Promise.all(
      [tampered, good.subarray(1), Buffer.alloc(0), Buffer.alloc(256), Buffer.alloc(256, 0xff), Buffer.alloc(17 * 256, 1)].map((bytes) =>
        key.decrypt(policy, bytes).catch((error: unknown) => error as Error),
      ),
    );
    for (const error of errors) expect(error).toEqual(refused);
    expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
  });

  it('SecurityPolicy None signs, encrypts and decrypts nothing', async () => {
    const data = randomNonce(10);
    await expect(key.sign(SecurityPolicies.None, data)).rejects.toEqual(refused);
    await expect(key.decrypt(SecurityPolicies.None, Buffer.alloc(256))).rejects.toEqual(refused);
    expect(() => encryptAsymmetric(SecurityPolicies.None, publicKey, data)).toThrow(refused);
    expect(verifyAsymmetric(SecurityPolicies.None, publicKey, data, Buffer.alloc(256))).toBe(false);
  });

  it('keys of another kind are refused without an exception of another class', () => {
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => new LocalPrivateKey(curve.privateKey)).toThrow(RangeError);
    expect(() => new LocalPrivateKey(publicKey)).toThrow(RangeError);
    expect(() => encryptAsymmetric(SecurityPolicies.Basic256Sha256, curve.publicKey, Buffer.alloc(1))).toThrow(refused);
    expect(verifyAsymmetric(SecurityPolicies.Basic256Sha256, curve.publicKey, Buffer.alloc(1), Buffer.alloc(64))).toBe(false);
  });
});

describe('LocalPrivateKey under load', () => {
  it('lets as many operations wait as it was told to and refuses the next with BadServerTooBusy', async () => {
    const key = new LocalPrivateKey(rsaKey(2048), { maxActive: 1, maxWaiting: 3 });
    const data = randomNonce(32);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => key.sign(SecurityPolicies.Basic256Sha256, data)));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect((results[4] as PromiseRejectedResult).reason).toMatchObject({ statusCode: StatusCodes.BadServerTooBusy });
    expect(key.pendingOperations).toBe(0);
    await expect(key.sign(SecurityPolicies.Basic256Sha256, data)).resolves.toHaveLength(256);
  });

  it('gives its place back after a failure', async () => {
    const key = new LocalPrivateKey(rsaKey(2048), { maxActive: 1, maxWaiting: 1 });
    for (let i = 0; i < 5; i++) await expect(key.decrypt(SecurityPolicies.Basic256Sha256, Buffer.alloc(256, 1))).rejects.toEqual(refused);
    expect(key.pendingOperations).toBe(0);
  });

  it('starts no operation with a handle that another one uses, for whose lock the event loop would wait', async () => {
    const policy = SecurityPolicies.Basic256Sha256;
    const key = new LocalPrivateKey(rsaKey(2048), { maxActive: 4 });
    const encrypted = encryptAsymmetric(policy, createPublicKey(rsaKey(2048)), randomNonce(400));
    const busy = new Set<webcrypto.CryptoKey>();
    let most = 0;
    const decrypt = webcrypto.subtle.decrypt.bind(webcrypto.subtle);
    const spy = vi.spyOn(webcrypto.subtle, 'decrypt').mockImplementation(async (algorithm, handle, data) => {
      expect(busy.has(handle)).toBe(false);
      busy.add(handle);
      most = Math.max(most, busy.size);
      try {
        return await decrypt(algorithm, handle, data);
      } finally {
        busy.delete(handle);
      }
    });
    try {
      const plain = await Promise.all(Array.from({ length: 20 }, () => key.decrypt(policy, encrypted)));
      expect(plain.map((bytes) => bytes.length)).toEqual(Array.from({ length: 20 }, () => 400));
      expect(most).toBe(4);
    } finally {
      spy.mockRestore();
    }
  });

  it('BX-04 leaves the event loop free while it signs and decrypts', async () => {
    const key = new LocalPrivateKey(rsaKey(4096));
    const policy = SecurityPolicies.Basic256Sha256;
    const encrypted = encryptAsymmetric(policy, createPublicKey(rsaKey(4096)), randomNonce(32));
    await key.decrypt(policy, encrypted);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all([...Array(8)].map(() => Promise.all([key.sign(policy, encrypted), key.decrypt(policy, encrypted)])));
    isDone = true;
    // 16 operations of 2 ms and more: on the loop there would be no turn but those between them.
    expect(turns).toBeGreaterThan(100);
  });
});
