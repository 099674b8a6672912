import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UaStatusError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  type Certificate,
  CertificateRevocationList,
  CertificateValidator,
  MemoryTrustList,
  parseCertificateChain,
  readCertificateFile,
  SecurityPolicies,
} from '../src/index.ts';
import { NOW_MS } from './support/make-certificate.ts';

const MAX_MS = 50;
const corpus = process.env['TEST_CORPUS'];
const files = ['pki', 'pki-generated'].flatMap((folder) => {
  const path = join(corpus ?? '', folder);
  return corpus !== undefined && existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
});

describe('the PKI corpus', () => {
  it.skipIf(files.length === 0)('each of its files ends in a value or a UaStatusError within 50 ms', { timeout: 60_000 }, async () => {
    for (const file of files) await replay(file);
  });
});

async function replay(file: string): Promise<void> {
  const bytes = readFileSync(file);
  await settle(file, () => CertificateRevocationList.parse(bytes));
  const sent = (await settle(file, () => parseCertificateChain(bytes))) ?? (await settle(file, () => readCertificateFile(bytes))) ?? [];
  for (const certificate of sent) await compareWithNode(file, certificate);
  const request = { role: 'application', nowMs: NOW_MS, policy: SecurityPolicies.Basic256Sha256, hostNames: ['localhost'] } as const;
  const untrusting = new CertificateValidator(new MemoryTrustList());
  expect(await settle(file, () => untrusting.validate(sent, request)), file).toBeUndefined();
  const trusting = new CertificateValidator(new MemoryTrustList({ trusted: sent, issuers: sent }));
  await settle(file, () => trusting.validate(sent, request));
}

/** The value, or undefined for a UaStatusError; anything else, and taking too long (a busy machine gets three tries), fails the test. */
async function settle<T>(file: string, action: () => T | Promise<T>): Promise<T | undefined> {
  let value: T | undefined;
  let tookMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && tookMs >= MAX_MS; attempt++) {
    const startMs = performance.now();
    try {
      value = await action();
    } catch (error) {
      expect(error, file).toBeInstanceOf(UaStatusError);
    }
    tookMs = performance.now() - startMs;
  }
  expect(tookMs, file).toBeLessThan(MAX_MS);
  return value;
}

/** What parses here must parse in OpenSSL too, and say the same. */
async function compareWithNode(file: string, certificate: Certificate): Promise<void> {
  const reference = new X509Certificate(certificate.der);
  expect(certificate.thumbprint, file).toBe(reference.fingerprint.replaceAll(':', ''));
  expect(certificate.extensions.isCa, file).toBe(reference.ca);
  const key = await settle(file, () => certificate.publicKey);
  if (key !== undefined) {
    expect(key.equals(reference.publicKey)).toBe(true);
    expect(certificate.isSignedBy(certificate), file).toBe(reference.verify(reference.publicKey));
  }
}
