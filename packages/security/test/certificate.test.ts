import { createPublicKey, X509Certificate } from 'node:crypto';
import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { DerReader } from '../src/der-reader.ts';
import {
  Certificate,
  CertificateCache,
  ExtendedKeyUsage,
  KeyUsage,
  MAX_CHAIN_LENGTH,
  parseCertificateChain,
  splitCertificateChain,
} from '../src/index.ts';
import { readSubjectPublicKey } from '../src/subject-public-key.ts';
import { bitString, der, integer, oid, sequence } from './support/der-writer.ts';
import { APPLICATION_URI, extension, makeCa, makeCertificate, NOW_MS, rsaKey } from './support/make-certificate.ts';

const invalid = expect.objectContaining({ statusCode: StatusCodes.BadCertificateInvalid });
const key = rsaKey(2048);
const certificate = makeCertificate({
  key,
  commonName: 'Boiler 7',
  uris: [APPLICATION_URI],
  dnsNames: ['plc.example', 'localhost'],
  ipAddresses: [Buffer.from([192, 168, 0, 1]), Buffer.from('fd000000000000000000000000000001', 'hex')],
  extendedKeyUsage: [ExtendedKeyUsage.ServerAuth, ExtendedKeyUsage.ClientAuth],
  notBeforeMs: NOW_MS,
});

describe('an RSA public key', () => {
  const spki = (bits: number, exponent: string): DerReader => {
    const modulus = Buffer.alloc(bits / 8, 0xff).toString('hex');
    return new DerReader(
      sequence(sequence(oid('2a864886f70d010101'), der(0x05)), bitString(sequence(integer(`00${modulus}`), integer(exponent)))),
    );
  };

  it('is taken up to 8192 bits, with an exponent of up to 32 bits', () => {
    expect(readSubjectPublicKey(spki(8192, '010001')).sizeBits).toBe(8192);
    expect(readSubjectPublicKey(spki(2048, '00ffffffff')).sizeBits).toBe(2048);
  });

  it('is refused beyond that: anybody may send one, and a check with it would hold up everybody', () => {
    expect(() => readSubjectPublicKey(spki(8200, '010001'))).toThrow(invalid);
    expect(() => readSubjectPublicKey(spki(4096, '0100000001'))).toThrow(invalid);
    expect(() => readSubjectPublicKey(spki(4096, '7fffffffffffffff'))).toThrow(invalid);
  });
});

