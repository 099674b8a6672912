import { randomBytes } from 'node:crypto';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { SecurityPolicy } from './security-policy.ts';

/** Least length of the nonces in CreateSession and ActivateSession. OPC 10000-4 §5.7.2. */
export const MIN_SESSION_NONCE_BYTES = 32;
const MAX_SESSION_NONCE_BYTES = 128;

/** Cryptographically random bytes. */
export function randomNonce(length: number): Buffer {
  return randomBytes(length);
}

/**
 * Checks the nonce of an OpenSecureChannel message; with SecurityPolicy None anything goes.
 * @throws UaStatusError `BadNonceInvalid` if its length isn't the policy's or all its bytes are zero.
 */
export function checkSecureChannelNonce(policy: SecurityPolicy, nonce: Uint8Array | null): void {
  if (!policy.isSecure) return;
  if (nonce === null || nonce.length !== policy.secureChannelNonceBytes || isAllZero(nonce)) {
    throw new UaStatusError(
      StatusCodes.BadNonceInvalid,
      `SecureChannel nonce of ${nonce?.length ?? 0} bytes, ${policy.name} wants ${policy.secureChannelNonceBytes}`,
    );
  }
}

/**
 * Checks the nonce of a CreateSession or ActivateSession message; with SecurityPolicy None anything goes.
 * @throws UaStatusError `BadNonceInvalid` unless it has 32 … 128 bytes that aren't all zero.
 */
export function checkSessionNonce(policy: SecurityPolicy, nonce: Uint8Array | null): void {
  if (!policy.isSecure) return;
  if (nonce === null || nonce.length < MIN_SESSION_NONCE_BYTES || nonce.length > MAX_SESSION_NONCE_BYTES || isAllZero(nonce)) {
    throw new UaStatusError(StatusCodes.BadNonceInvalid, `Session nonce of ${nonce?.length ?? 0} bytes`);
  }
}

function isAllZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
