import { type DerElement, type DerReader, DerTag, malformed } from './der-reader.ts';

/** Bits of the KeyUsage extension. RFC 5280 §4.2.1.3. */
export const KeyUsage = {
  DigitalSignature: 0x01,
  NonRepudiation: 0x02,
  KeyEncipherment: 0x04,
  DataEncipherment: 0x08,
  KeyAgreement: 0x10,
  KeyCertSign: 0x20,
  CrlSign: 0x40,
} as const;

/** What Bulkhead looks at in a certificate's extensions. */
export interface CertificateExtensions {
  /** `KeyUsage` bits; undefined without the extension, which allows everything. */
  keyUsage: number | undefined;
  /** Purposes as hex digits of the OBJECT IDENTIFIER; undefined without the extension. */
  extendedKeyUsage: readonly string[] | undefined;
  isCa: boolean;
  /** CA certificates that may follow below this one; undefined for no limit. */
  pathLength: number | undefined;
  subjectKeyId: string | undefined;
  authorityKeyId: string | undefined;
  uris: readonly string[];
  dnsNames: readonly string[];
  /** In the form that `canonicalHost` gives. */
  ipAddresses: readonly string[];
  /** A critical extension that Bulkhead doesn't know: the certificate must not be used. RFC 5280 §4.2. */
  hasUnknownCritical: boolean;
}

/** Purposes of ExtendedKeyUsage as hex digits of their OBJECT IDENTIFIER. */
export const ExtendedKeyUsage = {
  Any: '551d2500',
  ServerAuth: '2b06010505070301',
  ClientAuth: '2b06010505070302',
} as const;

const MAX_EXTENSIONS = 64;
const MAX_ALTERNATIVE_NAMES = 256;
const MAX_PURPOSES = 64;

const OID_SUBJECT_KEY_ID = '551d0e';
const OID_KEY_USAGE = '551d0f';
const OID_SUBJECT_ALT_NAME = '551d11';
const OID_BASIC_CONSTRAINTS = '551d13';
const OID_AUTHORITY_KEY_ID = '551d23';
const OID_EXTENDED_KEY_USAGE = '551d25';
/** Understood without being looked at: CRL distribution points, certificate policies. */
const HARMLESS: ReadonlySet<string> = new Set(['551d1f', '551d20']);

const TAG_DNS = 0x82;
const TAG_URI = 0x86;
const TAG_IP = 0x87;
const TAG_KEY_ID = 0x80;

/** The extensions of a certificate that has none. */
export function noExtensions(): CertificateExtensions {
  return {
    keyUsage: undefined,
    extendedKeyUsage: undefined,
    isCa: false,
    pathLength: undefined,
    subjectKeyId: undefined,
    authorityKeyId: undefined,
    uris: [],
    dnsNames: [],
    ipAddresses: [],
    hasUnknownCritical: false,
  };
}

/** Reads the content of an Extensions element. @throws UaStatusError `BadCertificateInvalid`. */
export function readExtensions(list: DerReader): CertificateExtensions {
  const result = noExtensions();
  forEachExtension(list, (oid, isCritical, value) => {
    if (!applyExtension(result, oid, value) && isCritical) result.hasUnknownCritical = true;
  });
  return result;
}

/** Calls `visit` for each of the extensions. @throws UaStatusError `BadCertificateInvalid` if they are malformed, doubled or too many. */
export function forEachExtension(list: DerReader, visit: (oid: string, isCritical: boolean, value: DerReader) => void): void {
  const seen = new Set<string>();
  while (!list.done) {
    const extension = list.enter(DerTag.Sequence);
    const oid = extension.oid();
    if (seen.has(oid)) throw malformed('extension given twice');
    if (seen.size === MAX_EXTENSIONS) throw malformed(`more than ${MAX_EXTENSIONS} extensions`);
    seen.add(oid);
    const critical = extension.optional(DerTag.Boolean);
    const value = extension.enter(DerTag.OctetString);
    extension.expectEnd();
    visit(oid, critical !== undefined && readBoolean(extension, critical), value);
  }
}

