import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  checkSecureChannelNonce,
  checkSessionNonce,
  findSecurityPolicy,
  LocalPrivateKey,
  randomNonce,
  SecurityPolicies,
  signatureInput,
  signData,
  verifySignature,
} from '../src/index.ts';
import { makeCertificate, rsaKey } from './support/make-certificate.ts';

const secure = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss];
const certificate = makeCertificate({ key: rsaKey(2048) });
const stranger = makeCertificate({ key: rsaKey(2048, 'other') });
const key = new LocalPrivateKey(rsaKey(2048));

describe.each(secure)('session signatures under $name', (policy) => {
  it('verify over the same certificate and nonce only, with the right algorithm', async () => {
    const nonce = randomNonce(32);
    const data = signatureInput(stranger.der, nonce);
    const signature = await signData(policy, key, data);
    expect(signature.algorithm).toBe(policy.asymmetricSignatureUri);
    expect(verifySignature(policy, certificate, data, signature)).toBe(true);
    expect(verifySignature(policy, certificate, data, { ...signature, algorithm: null })).toBe(true);
    expect(verifySignature(policy, certificate, data, { ...signature, algorithm: 'http://other' })).toBe(false);
    expect(verifySignature(policy, certificate, data, { ...signature, signature: null })).toBe(false);
    expect(verifySignature(policy, stranger, data, signature)).toBe(false);
    expect(verifySignature(policy, certificate, signatureInput(stranger.der, randomNonce(32)), signature)).toBe(false);
    expect(verifySignature(policy, certificate, signatureInput(certificate.der, nonce), signature)).toBe(false);
  });
});

it('SecurityPolicy None has no session signatures', async () => {
  const signature = await signData(SecurityPolicies.None, key, Buffer.alloc(1));
  expect(signature).toEqual({ algorithm: null, signature: null });
  expect(verifySignature(SecurityPolicies.None, certificate, Buffer.alloc(1), signature)).toBe(true);
});

describe('nonces', () => {
  const policy = SecurityPolicies.Basic256Sha256;
  const invalid = expect.objectContaining({ statusCode: StatusCodes.BadNonceInvalid });

  it('are random, and of the length asked for', () => {
    expect(randomNonce(32).length).toBe(32);
    expect(randomNonce(32)).not.toEqual(randomNonce(32));
  });

  it('of a SecureChannel have exactly the length of the policy and are not all zero', () => {
    for (const nonce of [null, Buffer.alloc(0), randomNonce(31), randomNonce(33), Buffer.alloc(32)]) {
      expect(() => checkSecureChannelNonce(policy, nonce)).toThrow(invalid);
      expect(() => checkSecureChannelNonce(SecurityPolicies.None, nonce)).not.toThrow();
    }
    expect(() => checkSecureChannelNonce(policy, randomNonce(32))).not.toThrow();
  });

  it('of a Session have 32 bytes or more', () => {
    for (const nonce of [null, randomNonce(31), Buffer.alloc(32), randomNonce(129)]) {
      expect(() => checkSessionNonce(policy, nonce)).toThrow(invalid);
      expect(() => checkSessionNonce(SecurityPolicies.None, nonce)).not.toThrow();
    }
    for (const length of [32, 64, 128]) expect(() => checkSessionNonce(policy, randomNonce(length))).not.toThrow();
  });
});

describe('security policies', () => {
  it('are found by URI, and nothing else is', () => {
    for (const policy of Object.values(SecurityPolicies)) expect(findSecurityPolicy(policy.uri)).toBe(policy);
    for (const uri of [null, undefined, '', 'http://opcfoundation.org/UA/SecurityPolicy#Basic256', '__proto__']) {
      expect(findSecurityPolicy(uri)).toBeUndefined();
    }
  });

  it('have the sizes of OPC 10000-7', () => {
    const sizes = secure.map((policy) => [
      policy.name,
      policy.encryptingKeyBytes,
      policy.oaepHash,
      policy.asymmetricSignature,
      policy.minKeyBits,
      policy.maxKeyBits,
    ]);
    expect(sizes).toEqual([
      ['Basic256Sha256', 32, 'sha1', 'rsa-pkcs1-sha256', 2048, 4096],
      ['Aes128_Sha256_RsaOaep', 16, 'sha1', 'rsa-pkcs1-sha256', 2048, 4096],
      ['Aes256_Sha256_RsaPss', 32, 'sha256', 'rsa-pss-sha256', 2048, 4096],
    ]);
  });
});
