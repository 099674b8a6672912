import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusCodes } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Certificate,
  CertificateStore,
  type CertificateStoreOptions,
  CertificateValidator,
  ExtendedKeyUsage,
  KeyUsage,
  SecurityPolicies,
  type ValidationRequest,
  verifyAsymmetric,
} from '../src/index.ts';
import { makeCa, makeCertificate, makeRevocationListDer, NOW_MS, rsaKey } from './support/make-certificate.ts';

const REQUEST: ValidationRequest = { role: 'application', policy: SecurityPolicies.Basic256Sha256, nowMs: NOW_MS };
const untrusted = expect.objectContaining({ statusCode: StatusCodes.BadCertificateUntrusted });
const configurationError = expect.objectContaining({ statusCode: StatusCodes.BadConfigurationError });
let base = '';
let count = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'bulkhead-pki-'));
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true });
});

function newOptions(): CertificateStoreOptions {
  return {
    folder: join(base, `pki-${count++}`),
    applicationUri: 'urn:host:Bulkhead',
    applicationName: 'Boiler, plant 7 / "north"',
    hostNames: ['plc.example', '127.0.0.1', '::1'],
    nowMs: NOW_MS,
  };
}

async function filesIn(...parts: string[]): Promise<string[]> {
  return (await readdir(join(...parts))).sort();
}

describe('a first start', { timeout: 20_000 }, () => {
  let options: CertificateStoreOptions;
  let store: CertificateStore;

  beforeAll(async () => {
    options = newOptions();
    store = await CertificateStore.open(options);
  }, 20_000);

  it('makes a certificate with ApplicationUri, hosts, usages and validity', async () => {
    const { certificate } = store;
    const { KeyCertSign, DigitalSignature, NonRepudiation, KeyEncipherment, DataEncipherment } = KeyUsage;
    expect(store.isNew).toBe(true);
    expect(store.warnings).toEqual([]);
    expect(certificate.isSelfSigned).toBe(true);
    expect(certificate.version).toBe(3);
    expect([certificate.keySizeBits, certificate.signatureHash]).toEqual([2048, 'sha256']);
    expect(certificate.subject.commonName).toBe('Boiler, plant 7 / "north"');
    expect(certificate.applicationUris).toEqual(['urn:host:Bulkhead']);
    expect(certificate.extensions.dnsNames).toEqual(['plc.example']);
    expect(certificate.extensions.ipAddresses).toEqual(['127.0.0.1', '[::1]']);
    expect(certificate.extensions.keyUsage).toBe(KeyCertSign | DigitalSignature | NonRepudiation | KeyEncipherment | DataEncipherment);
    expect(certificate.extensions.extendedKeyUsage).toEqual([ExtendedKeyUsage.ServerAuth, ExtendedKeyUsage.ClientAuth]);
    expect(certificate.extensions.isCa).toBe(false);
    expect(certificate.notBeforeMs).toBe(NOW_MS - 3_600_000);
    expect(certificate.notAfterMs - certificate.notBeforeMs).toBe(5 * 365 * 86_400_000);
    expect(certificate.serialNumber).toMatch(/^[4-7][0-9a-f]{31}$/);
    expect(new X509Certificate(certificate.der).ca).toBe(false);
  });

  it('makes the usual folders, and a key that only the owner can read', async () => {
    expect(await filesIn(options.folder)).toEqual(['issuers', 'own', 'rejected', 'trusted', 'users']);
    expect(await filesIn(options.folder, 'own')).toEqual(['certs', 'private']);
    expect(await filesIn(options.folder, 'trusted')).toEqual(['certs', 'crl']);
    expect(await filesIn(options.folder, 'issuers')).toEqual(['certs', 'crl']);
    const [file] = await filesIn(options.folder, 'own', 'private');
    expect((await stat(join(options.folder, 'own', 'private', file as string))).mode & 0o777).toBe(0o600);
  });

  it('gives a certificate that passes validation, and the key that belongs to it', async () => {
    const trustList = store.trustList;
    await writeFile(join(options.folder, 'trusted', 'certs', 'self.der'), store.certificate.der);
    const request = { ...REQUEST, applicationUri: 'urn:host:Bulkhead', hostNames: ['plc.example'] };
    await expect(new CertificateValidator(trustList).validate([store.certificate], request)).resolves.toMatchObject({
      isAutoAccepted: false,
    });
    const data = Buffer.from('data');
    const signature = await store.privateKey.sign(SecurityPolicies.Basic256Sha256, data);
    expect(verifyAsymmetric(SecurityPolicies.Basic256Sha256, store.certificate.publicKey, data, signature)).toBe(true);
  });

  it('is followed by starts that load the same certificate and key', async () => {
    const again = await CertificateStore.open(options);
    expect(again.isNew).toBe(false);
    expect(again.certificate.thumbprint).toBe(store.certificate.thumbprint);
    expect(again.certificateChain).toEqual(store.certificate.der);
    expect(again.warnings).toEqual([]);
  });

  it('is followed by a warning when the ApplicationUri or the time no longer fits', async () => {
    const changed = await CertificateStore.open({ ...options, applicationUri: 'urn:other', nowMs: NOW_MS + 6 * 365 * 86_400_000 });
    expect(changed.warnings.length).toBe(2);
    expect(changed.warnings[0]).toContain('urn:host:Bulkhead');
  });
});

