import { createHmac } from 'node:crypto';
import { computeDerivedKeys } from 'node-opcua-crypto';
import { describe, expect, it } from 'vitest';
import { deriveChannelKeys, deriveKeys, pSha256, randomNonce, SecurityPolicies } from '../src/index.ts';

describe('pSha256', () => {
  it('gives the published P_SHA256 test vector', () => {
    // The vector in circulation since 2009 (IETF tls list, "Test vectors for TLS 1.2 PRF"): the seed is label and seed joined.
    const secret = Buffer.from('9bbe436ba940f017b17652849a71db35', 'hex');
    const seed = Buffer.concat([Buffer.from('test label'), Buffer.from('a0ba9f936cda311827a6f796ffd5198c', 'hex')]);
    const expected =
      'e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66';
    expect(pSha256(secret, seed, 100).toString('hex')).toBe(expected);
  });

  it('cuts the stream at the length wanted', () => {
    const long = pSha256(Buffer.from('a'), Buffer.from('b'), 100);
    for (const length of [0, 1, 31, 32, 33, 64, 99]) {
      expect(pSha256(Buffer.from('a'), Buffer.from('b'), length)).toEqual(long.subarray(0, length));
    }
    const a1 = createHmac('sha256', 'a').update('b').digest();
    expect(long.subarray(0, 32)).toEqual(createHmac('sha256', 'a').update(a1).update('b').digest());
  });
});

describe('deriveKeys', () => {
  const policies = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss];

  it.each(policies)('agrees with node-opcua-crypto for $name', (policy) => {
    const [secret, seed] = [randomNonce(32), randomNonce(32)];
    const expected = computeDerivedKeys(secret, seed, {
      signatureLength: 32,
      signingKeyLength: policy.signingKeyBytes,
      encryptingKeyLength: policy.encryptingKeyBytes,
      encryptingBlockSize: policy.symmetricBlockBytes,
      algorithm: policy.symmetricCipher,
      sha1or256: 'SHA256',
    });
    const keys = deriveKeys(policy, secret, seed);
    expect(keys.signingKey).toEqual(expected.signingKey);
    expect(keys.encryptingKey).toEqual(expected.encryptingKey);
    expect(keys.initializationVector).toEqual(expected.initializationVector);
  });

  it('secures what the client sends with the server nonce as secret, and the other way round', () => {
    const policy = SecurityPolicies.Aes128_Sha256_RsaOaep;
    const [clientNonce, serverNonce] = [randomNonce(32), randomNonce(32)];
    const keys = deriveChannelKeys(policy, clientNonce, serverNonce);
    expect(keys.client).toEqual(deriveKeys(policy, serverNonce, clientNonce));
    expect(keys.server).toEqual(deriveKeys(policy, clientNonce, serverNonce));
  });

  it('derives nothing for SecurityPolicy None', () => {
    const keys = deriveKeys(SecurityPolicies.None, Buffer.alloc(0), Buffer.alloc(0));
    expect([keys.signingKey.length, keys.encryptingKey.length, keys.initializationVector.length]).toEqual([0, 0, 0]);
  });
});
