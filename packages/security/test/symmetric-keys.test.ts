import { StatusCodes } from '@bulkhead/types';
import {
  computeDerivedKeys,
  decryptBufferWithDerivedKeys,
  encryptBufferWithDerivedKeys,
  makeMessageChunkSignatureWithDerivedKeys,
} from 'node-opcua-crypto';
import { describe, expect, it } from 'vitest';
import { deriveKeys, randomNonce, SecurityPolicies, SymmetricKeys } from '../src/index.ts';

const policies = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss];

describe.each(policies)('SymmetricKeys for $name', (policy) => {
  const [secret, seed] = [randomNonce(32), randomNonce(32)];
  const keys = new SymmetricKeys(policy, deriveKeys(policy, secret, seed));
  const reference = computeDerivedKeys(secret, seed, {
    signatureLength: 32,
    signingKeyLength: policy.signingKeyBytes,
    encryptingKeyLength: policy.encryptingKeyBytes,
    encryptingBlockSize: 16,
    algorithm: policy.symmetricCipher,
    sha1or256: 'SHA256',
  });

  it('signs and encrypts like node-opcua-crypto, at every length', () => {
    for (const length of [16, 32, 112, 1024, 65_536]) {
      const plain = randomNonce(length);
      expect(keys.sign(plain)).toEqual(makeMessageChunkSignatureWithDerivedKeys(plain, reference));
      const encrypted = Buffer.from(plain);
      keys.encryptInPlace(encrypted, 0, length);
      expect(encrypted).toEqual(encryptBufferWithDerivedKeys(plain, reference));
      expect(keys.decrypt(encrypted)).toEqual(plain);
      expect(decryptBufferWithDerivedKeys(encrypted, reference)).toEqual(plain);
    }
  });

  it('touches only the range it is given', () => {
    const chunk = randomNonce(96);
    const before = Buffer.from(chunk);
    keys.encryptInPlace(chunk, 16, 64);
    expect(chunk.subarray(0, 16)).toEqual(before.subarray(0, 16));
    expect(chunk.subarray(64)).toEqual(before.subarray(64));
    expect(chunk.subarray(16, 64)).not.toEqual(before.subarray(16, 64));
    keys.decryptInPlace(chunk, 16, 64);
    expect(chunk).toEqual(before);
  });

  it('starts each chunk anew from the initialization vector', () => {
    const [first, second] = [Buffer.alloc(32, 7), Buffer.alloc(32, 7)];
    keys.encryptInPlace(first, 0, 32);
    keys.encryptInPlace(second, 0, 32);
    expect(second).toEqual(first);
  });

  it('refuses a signature with any one bit changed, a short one and a long one', () => {
    const chunk = Buffer.alloc(132, 3);
    keys.signInPlace(chunk, 0, 100);
    const [data, signature] = [chunk.subarray(0, 100), chunk.subarray(100)];
    expect(keys.verify(data, signature)).toBe(true);
    for (let i = 0; i < chunk.length * 8; i += 7) {
      chunk[i >> 3] = (chunk[i >> 3] as number) ^ (1 << (i & 7));
      expect(keys.verify(data, signature)).toBe(false);
      chunk[i >> 3] = (chunk[i >> 3] as number) ^ (1 << (i & 7));
    }
    expect(keys.verify(data, signature.subarray(0, 31))).toBe(false);
    expect(keys.verify(data, Buffer.concat([signature, Buffer.alloc(1)]))).toBe(false);
    expect(keys.verify(data, Buffer.alloc(0))).toBe(false);
  });

  it('refuses encrypted data that is empty or no multiple of the block size', () => {
    for (const length of [0, 1, 15, 17, 33]) {
      expect(() => keys.decrypt(Buffer.alloc(length))).toThrow(
        expect.objectContaining({ statusCode: StatusCodes.BadSecurityChecksFailed }),
      );
    }
    expect(() => keys.encryptInPlace(Buffer.alloc(20), 0, 20)).toThrow(RangeError);
  });
});

it('SymmetricKeys are not made for SecurityPolicy None', () => {
  const policy = SecurityPolicies.None;
  expect(() => new SymmetricKeys(policy, deriveKeys(policy, Buffer.alloc(0), Buffer.alloc(0)))).toThrow(RangeError);
});