describe('own certificate and key', () => {
  async function withOwn(certificate: Buffer | undefined, key: string | Buffer | undefined): Promise<CertificateStoreOptions> {
    const options = newOptions();
    await mkdir(join(options.folder, 'own', 'certs'), { recursive: true });
    await mkdir(join(options.folder, 'own', 'private'), { recursive: true });
    if (certificate !== undefined) await writeFile(join(options.folder, 'own', 'certs', 'application.der'), certificate);
    if (key !== undefined) await writeFile(join(options.folder, 'own', 'private', 'application.pem'), key, { mode: 0o600 });
    return options;
  }

  const pem = (label: string): string => rsaKey(2048, label).export({ type: 'pkcs8', format: 'pem' }).toString();

  it('that do not belong together stop the start with an error naming both files', async () => {
    const options = await withOwn(makeCertificate({ key: rsaKey(2048) }).der, pem('other'));
    await expect(CertificateStore.open(options)).rejects.toEqual(configurationError);
    await expect(CertificateStore.open(options)).rejects.toThrow(/application\.der.*application\.pem.*do not belong together/);
  });

  it('that are garbage, or without the key, stop the start and stay as they are', async () => {
    const certificate = makeCertificate({ key: rsaKey(2048) }).der;
    for (const [cert, key] of [
      [Buffer.from('garbage'), pem('')],
      [certificate, 'garbage'],
      [certificate, undefined],
      [Buffer.alloc(0), pem('')],
    ] as const) {
      const options = await withOwn(cert, key);
      await expect(CertificateStore.open(options)).rejects.toEqual(configurationError);
      expect(await readFile(join(options.folder, 'own', 'certs', 'application.der'))).toEqual(cert);
    }
  });

  it('a key alone gets a certificate made for it', async () => {
    const store = await CertificateStore.open(await withOwn(undefined, pem('')));
    expect(store.certificate.publicKey.equals(makeCertificate({ key: rsaKey(2048) }).publicKey)).toBe(true);
  });

  it('a certificate of a CA is sent with its chain', async () => {
    const ca = makeCa(rsaKey(2048, 'ca'));
    const own = makeCertificate({ key: rsaKey(2048), issuer: ca, uris: ['urn:host:Bulkhead'] });
    const store = await CertificateStore.open(await withOwn(Buffer.concat([own.der, ca.certificate.der]), pem('')));
    expect(store.certificate.thumbprint).toBe(own.thumbprint);
    expect(store.certificateChain).toEqual(Buffer.concat([own.der, ca.certificate.der]));
    expect(store.warnings).toEqual([]);
  });
});

