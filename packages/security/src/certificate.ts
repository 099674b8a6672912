import { createHash, type KeyObject } from 'node:crypto';
import { UaStatusError } from '@bulkhead/types';
import { type CertificateExtensions, noExtensions, readExtensions } from './certificate-extensions.ts';
import { DerReader, DerTag, malformed } from './der-reader.ts';
import { type DistinguishedName, readDistinguishedName } from './distinguished-name.ts';
import type { HashName } from './security-policy.ts';
import { loadPublicKey, readSubjectPublicKey, type SubjectPublicKey } from './subject-public-key.ts';
import { readSignatureAlgorithm, verifyX509Signature, type X509SignatureAlgorithm } from './x509-signature.ts';
import { readTime } from './x509-time.ts';

/** Longest certificate taken; application certificates have 1 … 2 KiB. */
export const MAX_CERTIFICATE_BYTES = 65_536;

const MAX_SERIAL_BYTES = 255;
const TAG_VERSION = 0xa0;
const TAG_EXTENSIONS = 0xa3;

interface ParsedCertificate {
  readonly version: number;
  readonly serialNumber: string;
  readonly issuer: DistinguishedName;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly subject: DistinguishedName;
  readonly publicKey: SubjectPublicKey;
  readonly extensions: CertificateExtensions;
  readonly signed: Buffer;
  readonly algorithm: X509SignatureAlgorithm;
  readonly signature: Buffer;
}

/** A parsed X.509 certificate. Parsing proves nothing but its structure; trust is `CertificateValidator`'s business. */
export class Certificate {
  /** The certificate as it came; not to be changed. */
  readonly der: Buffer;
  /** SHA-1 of `der`, 20 bytes: what OPC UA calls the thumbprint. */
  readonly thumbprintBytes: Buffer;
  /** The thumbprint in upper-case hex. */
  readonly thumbprint: string;
  /** 1, 2 or 3. */
  readonly version: number;
  /** In lower-case hex. */
  readonly serialNumber: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** First moment of validity, ms since 1970. */
  readonly notBeforeMs: number;
  /** Last moment of validity, ms since 1970. */
  readonly notAfterMs: number;
  readonly keyKind: 'rsa' | 'ec' | 'other';
  readonly keySizeBits: number;
  /** Hash in the certificate's signature; undefined if the algorithm is unknown. */
  readonly signatureHash: HashName | undefined;
  readonly extensions: Readonly<CertificateExtensions>;
  readonly #parsed: ParsedCertificate;
  #publicKey: KeyObject | undefined;
  #verifiedIssuer = '';

  private constructor(der: Buffer, thumbprintBytes: Buffer, parsed: ParsedCertificate) {
    this.der = der;
    this.thumbprintBytes = thumbprintBytes;
    this.thumbprint = thumbprintBytes.toString('hex').toUpperCase();
    this.version = parsed.version;
    this.serialNumber = parsed.serialNumber;
    this.subject = parsed.subject;
    this.issuer = parsed.issuer;
    this.notBeforeMs = parsed.notBeforeMs;
    this.notAfterMs = parsed.notAfterMs;
    this.keyKind = parsed.publicKey.kind;
    this.keySizeBits = parsed.publicKey.sizeBits;
    this.signatureHash = parsed.algorithm.hash;
    this.extensions = parsed.extensions;
    this.#parsed = parsed;
  }

  /**
   * Parses exactly one DER certificate; the bytes are copied.
   * @throws UaStatusError `BadCertificateInvalid`, and nothing else.
   */
  static parse(bytes: Uint8Array): Certificate {
    if (bytes.length > MAX_CERTIFICATE_BYTES) throw malformed(`certificate of ${bytes.length} bytes`);
    const der = Buffer.from(bytes);
    try {
      return new Certificate(der, sha1(der), parseCertificate(der));
    } catch (error) {
      throw error instanceof UaStatusError ? error : malformed('malformed certificate');
    }
  }

  /** The URIs of the SubjectAlternativeName; an application certificate has its ApplicationUri there. */
  get applicationUris(): readonly string[] {
    return this.extensions.uris;
  }

  /** Issuer and subject have the same name. */
  get isSelfIssued(): boolean {
    return this.issuer.key === this.subject.key;
  }

  /** Signed with its own key. */
  get isSelfSigned(): boolean {
    return this.isSelfIssued && this.isSignedBy(this);
  }

  /** The public key, loaded once. @throws UaStatusError `BadCertificateInvalid` if it can't be used. */
  get publicKey(): KeyObject {
    this.#publicKey ??= loadPublicKey(this.#parsed.publicKey);
    return this.#publicKey;
  }

  /** Whether `issuer`'s key made this certificate's signature. The last issuer found right is remembered. */
  isSignedBy(issuer: Certificate): boolean {
    if (this.#verifiedIssuer === issuer.thumbprint) return true;
    const { algorithm, signed, signature } = this.#parsed;
    let isValid = false;
    try {
      isValid = verifyX509Signature(algorithm, issuer.publicKey, signed, signature);
    } catch {
      // An issuer whose key can't be loaded signed nothing.
    }
    if (isValid) this.#verifiedIssuer = issuer.thumbprint;
    return isValid;
  }
}

/** SHA-1 thumbprint of a DER certificate: 20 bytes. */
export function sha1(der: Uint8Array): Buffer {
  return createHash('sha1').update(der).digest();
}

function parseCertificate(der: Buffer): ParsedCertificate {
  const outer = new DerReader(der);
  const certificate = outer.enter(DerTag.Sequence);
  outer.expectEnd();
  const tbs = certificate.expect(DerTag.Sequence);
  const outerAlgorithm = certificate.expect(DerTag.Sequence);
  const signature = certificate.bitStringBytes();
  certificate.expectEnd();

  const fields = certificate.inside(tbs);
  const version = readVersion(fields);
  const serial = fields.integer();
  if (serial.length > MAX_SERIAL_BYTES) throw malformed('serial number too long');
  const innerAlgorithm = fields.expect(DerTag.Sequence);
  if (!fields.raw(innerAlgorithm).equals(certificate.raw(outerAlgorithm))) throw malformed('two signature algorithms');
  const issuer = readDistinguishedName(fields);
  const validity = fields.enter(DerTag.Sequence);
  const notBeforeMs = readTime(validity);
  const notAfterMs = readTime(validity);
  const subject = readDistinguishedName(fields);
  const publicKey = readSubjectPublicKey(fields);
  return {
    version,
    serialNumber: serial.toString('hex'),
    issuer,
    notBeforeMs,
    notAfterMs,
    subject,
    publicKey,
    extensions: readTrailer(fields, version),
    signed: certificate.raw(tbs),
    algorithm: readSignatureAlgorithm(new DerReader(der, outerAlgorithm.start, outerAlgorithm.end)),
    signature,
  };
}

function readVersion(fields: DerReader): number {
  const tagged = fields.optional(TAG_VERSION);
  if (tagged === undefined) return 1;
  const value = fields.inside(tagged).integer();
  const version = value.length === 1 ? (value[0] as number) + 1 : 0;
  if (version !== 2 && version !== 3) throw malformed('unknown certificate version');
  return version;
}

function readTrailer(fields: DerReader, version: number): CertificateExtensions {
  fields.optional(0x81);
  fields.optional(0x82);
  const tagged = fields.optional(TAG_EXTENSIONS);
  fields.expectEnd();
  if (tagged === undefined) return noExtensions();
  if (version !== 3) throw malformed('extensions in a certificate that is not version 3');
  return readExtensions(fields.inside(tagged).enter(DerTag.Sequence));
}
