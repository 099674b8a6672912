import { UaStatusError } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import { forEachExtension, KeyUsage, readAuthorityKeyId } from './certificate-extensions.ts';
import { DerReader, DerTag, malformed } from './der-reader.ts';
import { type DistinguishedName, readDistinguishedName } from './distinguished-name.ts';
import { readSignatureAlgorithm, verifyX509Signature, type X509SignatureAlgorithm } from './x509-signature.ts';
import { readTime } from './x509-time.ts';

/** Longest revocation list taken. */
export const MAX_REVOCATION_LIST_BYTES = 16_777_216;

const TAG_EXTENSIONS = 0xa0;
const OID_AUTHORITY_KEY_ID = '551d23';
const OID_CRL_NUMBER = '551d14';

interface ParsedList {
  readonly issuer: DistinguishedName;
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number | undefined;
  readonly revoked: ReadonlySet<string>;
  readonly authorityKeyId: string | undefined;
  readonly isUsable: boolean;
  readonly signed: Buffer;
  readonly algorithm: X509SignatureAlgorithm;
  readonly signature: Buffer;
}

/** A certificate revocation list (CRL). RFC 5280 §5. */
export class CertificateRevocationList {
  readonly issuer: DistinguishedName;
  readonly thisUpdateMs: number;
  /** When the next list is due; undefined if the list doesn't say. */
  readonly nextUpdateMs: number | undefined;
  readonly authorityKeyId: string | undefined;
  readonly #parsed: ParsedList;
  #verifiedIssuer = '';

  private constructor(parsed: ParsedList) {
    this.issuer = parsed.issuer;
    this.thisUpdateMs = parsed.thisUpdateMs;
    this.nextUpdateMs = parsed.nextUpdateMs;
    this.authorityKeyId = parsed.authorityKeyId;
    this.#parsed = parsed;
  }

  /** Parses one DER revocation list. @throws UaStatusError `BadCertificateInvalid`, and nothing else. */
  static parse(bytes: Uint8Array): CertificateRevocationList {
    if (bytes.length > MAX_REVOCATION_LIST_BYTES) throw malformed(`revocation list of ${bytes.length} bytes`);
    try {
      return new CertificateRevocationList(parseList(Buffer.from(bytes)));
    } catch (error) {
      throw error instanceof UaStatusError ? error : malformed('malformed revocation list');
    }
  }

  /** Number of revoked certificates. */
  get size(): number {
    return this.#parsed.revoked.size;
  }

  /** Whether the list names this serial number. */
  revokes(certificate: Certificate): boolean {
    return this.#parsed.revoked.has(certificate.serialNumber);
  }

  /** Whether `issuer` made this list: name, key, permission (cRLSign) and signature. */
  isIssuedBy(issuer: Certificate): boolean {
    const { isUsable, algorithm, signed, signature } = this.#parsed;
    if (!isUsable || issuer.subject.key !== this.issuer.key) return false;
    const { subjectKeyId, keyUsage } = issuer.extensions;
    if (this.authorityKeyId !== undefined && subjectKeyId !== undefined && this.authorityKeyId !== subjectKeyId) return false;
    if (keyUsage !== undefined && (keyUsage & KeyUsage.CrlSign) === 0) return false;
    if (this.#verifiedIssuer === issuer.thumbprint) return true;
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

function parseList(der: Buffer): ParsedList {
  const outer = new DerReader(der);
  const list = outer.enter(DerTag.Sequence);
  outer.expectEnd();
  const tbs = list.expect(DerTag.Sequence);
  const algorithmElement = list.expect(DerTag.Sequence);
  const signature = list.bitStringBytes();
  list.expectEnd();

  const fields = list.inside(tbs);
  fields.optional(DerTag.Integer);
  if (!fields.raw(fields.expect(DerTag.Sequence)).equals(list.raw(algorithmElement))) throw malformed('two signature algorithms');
  const issuer = readDistinguishedName(fields);
  const thisUpdateMs = readTime(fields);
  const hasNextUpdate = fields.peekTag() === DerTag.UtcTime || fields.peekTag() === DerTag.GeneralizedTime;
  const nextUpdateMs = hasNextUpdate ? readTime(fields) : undefined;
  const entries = fields.optional(DerTag.Sequence);
  const revoked = entries === undefined ? new Set<string>() : readRevoked(fields.inside(entries));
  const { authorityKeyId, isUsable } = readListExtensions(fields);
  fields.expectEnd();
  const algorithm = readSignatureAlgorithm(new DerReader(der, algorithmElement.start, algorithmElement.end));
  return { issuer, thisUpdateMs, nextUpdateMs, revoked, authorityKeyId, isUsable, signed: list.raw(tbs), algorithm, signature };
}

function readRevoked(entries: DerReader): Set<string> {
  const revoked = new Set<string>();
  while (!entries.done) revoked.add(entries.enter(DerTag.Sequence).integer().toString('hex'));
  return revoked;
}

/** A list with an unknown critical extension (a delta list, one of only some certificates) must not be relied on. */
function readListExtensions(fields: DerReader): { authorityKeyId: string | undefined; isUsable: boolean } {
  let authorityKeyId: string | undefined;
  let isUsable = true;
  const tagged = fields.optional(TAG_EXTENSIONS);
  if (tagged !== undefined) {
    forEachExtension(fields.inside(tagged).enter(DerTag.Sequence), (oid, isCritical, value) => {
      if (oid === OID_AUTHORITY_KEY_ID) authorityKeyId = readAuthorityKeyId(value);
      else if (isCritical && oid !== OID_CRL_NUMBER) isUsable = false;
    });
  }
  return { authorityKeyId, isUsable };
}
