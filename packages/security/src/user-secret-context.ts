import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { PrivateKeyOperations } from './private-key-operations.ts';
import type { SecurityPolicy } from './security-policy.ts';

/** A secret (a password, an issued token) as it stands in a user identity token. */
export interface EncryptedUserSecret {
  /** Null for plain text and for the EncryptedSecret format. */
  readonly encryptionAlgorithm: string | null;
  readonly secret: Uint8Array | null;
}

/** What it takes to read a secret. */
export interface UserSecretContext {
  /** The policy of the UserTokenPolicy, or that of the endpoint if it names none. */
  readonly policy: SecurityPolicy;
  readonly key: PrivateKeyOperations;
  /** The last nonce given to this client; the secret must hold it. */
  readonly serverNonce: Uint8Array;
  /** SHA-1 thumbprint of the certificate the secret should be encrypted for, 20 bytes; not checked if left out. */
  readonly certificateThumbprint?: Uint8Array | undefined;
  /** Longest secret taken. Default 4,096 bytes. */
  readonly maxSecretBytes?: number | undefined;
}

/** Undefined instead of an error for cipher text that doesn't decrypt; other errors go on. */
export async function decryptOrUndefined(context: UserSecretContext, bytes: Uint8Array): Promise<Buffer | undefined> {
  try {
    return await context.key.decrypt(context.policy, bytes);
  } catch (error) {
    if (error instanceof UaStatusError && error.statusCode === StatusCodes.BadServerTooBusy) throw error;
    return undefined;
  }
}