describe('the trust list of a PKI folder', () => {
  async function openStore(
    changes: Partial<CertificateStoreOptions> = {},
  ): Promise<{ store: CertificateStore; folder: string; validator: CertificateValidator }> {
    const options = { ...newOptions(), ...changes };
    await mkdir(join(options.folder, 'own', 'private'), { recursive: true });
    const key = rsaKey(2048).export({ type: 'pkcs8', format: 'pem' });
    await writeFile(join(options.folder, 'own', 'private', 'application.pem'), key, { mode: 0o600 });
    const store = await CertificateStore.open(options);
    return { store, folder: options.folder, validator: new CertificateValidator(store.trustList) };
  }

  it('refuses an unknown certificate, stores it, and trusts it once its file is moved, without a restart', async () => {
    const { store, folder, validator } = await openStore();
    const certificate = makeCertificate({ key: rsaKey(2048), commonName: '../../etc/x\r\n\u202e名' });
    await expect(validator.validate([certificate], REQUEST)).rejects.toEqual(untrusted);
    await store.close();
    const [file] = (await filesIn(folder, 'rejected')) as [string];
    expect(file).toBe(`_.._etc_x_ [${certificate.thumbprint}].der`);
    expect(Certificate.parse(await readFile(join(folder, 'rejected', file))).thumbprint).toBe(certificate.thumbprint);

    await rename(join(folder, 'rejected', file), join(folder, 'trusted', 'certs', file));
    await expect(validator.validate([certificate], REQUEST)).resolves.toMatchObject({ isAutoAccepted: false });
    await rename(join(folder, 'trusted', 'certs', file), join(folder, 'rejected', file));
    await expect(validator.validate([certificate], REQUEST)).rejects.toEqual(untrusted);
  });

  it('notices changes however fast they follow on each other', async () => {
    const { folder, validator } = await openStore();
    const file = join(folder, 'trusted', 'certs', 'x.der');
    for (let i = 0; i < 20; i++) {
      const certificate = makeCertificate({ key: rsaKey(2048), commonName: `x${i}` });
      await writeFile(file, certificate.der);
      await expect(validator.validate([certificate], REQUEST)).resolves.toBeDefined();
      await rm(file);
      await expect(validator.validate([certificate], REQUEST)).rejects.toEqual(untrusted);
    }
  });

  it('notices a change that leaves the time of the folder as it was', async () => {
    const { folder, validator } = await openStore();
    const certs = join(folder, 'trusted', 'certs');
    const sameTime = new Date();
    for (const commonName of ['a', 'b']) {
      const certificate = makeCertificate({ key: rsaKey(2048), commonName });
      await writeFile(join(certs, `${commonName}.der`), certificate.der);
      await utimes(certs, sameTime, sameTime);
      await expect(validator.validate([certificate], REQUEST)).resolves.toBeDefined();
    }
  });

  it('gives the same snapshot as long as nothing changes', async () => {
    const { store, folder } = await openStore();
    await writeFile(join(folder, 'trusted', 'certs', 'x.der'), makeCertificate({ key: rsaKey(2048) }).der);
    expect(await store.trustList.snapshot()).toBe(await store.trustList.snapshot());
  });

  it('reads CAs, PEM files and revocation lists, and passes over garbage', async () => {
    const { folder, validator } = await openStore();
    const ca = makeCa(rsaKey(2048, 'ca'));
    const issued = makeCertificate({ key: rsaKey(2048), issuer: ca });
    const revoked = makeCertificate({ key: rsaKey(2048), issuer: ca });
    await writeFile(join(folder, 'trusted', 'certs', 'ca.pem'), new X509Certificate(ca.certificate.der).toString());
    await writeFile(join(folder, 'trusted', 'certs', 'garbage.der'), Buffer.alloc(100, 0x30));
    await writeFile(join(folder, 'trusted', 'crl', 'garbage.crl'), 'garbage');
    await writeFile(join(folder, 'trusted', 'certs', 'huge.der'), Buffer.alloc(1_000_000));
    await expect(validator.validate([issued], REQUEST)).rejects.toMatchObject({ statusCode: StatusCodes.BadCertificateRevocationUnknown });
    await writeFile(join(folder, 'trusted', 'crl', 'ca.crl'), makeRevocationListDer(ca, { revoked: [revoked] }));
    await expect(validator.validate([issued], REQUEST)).resolves.toBeDefined();
    await expect(validator.validate([revoked], REQUEST)).rejects.toMatchObject({ statusCode: StatusCodes.BadCertificateRevoked });
  });

  /** A link to a file elsewhere, so that the file can become unreadable and readable again without a change of the folder. */
  async function linkFile(link: string): Promise<{ write(bytes: Buffer): Promise<void>; makeUnreadable(): Promise<void> }> {
    const target = join(base, `linked-${count++}`);
    await symlink(target, link);
    const past = new Date(Date.now() - 60_000);
    await utimes(join(link, '..'), past, past);
    return {
      write: async (bytes) => {
        await rm(target, { force: true });
        await writeFile(target, bytes);
      },
      makeUnreadable: async () => {
        await rm(target, { force: true });
        await symlink(target, target);
      },
    };
  }

  it('reads a certificate later that can’t be read for a while', async () => {
    const { folder, validator } = await openStore();
    const certificate = makeCertificate({ key: rsaKey(2048) });
    const file = await linkFile(join(folder, 'trusted', 'certs', 'x.der'));
    await file.makeUnreadable();
    await expect(validator.validate([certificate], REQUEST)).rejects.toEqual(untrusted);
    await file.write(certificate.der);
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000);
    await expect(validator.validate([certificate], REQUEST)).resolves.toBeDefined();
    later.mockRestore();
  });

  it('goes on with the revocation list it knows while the file can’t be read', async () => {
    const { store, folder } = await openStore();
    const validator = new CertificateValidator(store.trustList, { requireRevocationLists: false });
    const ca = makeCa(rsaKey(2048, 'ca'));
    const revoked = makeCertificate({ key: rsaKey(2048), issuer: ca });
    const refusal = expect.objectContaining({ statusCode: StatusCodes.BadCertificateRevoked });
    await writeFile(join(folder, 'trusted', 'certs', 'ca.der'), ca.certificate.der);
    const file = await linkFile(join(folder, 'trusted', 'crl', 'ca.crl'));
    await file.write(makeRevocationListDer(ca, { revoked: [revoked] }));
    await expect(validator.validate([revoked], REQUEST)).rejects.toEqual(refusal);
    await file.makeUnreadable();
    await utimes(join(folder, 'trusted', 'crl'), new Date(), new Date());
    await expect(validator.validate([revoked], REQUEST)).rejects.toEqual(refusal);
    await rm(join(folder, 'trusted', 'crl', 'ca.crl'));
    await expect(validator.validate([revoked], REQUEST)).resolves.toBeDefined();
  });

  it('keeps only the newest of the rejected certificates, each once', async () => {
    const { store, folder, validator } = await openStore({ maxRejectedCertificates: 3 });
    const thumbprints: string[] = [];
    for (let i = 0; i < 5; i++) {
      const certificate = makeCertificate({ key: rsaKey(2048), commonName: `client ${i}` });
      thumbprints.push(certificate.thumbprint);
      for (let again = 0; again < 2; again++) await expect(validator.validate([certificate], REQUEST)).rejects.toEqual(untrusted);
      await store.close();
      const past = NOW_MS / 1000 + i;
      await utimes(join(folder, 'rejected', `client ${i} [${certificate.thumbprint}].der`), past, past);
    }
    expect(await filesIn(folder, 'rejected')).toEqual([2, 3, 4].map((i) => `client ${i} [${thumbprints[i]}].der`));
  });

  it('reads no more files than it was told to', async () => {
    const { folder, validator } = await openStore({ maxFilesPerFolder: 2 });
    const certificates = ['a', 'b', 'c'].map((commonName) => makeCertificate({ key: rsaKey(2048), commonName }));
    for (const certificate of certificates)
      await writeFile(join(folder, 'trusted', 'certs', `${certificate.subject.commonName}.der`), certificate.der);
    await expect(validator.validate([certificates[1] as Certificate], REQUEST)).resolves.toBeDefined();
    await expect(validator.validate([certificates[2] as Certificate], REQUEST)).rejects.toEqual(untrusted);
  });
});
