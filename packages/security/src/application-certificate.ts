import { type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { canonicalHost } from './certificate-extensions.ts';

/** What a new application instance certificate says. */
export interface ApplicationCertificateOptions {
  readonly applicationUri: string;
  /** Common name of the subject. */
  readonly applicationName: string;
  /** Organization of the subject; left out if empty. */
  readonly organization?: string | undefined;
  /** Host names and IP addresses under which the application is reached. */
  readonly hostNames: readonly string[];
  /** Default 5 years of 365 days. */
  readonly validityDays?: number | undefined;
  /** Start of validity, ms since 1970. */
  readonly notBeforeMs: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_VALIDITY_DAYS = 5 * 365;
const SERIAL_BYTES = 16;
const SIGNING_ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/**
 * Makes a self-signed application instance certificate: v3, SHA-256, SubjectAlternativeName with ApplicationUri, host names and
 * addresses, the key usages of OPC 10000-6 §6.2.2, both purposes, no CA. The X.509 library is loaded only here: it takes 0.4 s.
 * @returns the DER bytes.
 */
export async function createApplicationCertificate(
  privateKey: KeyObject,
  publicKey: KeyObject,
  options: ApplicationCertificateOptions,
): Promise<Buffer> {
  const { x509 } = await import('node-opcua-crypto');
  const keys = {
    privateKey: await webcrypto.subtle.importKey('pkcs8', privateKey.export({ type: 'pkcs8', format: 'der' }), SIGNING_ALGORITHM, false, [
      'sign',
    ]),
    publicKey: await webcrypto.subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), SIGNING_ALGORITHM, true, [
      'verify',
    ]),
  };
  const usages =
    x509.KeyUsageFlags.digitalSignature |
    x509.KeyUsageFlags.nonRepudiation |
    x509.KeyUsageFlags.keyEncipherment |
    x509.KeyUsageFlags.dataEncipherment |
    x509.KeyUsageFlags.keyCertSign;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerialNumber(),
    name: new x509.Name([{ CN: [utf8(options.applicationName)] }, ...(options.organization ? [{ O: [utf8(options.organization)] }] : [])]),
    notBefore: new Date(options.notBeforeMs),
    notAfter: new Date(options.notBeforeMs + (options.validityDays ?? DEFAULT_VALIDITY_DAYS) * DAY_MS),
    signingAlgorithm: SIGNING_ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(usages, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth], false),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: options.applicationUri }, ...alternativeHosts(options.hostNames)]),
    ],
  });
  return Buffer.from(certificate.rawData);
}

/** Given as an object, the text is taken as it stands; a plain string would be searched for quotation marks. */
function utf8(text: string): { utf8String: string } {
  return { utf8String: text };
}

function alternativeHosts(hostNames: readonly string[]): { type: 'dns' | 'ip'; value: string }[] {
  const hosts = new Set(hostNames.map(canonicalHost));
  const names: { type: 'dns' | 'ip'; value: string }[] = [];
  for (const host of hosts) {
    if (host === undefined) continue;
    const isAddress = host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
    names.push(isAddress ? { type: 'ip', value: host.replace(/[[\]]/g, '') } : { type: 'dns', value: host });
  }
  return names;
}

/** Positive and always of full length: RFC 5280 §4.1.2.2. */
function randomSerialNumber(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
