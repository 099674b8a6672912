import { constants, type KeyObject, publicEncrypt, verify } from 'node:crypto';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { SecurityPolicy } from './security-policy.ts';

/** Salt length of RSA-PSS-SHA256. OPC 10000-7. */
const PSS_SALT_BYTES = 32;

/** Length of the RSA modulus in bytes, which is the length of its signatures and cipher blocks; 0 for a key that isn't RSA. */
export function rsaKeyBytes(key: KeyObject): number {
  return key.asymmetricKeyType === 'rsa' ? Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) : 0;
}

/** Plain text bytes that fit into one RSA block under `policy`. */
export function plainBlockBytes(policy: SecurityPolicy, keyBytes: number): number {
  return keyBytes - policy.oaepOverheadBytes;
}

/** Length of the cipher text of `plainBytes` bytes. */
export function cipherBytes(policy: SecurityPolicy, keyBytes: number, plainBytes: number): number {
  return Math.ceil(plainBytes / plainBlockBytes(policy, keyBytes)) * keyBytes;
}

/** Padding and salt of `policy`'s asymmetric signature, as node:crypto takes them. */
export function signatureParameters(policy: SecurityPolicy): { readonly padding: number; readonly saltLength?: number } {
  return policy.asymmetricSignature === 'rsa-pss-sha256'
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: PSS_SALT_BYTES }
    : { padding: constants.RSA_PKCS1_PADDING };
}

/**
 * Whether `signature` is that of `data` under `policy`. Synchronous: about 25 µs for RSA-2048.
 * False, never an exception, for keys and signatures of the wrong kind.
 */
export function verifyAsymmetric(policy: SecurityPolicy, publicKey: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  if (!policy.isSecure || signature.length === 0 || signature.length !== rsaKeyBytes(publicKey)) return false;
  try {
    return verify('sha256', data, { key: publicKey, ...signatureParameters(policy) }, signature);
  } catch {
    return false;
  }
}

/**
 * Encrypts `plain` block by block for the owner of `publicKey`. Synchronous: about 25 µs a block for RSA-2048.
 * @throws UaStatusError `BadSecurityChecksFailed` for SecurityPolicy None or a key that can't encrypt.
 */
export function encryptAsymmetric(policy: SecurityPolicy, publicKey: KeyObject, plain: Uint8Array): Buffer {
  const keyBytes = rsaKeyBytes(publicKey);
  const blockBytes = plainBlockBytes(policy, keyBytes);
  if (policy.oaepHash === undefined || blockBytes <= 0) {
    throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, `no asymmetric encryption with ${policy.name} and this key`);
  }
  const key = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: policy.oaepHash };
  const output = Buffer.allocUnsafe(cipherBytes(policy, keyBytes, plain.length));
  try {
    for (let from = 0, to = 0; from < plain.length; from += blockBytes, to += keyBytes) {
      publicEncrypt(key, plain.subarray(from, from + blockBytes)).copy(output, to);
    }
  } catch (cause) {
    throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'asymmetric encryption failed', { cause });
  }
  return output;
}
