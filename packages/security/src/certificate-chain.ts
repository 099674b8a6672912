import { Certificate, MAX_CERTIFICATE_BYTES } from './certificate.ts';
import type { CertificateCache } from './certificate-cache.ts';
import { DerTag, malformed, readElement } from './der-reader.ts';

/** Most certificates in one chain. */
export const MAX_CHAIN_LENGTH = 10;

/**
 * Splits a ByteString of DER certificates, the application's own first. OPC 10000-6 §6.7.2.3. The parts aren't copied.
 * @throws UaStatusError `BadCertificateInvalid` if it is empty, longer than 64 KiB, holds more than 10 certificates or ends inside one.
 */
export function splitCertificateChain(bytes: Uint8Array): Buffer[] {
  if (bytes.length === 0 || bytes.length > MAX_CERTIFICATE_BYTES) throw malformed(`certificate chain of ${bytes.length} bytes`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Buffer[] = [];
  for (let offset = 0; offset < buffer.length; ) {
    if (parts.length === MAX_CHAIN_LENGTH) throw malformed(`more than ${MAX_CHAIN_LENGTH} certificates in a chain`);
    const element = readElement(buffer, offset, buffer.length);
    if (element.tag !== DerTag.Sequence) throw malformed('no certificate');
    parts.push(buffer.subarray(offset, element.end));
    offset = element.end;
  }
  return parts;
}

/**
 * Parses a ByteString of certificates as it stands in a message; the first is the sender's own.
 * @throws UaStatusError `BadCertificateInvalid`.
 */
export function parseCertificateChain(bytes: Uint8Array, cache?: CertificateCache): Certificate[] {
  return splitCertificateChain(bytes).map((part) => cache?.get(part) ?? Certificate.parse(part));
}