/** The key identifier in an AuthorityKeyIdentifier extension. */
export function readAuthorityKeyId(value: DerReader): string | undefined {
  const fields = value.enter(DerTag.Sequence);
  const keyId = fields.optional(TAG_KEY_ID);
  return keyId === undefined ? undefined : fields.content(keyId).toString('hex');
}

/** A host name or address in one form: lower case, no final dot, IPv6 in brackets and shortest; undefined if it is none. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.endsWith('.') ? host.slice(0, -1) : host;
  const text = bare.includes(':') && !bare.startsWith('[') ? `[${bare}]` : bare;
  if (!/^[A-Za-z0-9\-_.]+$|^\[[0-9A-Fa-f:.]+\]$/.test(text)) return undefined;
  try {
    return new URL(`http://${text}/`).hostname;
  } catch {
    return undefined;
  }
}

function applyExtension(result: CertificateExtensions, oid: string, value: DerReader): boolean {
  switch (oid) {
    case OID_KEY_USAGE:
      result.keyUsage = readKeyUsage(value);
      return true;
    case OID_EXTENDED_KEY_USAGE:
      result.extendedKeyUsage = readPurposes(value);
      return true;
    case OID_BASIC_CONSTRAINTS:
      readBasicConstraints(result, value);
      return true;
    case OID_SUBJECT_KEY_ID:
      result.subjectKeyId = value.content(value.expect(DerTag.OctetString)).toString('hex');
      return true;
    case OID_AUTHORITY_KEY_ID:
      result.authorityKeyId = readAuthorityKeyId(value);
      return true;
    case OID_SUBJECT_ALT_NAME:
      readAlternativeNames(result, value);
      return true;
    default:
      return HARMLESS.has(oid);
  }
}

function readKeyUsage(value: DerReader): number {
  const content = value.content(value.expect(DerTag.BitString));
  const unused = content[0];
  if (unused === undefined || unused > 7) throw malformed('bad key usage');
  let bits = 0;
  // Bit 0 of the BIT STRING is the highest bit of its first byte.
  for (let i = 0; i < 8 && content.length > 1; i++) bits |= (((content[1] as number) >>> (7 - i)) & 1) << i;
  return bits;
}

function readPurposes(value: DerReader): string[] {
  const list = value.enter(DerTag.Sequence);
  const purposes: string[] = [];
  while (!list.done) {
    if (purposes.length === MAX_PURPOSES) throw malformed(`more than ${MAX_PURPOSES} key purposes`);
    purposes.push(list.oid());
  }
  return purposes;
}

function readBasicConstraints(result: CertificateExtensions, value: DerReader): void {
  const fields = value.enter(DerTag.Sequence);
  const ca = fields.optional(DerTag.Boolean);
  result.isCa = ca !== undefined && readBoolean(fields, ca);
  if (fields.done) return;
  const length = fields.integer();
  if (length.length > 2 || ((length[0] as number) & 0x80) !== 0) throw malformed('bad path length');
  result.pathLength = length.readUIntBE(0, length.length);
}

function readBoolean(reader: DerReader, element: DerElement): boolean {
  const content = reader.content(element);
  if (content.length !== 1) throw malformed('bad BOOLEAN');
  return content[0] !== 0;
}

function readAlternativeNames(result: CertificateExtensions, value: DerReader): void {
  const list = value.enter(DerTag.Sequence);
  const uris: string[] = [];
  const dnsNames: string[] = [];
  const ipAddresses: string[] = [];
  for (let count = 0; !list.done; count++) {
    if (count === MAX_ALTERNATIVE_NAMES) throw malformed(`more than ${MAX_ALTERNATIVE_NAMES} alternative names`);
    const name = list.next();
    const content = list.content(name);
    if (name.tag === TAG_URI) uris.push(content.toString('latin1'));
    else if (name.tag === TAG_DNS) dnsNames.push(content.toString('latin1'));
    else if (name.tag === TAG_IP) ipAddresses.push(formatIpAddress(content));
  }
  result.uris = uris;
  result.dnsNames = dnsNames;
  result.ipAddresses = ipAddresses;
}

function formatIpAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw malformed('IP address of neither 4 nor 16 bytes');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return canonicalHost(groups.join(':')) ?? groups.join(':');
}
