import { constants, type KeyObject, verify } from 'node:crypto';
import { type DerReader, DerTag } from './der-reader.ts';
import type { HashName } from './security-policy.ts';

/** How a certificate or revocation list is signed; undefined fields mean an algorithm that Bulkhead doesn't know. */
export interface X509SignatureAlgorithm {
  readonly hash: HashName | undefined;
  readonly scheme: 'rsa-pkcs1' | 'rsa-pss' | 'ecdsa' | undefined;
  /** RSA-PSS only. */
  readonly saltBytes: number;
}

const SHA1: HashName = 'sha1';
const UNKNOWN: X509SignatureAlgorithm = Object.freeze({ hash: undefined, scheme: undefined, saltBytes: 0 });
const RSA_PSS = '2a864886f70d01010a';

const algorithms: ReadonlyMap<string, X509SignatureAlgorithm> = new Map([
  ['2a864886f70d010104', { hash: 'md5', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a864886f70d010105', { hash: 'sha1', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a864886f70d01010e', { hash: 'sha224', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a864886f70d01010b', { hash: 'sha256', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a864886f70d01010c', { hash: 'sha384', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a864886f70d01010d', { hash: 'sha512', scheme: 'rsa-pkcs1', saltBytes: 0 }],
  ['2a8648ce3d0401', { hash: 'sha1', scheme: 'ecdsa', saltBytes: 0 }],
  ['2a8648ce3d040302', { hash: 'sha256', scheme: 'ecdsa', saltBytes: 0 }],
  ['2a8648ce3d040303', { hash: 'sha384', scheme: 'ecdsa', saltBytes: 0 }],
  ['2a8648ce3d040304', { hash: 'sha512', scheme: 'ecdsa', saltBytes: 0 }],
] satisfies [string, X509SignatureAlgorithm][]);

const hashes: ReadonlyMap<string, HashName> = new Map([
  ['2b0e03021a', 'sha1'],
  ['608648016503040204', 'sha224'],
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
] satisfies [string, HashName][]);

/** Reads the next element, an AlgorithmIdentifier of a signature. @throws UaStatusError `BadCertificateInvalid`. */
export function readSignatureAlgorithm(reader: DerReader): X509SignatureAlgorithm {
  const fields = reader.enter(DerTag.Sequence);
  const oid = fields.oid();
  return oid === RSA_PSS ? readPssParameters(fields) : (algorithms.get(oid) ?? UNKNOWN);
}

/** Whether `signature` is that of `signed`. False for unknown algorithms and keys of the wrong kind. */
export function verifyX509Signature(algorithm: X509SignatureAlgorithm, key: KeyObject, signed: Buffer, signature: Buffer): boolean {
  if (algorithm.hash === undefined || algorithm.scheme === undefined) return false;
  const keyType = key.asymmetricKeyType;
  try {
    switch (algorithm.scheme) {
      case 'rsa-pkcs1':
        return keyType === 'rsa' && verify(algorithm.hash, signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
      case 'rsa-pss': {
        const padding = constants.RSA_PKCS1_PSS_PADDING;
        return (
          (keyType === 'rsa' || keyType === 'rsa-pss') &&
          verify(algorithm.hash, signed, { key, padding, saltLength: algorithm.saltBytes }, signature)
        );
      }
      case 'ecdsa':
        return keyType === 'ec' && verify(algorithm.hash, signed, key, signature);
    }
  } catch {
    return false;
  }
}

function readPssParameters(fields: DerReader): X509SignatureAlgorithm {
  let hash: HashName | undefined = SHA1;
  let saltBytes = 20;
  if (fields.done) return { hash, scheme: 'rsa-pss', saltBytes };
  const parameters = fields.enter(DerTag.Sequence);
  const hashField = parameters.optional(0xa0);
  if (hashField !== undefined) hash = hashes.get(parameters.inside(hashField).enter(DerTag.Sequence).oid());
  parameters.optional(0xa1);
  const saltField = parameters.optional(0xa2);
  if (saltField !== undefined) {
    const salt = parameters.inside(saltField).integer();
    saltBytes = salt.length <= 2 ? salt.readUIntBE(0, salt.length) : -1;
  }
  return saltBytes < 0 || saltBytes > 512 ? UNKNOWN : { hash, scheme: 'rsa-pss', saltBytes };
}
