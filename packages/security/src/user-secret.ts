import { randomBytes, timingSafeEqual } from 'node:crypto';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import { encryptAsymmetric } from './public-key-operations.ts';
import { decryptRsaEncryptedSecret, isRsaEncryptedSecret } from './rsa-encrypted-secret.ts';
import type { SecurityPolicy } from './security-policy.ts';
import { decryptOrUndefined, type EncryptedUserSecret, type UserSecretContext } from './user-secret-context.ts';

const LENGTH_BYTES = 4;
const DEFAULT_MAX_SECRET_BYTES = 4096;

/**
 * Reads the secret of a user identity token: plain with SecurityPolicy None, otherwise in the legacy format (OPC 10000-4 §7.40.2.2)
 * or as RsaEncryptedSecret (§7.40.2.4). Nothing about a failure can be seen from outside: whatever is wrong, the same work is done
 * and the same error comes out.
 * @throws UaStatusError (as a rejection) `BadIdentityTokenInvalid`, or `BadServerTooBusy` when too many private-key operations wait.
 */
export async function decryptUserSecret(token: EncryptedUserSecret, context: UserSecretContext): Promise<Buffer> {
  const { policy } = context;
  const bytes = token.secret ?? Buffer.alloc(0);
  const maxSecretBytes = context.maxSecretBytes ?? DEFAULT_MAX_SECRET_BYTES;
  const algorithm = token.encryptionAlgorithm ?? '';
  if (!policy.isSecure) {
    if (algorithm !== '' || bytes.length > maxSecretBytes) throw invalidSecret();
    return Buffer.from(bytes);
  }
  if (algorithm !== '' && algorithm !== policy.asymmetricEncryptionUri) throw invalidSecret();
  const isEncryptedSecret = isRsaEncryptedSecret(bytes);
  const secret = isEncryptedSecret ? await decryptRsaEncryptedSecret(bytes, context) : await decryptLegacy(bytes, context);
  if (secret === undefined || secret.length > maxSecretBytes) throw invalidSecret();
  return secret;
}

/**
 * Encrypts a secret for the server (client role), in the legacy format that every server understands.
 * @throws UaStatusError `BadSecurityChecksFailed` if the certificate's key can't encrypt.
 */
export function encryptUserSecret(
  policy: SecurityPolicy,
  server: Certificate | undefined,
  secret: Uint8Array,
  serverNonce: Uint8Array,
): EncryptedUserSecret {
  if (!policy.isSecure) return { encryptionAlgorithm: null, secret };
  if (server === undefined) throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'no server certificate to encrypt for');
  const plain = Buffer.alloc(LENGTH_BYTES + secret.length + serverNonce.length);
  plain.writeUInt32LE(secret.length + serverNonce.length, 0);
  plain.set(secret, LENGTH_BYTES);
  plain.set(serverNonce, LENGTH_BYTES + secret.length);
  const encrypted = encryptAsymmetric(policy, server.publicKey, plain);
  plain.fill(0);
  return { encryptionAlgorithm: policy.asymmetricEncryptionUri, secret: encrypted };
}

async function decryptLegacy(bytes: Uint8Array, context: UserSecretContext): Promise<Buffer | undefined> {
  const decrypted = await decryptOrUndefined(context, bytes);
  // A failed decryption goes on with noise, so that it ends where a wrong nonce ends.
  const plain = decrypted ?? randomBytes(context.key.keySizeBytes);
  const nonce = context.serverNonce;
  const length = plain.length >= LENGTH_BYTES ? plain.readUInt32LE(0) : 0;
  const fits = length >= nonce.length && length <= plain.length - LENGTH_BYTES;
  const end = fits ? LENGTH_BYTES + length : plain.length;
  const tail = Buffer.alloc(nonce.length);
  plain.copy(tail, 0, Math.max(0, end - nonce.length), end);
  const isFresh = timingSafeEqual(tail, nonce);
  if (decrypted === undefined || !fits || !isFresh) return undefined;
  const secret = Buffer.from(plain.subarray(LENGTH_BYTES, end - nonce.length));
  plain.fill(0);
  return secret;
}

function invalidSecret(): UaStatusError {
  return new UaStatusError(StatusCodes.BadIdentityTokenInvalid, 'the secret of the user identity token was refused');
}
