import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Certificate, CertificateRevocationList, KeyUsage } from '../../src/index.ts';
import { bitString, boolean, der, integer, name, oid, sequence, time } from './der-writer.ts';

export const DAY_MS = 86_400_000;
export const NOW_MS: number = Date.UTC(2026, 5, 1);
export const APPLICATION_URI = 'urn:test:application';

export interface KeyAndCertificate {
  readonly key: KeyObject;
  readonly certificate: Certificate;
}

export interface CertificateFields {
  readonly key: KeyObject;
  readonly commonName?: string;
  readonly issuer?: KeyAndCertificate;
  readonly hash?: 'sha1' | 'sha256' | 'sha512';
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  readonly isCa?: boolean;
  readonly pathLength?: number;
  readonly keyUsage?: number;
  readonly extendedKeyUsage?: readonly string[];
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly Uint8Array[];
  readonly serial?: string;
  readonly omitKeyIds?: boolean;
  readonly extraExtensions?: readonly Buffer[];
}

const APPLICATION_USAGE = KeyUsage.DigitalSignature | KeyUsage.NonRepudiation | KeyUsage.KeyEncipherment | KeyUsage.DataEncipherment;
const CA_USAGE = KeyUsage.KeyCertSign | KeyUsage.CrlSign;
const signatureOids = { sha1: '2a864886f70d010105', sha256: '2a864886f70d01010b', sha512: '2a864886f70d01010d' };
const keys = new Map<string, KeyObject>();

/** An RSA private key, made once per size and label. */
export function rsaKey(bits: number, label = ''): KeyObject {
  const id = `${bits} ${label}`;
  let key = keys.get(id);
  if (key === undefined) {
    key = generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
    keys.set(id, key);
  }
  return key;
}

export function extension(oidHex: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(oidHex), ...(critical ? [boolean(true)] : []), der(0x04, value));
}

/** A certificate, self-signed unless it has an issuer, good for an application unless told otherwise. */
export function makeCertificate(fields: CertificateFields): Certificate {
  const commonName = fields.commonName ?? 'Application';
  const hash = fields.hash ?? 'sha256';
  const algorithm = sequence(oid(signatureOids[hash]), der(0x05));
  const signer = fields.issuer ?? { key: fields.key, certificate: undefined };
  const tbs = sequence(
    der(0xa0, integer('02')),
    integer(fields.serial ?? `40${randomBytes(8).toString('hex')}`),
    algorithm,
    name(fields.issuer?.certificate.subject.commonName ?? commonName),
    sequence(time(fields.notBeforeMs ?? NOW_MS - DAY_MS), time(fields.notAfterMs ?? NOW_MS + 365 * DAY_MS)),
    name(commonName),
    publicKeyDer(fields.key),
    der(0xa3, sequence(...makeExtensions(fields, signer.key))),
  );
  return Certificate.parse(signed(tbs, algorithm, hash, signer.key));
}

export function makeCa(key: KeyObject, fields: Partial<CertificateFields> = {}): KeyAndCertificate {
  return {
    key,
    certificate: makeCertificate({ commonName: 'Root CA', isCa: true, keyUsage: CA_USAGE, uris: [], dnsNames: [], ...fields, key }),
  };
}

export interface ListFields {
  readonly revoked?: readonly Certificate[];
  readonly thisUpdateMs?: number;
  readonly nextUpdateMs?: number;
}

export function makeRevocationListDer(issuer: KeyAndCertificate, fields: ListFields = {}): Buffer {
  const algorithm = sequence(oid(signatureOids.sha256), der(0x05));
  const revoked = (fields.revoked ?? []).map((certificate) => sequence(integer(certificate.serialNumber), time(NOW_MS - DAY_MS)));
  const tbs = sequence(
    integer('01'),
    algorithm,
    name(issuer.certificate.subject.commonName),
    time(fields.thisUpdateMs ?? NOW_MS - DAY_MS),
    time(fields.nextUpdateMs ?? NOW_MS + DAY_MS),
    ...(revoked.length > 0 ? [sequence(...revoked)] : []),
    der(0xa0, sequence(extension('551d23', false, sequence(der(0x80, keyId(issuer.key)))))),
  );
  return signed(tbs, algorithm, 'sha256', issuer.key);
}

export function makeRevocationList(issuer: KeyAndCertificate, fields: ListFields = {}): CertificateRevocationList {
  return CertificateRevocationList.parse(makeRevocationListDer(issuer, fields));
}

function makeExtensions(fields: CertificateFields, signerKey: KeyObject): Buffer[] {
  const constraints = [
    ...(fields.isCa ? [boolean(true)] : []),
    ...(fields.pathLength === undefined ? [] : [integer(hexByte(fields.pathLength))]),
  ];
  const names = [
    ...(fields.uris ?? [APPLICATION_URI]).map((uri) => der(0x86, uri)),
    ...(fields.dnsNames ?? ['localhost']).map((dns) => der(0x82, dns)),
    ...(fields.ipAddresses ?? []).map((ip) => der(0x87, ip)),
  ];
  const purposes = fields.extendedKeyUsage;
  return [
    extension('551d13', true, sequence(...constraints)),
    extension('551d0f', true, keyUsageBits(fields.keyUsage ?? APPLICATION_USAGE)),
    ...(purposes === undefined ? [] : [extension('551d25', false, sequence(...purposes.map(oid)))]),
    ...(names.length === 0 ? [] : [extension('551d11', false, sequence(...names))]),
    ...(fields.omitKeyIds
      ? []
      : [extension('551d0e', false, der(0x04, keyId(fields.key))), extension('551d23', false, sequence(der(0x80, keyId(signerKey))))]),
    ...(fields.extraExtensions ?? []),
  ];
}

function keyUsageBits(usage: number): Buffer {
  let byte = 0;
  for (let i = 0; i < 8; i++) byte |= ((usage >>> i) & 1) << (7 - i);
  return bitString(Buffer.from([byte]));
}

function signed(tbs: Buffer, algorithm: Buffer, hash: string, key: KeyObject): Buffer {
  return sequence(tbs, algorithm, bitString(sign(hash, tbs, key)));
}

function publicKeyDer(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1').update(publicKeyDer(key)).digest();
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
