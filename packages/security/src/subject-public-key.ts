import { createPublicKey, type KeyObject } from 'node:crypto';
import { type DerReader, DerTag, malformed } from './der-reader.ts';

/** Kind and size of a public key, read without handing its numbers to the crypto library. */
export interface SubjectPublicKey {
  readonly kind: 'rsa' | 'ec' | 'other';
  /** Modulus or curve size in bits; 0 for kind `other`. */
  readonly sizeBits: number;
  /** The SubjectPublicKeyInfo. */
  readonly der: Buffer;
}

const OID_RSA = '2a864886f70d010101';
const OID_EC = '2a8648ce3d0201';
/**
 * Twice what any policy allows for applications. Signatures of a chain are checked before anybody is trusted: at this size a check
 * takes 0.3 ms with the usual exponent, and with the longest one not many times that.
 */
const MAX_RSA_BITS = 8192;
const MAX_EXPONENT_BITS = 32;

const curveBits: ReadonlyMap<string, number> = new Map([
  ['2a8648ce3d030107', 256],
  ['2b81040022', 384],
  ['2b81040023', 521],
  ['2b2403030208010107', 256],
  ['2b240303020801010b', 384],
]);

/** Reads the next element, a SubjectPublicKeyInfo. @throws UaStatusError `BadCertificateInvalid` if an RSA key isn't a usable one. */
export function readSubjectPublicKey(reader: DerReader): SubjectPublicKey {
  const element = reader.expect(DerTag.Sequence);
  const der = reader.raw(element);
  const fields = reader.inside(element);
  const algorithm = fields.enter(DerTag.Sequence);
  const oid = algorithm.oid();
  const keyBits = fields.expect(DerTag.BitString);
  if (fields.content(keyBits)[0] !== 0) throw malformed('bad public key');
  if (oid === OID_RSA) {
    const key = fields.inside({ ...keyBits, contentStart: keyBits.contentStart + 1 });
    return { kind: 'rsa', sizeBits: readRsaKeySize(key), der };
  }
  // Explicit curve parameters are refused: they may be slow to check and hide a backdoor.
  const bits = oid === OID_EC && algorithm.peekTag() === DerTag.ObjectIdentifier ? curveBits.get(algorithm.oid()) : undefined;
  return bits === undefined ? { kind: 'other', sizeBits: 0, der } : { kind: 'ec', sizeBits: bits, der };
}

/** The key for use. @throws UaStatusError `BadCertificateInvalid` if it is none that Bulkhead can use. */
export function loadPublicKey(key: SubjectPublicKey): KeyObject {
  if (key.kind === 'other') throw malformed('public key of an unknown kind');
  try {
    return createPublicKey({ key: key.der, format: 'der', type: 'spki' });
  } catch (cause) {
    throw malformed(`unusable public key: ${cause instanceof Error ? cause.message : ''}`);
  }
}

function readRsaKeySize(key: DerReader): number {
  const fields = key.enter(DerTag.Sequence);
  const modulus = fields.integer();
  const exponent = fields.integer();
  const size = positiveBits(modulus);
  const isSound = isOdd(modulus) && isOdd(exponent) && positiveBits(exponent) > 1 && positiveBits(exponent) <= MAX_EXPONENT_BITS;
  if (size === 0 || size > MAX_RSA_BITS || !isSound) throw malformed('unusable RSA key');
  return size;
}

function positiveBits(integer: Buffer): number {
  if (((integer[0] as number) & 0x80) !== 0) return 0;
  const first = integer.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : 8 * (integer.length - first) - Math.clz32(integer[first] as number) + 24;
}

function isOdd(integer: Buffer): boolean {
  return ((integer.at(-1) as number) & 1) === 1;
}