describe('Certificate', () => {
  it('says what node:crypto says of the same bytes', () => {
    const reference = new X509Certificate(certificate.der);
    expect(certificate.thumbprint).toBe(reference.fingerprint.replaceAll(':', ''));
    expect(certificate.serialNumber.toUpperCase()).toBe(reference.serialNumber);
    expect(certificate.notBeforeMs).toBe(Date.parse(reference.validFrom));
    expect(certificate.notAfterMs).toBe(Date.parse(reference.validTo));
    expect(certificate.publicKey.equals(reference.publicKey)).toBe(true);
    expect(certificate.extensions.dnsNames).toEqual(['plc.example', 'localhost']);
    expect(certificate.extensions.ipAddresses).toEqual(['192.168.0.1', '[fd00::1]']);
    expect(certificate.applicationUris).toEqual([APPLICATION_URI]);
    expect(reference.subjectAltName).toBe(
      `URI:${APPLICATION_URI}, DNS:plc.example, DNS:localhost, IP Address:192.168.0.1, IP Address:FD00:0:0:0:0:0:0:1`,
    );
    expect(certificate.extensions.isCa).toBe(reference.ca);
  });

  it('tells subject, key, usages and identifiers', () => {
    expect(certificate.subject.display).toBe('CN=Boiler 7');
    expect([certificate.keyKind, certificate.keySizeBits, certificate.signatureHash]).toEqual(['rsa', 2048, 'sha256']);
    const usage = KeyUsage.DigitalSignature | KeyUsage.NonRepudiation | KeyUsage.KeyEncipherment | KeyUsage.DataEncipherment;
    expect(certificate.extensions.keyUsage).toBe(usage);
    expect(certificate.extensions.extendedKeyUsage).toEqual([ExtendedKeyUsage.ServerAuth, ExtendedKeyUsage.ClientAuth]);
    expect(certificate.extensions.subjectKeyId).toBe(certificate.extensions.authorityKeyId);
  });

  it('knows its issuer by signature, not by name', () => {
    const ca = makeCa(rsaKey(2048, 'ca'));
    const impostor = makeCa(rsaKey(2048, 'other'));
    const issued = makeCertificate({ key, issuer: ca });
    expect([issued.isSelfSigned, issued.isSignedBy(impostor.certificate), issued.isSignedBy(ca.certificate)]).toEqual([false, false, true]);
    expect(issued.isSignedBy(impostor.certificate)).toBe(false);
    expect([certificate.isSelfSigned, ca.certificate.isSelfSigned]).toEqual([true, true]);
  });

  it('is refused when cut off anywhere or followed by anything', () => {
    for (let length = 0; length < certificate.der.length; length += 13) {
      expect(() => Certificate.parse(certificate.der.subarray(0, length))).toThrow(invalid);
    }
    expect(() => Certificate.parse(Buffer.concat([certificate.der, Buffer.alloc(1)]))).toThrow(invalid);
    expect(() => Certificate.parse(Buffer.alloc(70_000, 0x30))).toThrow(invalid);
  });

  it('gives a value or BadCertificateInvalid for any one byte changed, and never verifies then', () => {
    for (let i = 0; i < certificate.der.length; i++) {
      const changed = Buffer.from(certificate.der);
      changed[i] = (changed[i] as number) ^ (1 << (i % 8));
      let parsed: Certificate | undefined;
      try {
        parsed = Certificate.parse(changed);
      } catch (error) {
        expect(error).toEqual(invalid);
      }
      if (parsed !== undefined) expect(parsed.isSelfSigned).toBe(false);
    }
  });

  it('is refused with an extension given twice', () => {
    const twice = extension('551d20', false, der(0x30));
    expect(() => makeCertificate({ key, extraExtensions: [twice, twice] })).toThrow(invalid);
  });

  it('shows names without characters that forge log lines', () => {
    const forged = makeCertificate({ key, commonName: 'a\r\n2026 ok\u001b[31m\u202egnp' });
    expect(forged.subject.display).toBe('CN=a??2026 ok?[31m?gnp');
  });

  it('loads its key once', () => {
    expect(certificate.publicKey).toBe(certificate.publicKey);
    expect(certificate.publicKey.equals(createPublicKey(key))).toBe(true);
  });
});

describe('certificate chains', () => {
  const chain = Buffer.concat([certificate.der, makeCa(rsaKey(2048, 'ca')).certificate.der]);

  it('are split into their certificates, the first first', () => {
    const parts = splitCertificateChain(chain);
    expect(parts.length).toBe(2);
    expect(parts[0]).toEqual(certificate.der);
    expect(parseCertificateChain(chain).map((link) => link.subject.commonName)).toEqual(['Boiler 7', 'Root CA']);
  });

  it('are refused when empty, cut off, too long or of too many certificates', () => {
    expect(() => splitCertificateChain(Buffer.alloc(0))).toThrow(invalid);
    expect(() => splitCertificateChain(chain.subarray(0, -1))).toThrow(invalid);
    expect(() => splitCertificateChain(Buffer.concat([chain, Buffer.alloc(4)]))).toThrow(invalid);
    expect(() => splitCertificateChain(der(0x30, Buffer.alloc(65_536)))).toThrow(invalid);
    const small = der(0x30);
    expect(splitCertificateChain(Buffer.concat(Array(MAX_CHAIN_LENGTH).fill(small))).length).toBe(MAX_CHAIN_LENGTH);
    expect(() => splitCertificateChain(Buffer.concat(Array(MAX_CHAIN_LENGTH + 1).fill(small)))).toThrow(invalid);
  });
});

describe('CertificateCache', () => {
  it('gives the same object for the same bytes and forgets the least recently used', () => {
    const cache = new CertificateCache(2);
    const [a, b, c] = ['a', 'b', 'c'].map((commonName) => makeCertificate({ key, commonName }).der) as [Buffer, Buffer, Buffer];
    const first = cache.get(a);
    cache.get(b);
    expect(cache.get(Buffer.from(a))).toBe(first);
    cache.get(c);
    expect(cache.size).toBe(2);
    expect(cache.get(a)).toBe(first);
    expect(() => cache.get(Buffer.alloc(5))).toThrow(invalid);
    expect(cache.size).toBe(2);
  });
});
