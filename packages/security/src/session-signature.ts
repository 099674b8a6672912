import type { Certificate } from './certificate.ts';
import type { PrivateKeyOperations } from './private-key-operations.ts';
import { verifyAsymmetric } from './public-key-operations.ts';
import type { SecurityPolicy } from './security-policy.ts';

/** The SignatureData structure. OPC 10000-4 §7.37. */
export interface SignatureFields {
  readonly algorithm: string | null;
  readonly signature: Uint8Array | null;
}

/** What the signatures of CreateSession, ActivateSession and X509 user tokens are made over: the receiver's certificate and its nonce. */
export function signatureInput(receiverCertificate: Uint8Array, receiverNonce: Uint8Array): Buffer {
  return Buffer.concat([receiverCertificate, receiverNonce]);
}

/**
 * Signs `data` for a SignatureData. With SecurityPolicy None both fields are null.
 * @throws UaStatusError (as a rejection) as `PrivateKeyOperations.sign`.
 */
export async function signData(policy: SecurityPolicy, key: PrivateKeyOperations, data: Uint8Array): Promise<SignatureFields> {
  if (!policy.isSecure) return { algorithm: null, signature: null };
  return { algorithm: policy.asymmetricSignatureUri, signature: await key.sign(policy, data) };
}

/**
 * Whether `signature` is `certificate`'s over `data`. With SecurityPolicy None there is nothing to check. An algorithm left empty
 * means the policy's. The caller chooses the code: `BadApplicationSignatureInvalid`, `BadUserSignatureInvalid`.
 */
export function verifySignature(policy: SecurityPolicy, certificate: Certificate, data: Uint8Array, signature: SignatureFields): boolean {
  if (!policy.isSecure) return true;
  if (signature.signature === null) return false;
  if (signature.algorithm !== null && signature.algorithm !== '' && signature.algorithm !== policy.asymmetricSignatureUri) return false;
  return certificate.keyKind === 'rsa' && verifyAsymmetric(policy, certificate.publicKey, data, signature.signature);
}
