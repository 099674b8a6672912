import { createHmac, createSecretKey } from 'node:crypto';
import type { SecurityPolicy } from './security-policy.ts';

/** The keys of one direction of a SecureChannel. OPC 10000-6 §6.7.5. */
export interface DerivedKeys {
  readonly signingKey: Buffer;
  readonly encryptingKey: Buffer;
  readonly initializationVector: Buffer;
}

/** The keys of both directions: `client` secures what the client sends, `server` what the server sends. */
export interface ChannelKeys {
  readonly client: DerivedKeys;
  readonly server: DerivedKeys;
}

const HASH_BYTES = 32;

/**
 * P_SHA256, the pseudo-random function of TLS 1.2 (RFC 5246 §5) that OPC UA derives keys with.
 * @param length number of bytes wanted, integer >= 0.
 */
export function pSha256(secret: Uint8Array, seed: Uint8Array, length: number): Buffer {
  const key = createSecretKey(secret);
  const output = Buffer.allocUnsafe(Math.ceil(length / HASH_BYTES) * HASH_BYTES);
  let chained = seed;
  for (let offset = 0; offset < length; offset += HASH_BYTES) {
    chained = createHmac('sha256', key).update(chained).digest();
    createHmac('sha256', key).update(chained).update(seed).digest().copy(output, offset);
  }
  return output.subarray(0, length);
}

/**
 * Signing key, encrypting key and initialization vector of one direction.
 * @param secret the receiver's nonce, @param seed the sender's nonce. OPC 10000-6 §6.7.5, Table 68.
 */
export function deriveKeys(policy: SecurityPolicy, secret: Uint8Array, seed: Uint8Array): DerivedKeys {
  const encryptingStart = policy.signingKeyBytes;
  const vectorStart = encryptingStart + policy.encryptingKeyBytes;
  const end = policy.isSecure ? vectorStart + policy.symmetricBlockBytes : 0;
  const bytes = pSha256(secret, seed, end);
  return {
    signingKey: bytes.subarray(0, encryptingStart),
    encryptingKey: bytes.subarray(encryptingStart, vectorStart),
    initializationVector: bytes.subarray(vectorStart, end),
  };
}

/** The keys of both directions from the two nonces of OpenSecureChannel. */
export function deriveChannelKeys(policy: SecurityPolicy, clientNonce: Uint8Array, serverNonce: Uint8Array): ChannelKeys {
  return {
    client: deriveKeys(policy, serverNonce, clientNonce),
    server: deriveKeys(policy, clientNonce, serverNonce),
  };
}
