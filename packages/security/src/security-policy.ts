/** Hash algorithms that certificate signatures may use. */
export type HashName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** The SecurityPolicies that Bulkhead implements. OPC 10000-7. */
export type SecurityPolicyName = 'None' | 'Basic256Sha256' | 'Aes128_Sha256_RsaOaep' | 'Aes256_Sha256_RsaPss';

/** How a policy signs with RSA; `none` for SecurityPolicy None. */
export type AsymmetricSignatureScheme = 'none' | 'rsa-pkcs1-sha256' | 'rsa-pss-sha256';

/** One SecurityPolicy: algorithms and sizes, nothing that changes. OPC 10000-7 §6.6. */
export interface SecurityPolicy {
  readonly uri: string;
  readonly name: SecurityPolicyName;
  /** False only for SecurityPolicy None: no signature, no encryption, no nonce. */
  readonly isSecure: boolean;
  readonly asymmetricSignature: AsymmetricSignatureScheme;
  /** The URI of the signature algorithm as it stands in a SignatureData. Empty for None. */
  readonly asymmetricSignatureUri: string;
  /** Hash of RSA-OAEP (label hash and mask generation); undefined for None. */
  readonly oaepHash: 'sha1' | 'sha256' | undefined;
  /** The URI of the encryption algorithm as it stands in a user identity token. Empty for None. */
  readonly asymmetricEncryptionUri: string;
  /** Bytes of each RSA block that OAEP takes: plain block = key bytes − overhead. */
  readonly oaepOverheadBytes: number;
  /** Length of the nonces in OpenSecureChannel. */
  readonly secureChannelNonceBytes: number;
  /** Length of a symmetric signature (HMAC-SHA256). */
  readonly symmetricSignatureBytes: number;
  readonly signingKeyBytes: number;
  readonly encryptingKeyBytes: number;
  /** Block and initialization vector length of the symmetric cipher. */
  readonly symmetricBlockBytes: number;
  readonly symmetricCipher: 'none' | 'aes-128-cbc' | 'aes-256-cbc';
  readonly minKeyBits: number;
  readonly maxKeyBits: number;
  /** Hashes accepted in the signatures of application and issuer certificates. */
  readonly certificateSignatureHashes: readonly HashName[];
}

const PREFIX = 'http://opcfoundation.org/UA/SecurityPolicy#';
const RSA_SHA256_URI = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const RSA_PSS_SHA256_URI = 'http://opcfoundation.org/UA/security/rsa-pss-sha2-256';
const OAEP_SHA1_URI = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep';
const OAEP_SHA256_URI = 'http://opcfoundation.org/UA/security/rsa-oaep-sha2-256';
const SHA2: readonly HashName[] = Object.freeze(['sha256', 'sha384', 'sha512'] as const);

const NONE: SecurityPolicy = Object.freeze({
  uri: `${PREFIX}None`,
  name: 'None',
  isSecure: false,
  asymmetricSignature: 'none',
  asymmetricSignatureUri: '',
  oaepHash: undefined,
  asymmetricEncryptionUri: '',
  oaepOverheadBytes: 0,
  secureChannelNonceBytes: 0,
  symmetricSignatureBytes: 0,
  signingKeyBytes: 0,
  encryptingKeyBytes: 0,
  symmetricBlockBytes: 1,
  symmetricCipher: 'none',
  minKeyBits: 0,
  maxKeyBits: 0,
  certificateSignatureHashes: SHA2,
});

const BASIC256_SHA256: SecurityPolicy = Object.freeze({
  uri: `${PREFIX}Basic256Sha256`,
  name: 'Basic256Sha256',
  isSecure: true,
  asymmetricSignature: 'rsa-pkcs1-sha256',
  asymmetricSignatureUri: RSA_SHA256_URI,
  oaepHash: 'sha1',
  asymmetricEncryptionUri: OAEP_SHA1_URI,
  oaepOverheadBytes: 42,
  secureChannelNonceBytes: 32,
  symmetricSignatureBytes: 32,
  signingKeyBytes: 32,
  encryptingKeyBytes: 32,
  symmetricBlockBytes: 16,
  symmetricCipher: 'aes-256-cbc',
  minKeyBits: 2048,
  maxKeyBits: 4096,
  certificateSignatureHashes: SHA2,
});

const AES128_SHA256_RSA_OAEP: SecurityPolicy = Object.freeze({
  ...BASIC256_SHA256,
  uri: `${PREFIX}Aes128_Sha256_RsaOaep`,
  name: 'Aes128_Sha256_RsaOaep',
  encryptingKeyBytes: 16,
  symmetricCipher: 'aes-128-cbc',
});

const AES256_SHA256_RSA_PSS: SecurityPolicy = Object.freeze({
  ...BASIC256_SHA256,
  uri: `${PREFIX}Aes256_Sha256_RsaPss`,
  name: 'Aes256_Sha256_RsaPss',
  asymmetricSignature: 'rsa-pss-sha256',
  asymmetricSignatureUri: RSA_PSS_SHA256_URI,
  oaepHash: 'sha256',
  asymmetricEncryptionUri: OAEP_SHA256_URI,
  oaepOverheadBytes: 66,
});

/** All supported SecurityPolicies by name. */
export const SecurityPolicies: Readonly<Record<SecurityPolicyName, SecurityPolicy>> = Object.freeze({
  None: NONE,
  Basic256Sha256: BASIC256_SHA256,
  Aes128_Sha256_RsaOaep: AES128_SHA256_RSA_OAEP,
  Aes256_Sha256_RsaPss: AES256_SHA256_RSA_PSS,
});

const byUri: ReadonlyMap<string, SecurityPolicy> = new Map(Object.values(SecurityPolicies).map((policy) => [policy.uri, policy]));

/** The policy with this URI, or undefined if it isn't supported (answer `BadSecurityPolicyRejected`). */
export function findSecurityPolicy(uri: string | null | undefined): SecurityPolicy | undefined {
  return uri === null || uri === undefined ? undefined : byUri.get(uri);
}
