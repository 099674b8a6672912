export { type ApplicationCertificateOptions, createApplicationCertificate } from './application-certificate.ts';
export { Certificate, MAX_CERTIFICATE_BYTES } from './certificate.ts';
export { CertificateCache } from './certificate-cache.ts';
export { MAX_CHAIN_LENGTH, parseCertificateChain, splitCertificateChain } from './certificate-chain.ts';
export { type CertificateExtensions, ExtendedKeyUsage, KeyUsage } from './certificate-extensions.ts';
export { CertificateRevocationList, MAX_REVOCATION_LIST_BYTES } from './certificate-revocation-list.ts';
export { CertificateStore, type CertificateStoreOptions } from './certificate-store.ts';
export {
  CertificateValidator,
  type CertificateValidatorOptions,
  type ValidatedCertificate,
  type ValidationRequest,
} from './certificate-validator.ts';
export type { DistinguishedName } from './distinguished-name.ts';
export { FolderTrustList, type FolderTrustListOptions, readCertificateFile } from './folder-trust-list.ts';
export { type ChannelKeys, type DerivedKeys, deriveChannelKeys, deriveKeys, pSha256 } from './key-derivation.ts';
export { LocalPrivateKey, type LocalPrivateKeyOptions } from './local-private-key.ts';
export { checkSecureChannelNonce, checkSessionNonce, MIN_SESSION_NONCE_BYTES, randomNonce } from './nonce.ts';
export { contentEnd, needsExtraPaddingSize, paddingFieldBytes, writePadding } from './padding.ts';
export type { PrivateKeyOperations } from './private-key-operations.ts';
export { cipherBytes, encryptAsymmetric, plainBlockBytes, rsaKeyBytes, verifyAsymmetric } from './public-key-operations.ts';
export { encryptRsaSecret } from './rsa-encrypted-secret.ts';
export {
  type AsymmetricSignatureScheme,
  findSecurityPolicy,
  type HashName,
  SecurityPolicies,
  type SecurityPolicy,
  type SecurityPolicyName,
} from './security-policy.ts';
export { type SignatureFields, signatureInput, signData, verifySignature } from './session-signature.ts';
export { SymmetricKeys } from './symmetric-keys.ts';
export { MemoryTrustList, StaticTrustSnapshot, type TrustList, type TrustListContent, type TrustSnapshot } from './trust-list.ts';
export { decryptUserSecret, encryptUserSecret } from './user-secret.ts';
export type { EncryptedUserSecret, UserSecretContext } from './user-secret-context.ts';
