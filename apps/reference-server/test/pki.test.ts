import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateStore } from '@bulkhead/security';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../src/run.ts';
import { hideOwnVariables } from './environment-variables.ts';

let folder: string;
let exitCode: typeof process.exitCode;
let client: CertificateStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulkhead-pki-'));
  ({ exitCode } = process);
  hideOwnVariables();
  client = await openStore('client');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = exitCode;
  await rm(folder, { recursive: true });
});

function openStore(name: string): Promise<CertificateStore> {
  const applicationName = name;
  return CertificateStore.open({ folder: join(folder, name), applicationUri: `urn:${name}`, applicationName, hostNames: ['localhost'] });
}

async function pki(...args: string[]): Promise<{ readonly out: string; readonly err: string; readonly exitCode: unknown }> {
  const printed = { log: '', error: '' };
  for (const name of ['log', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((text: string) => void (printed[name] += `${text}\n`));
  }
  process.exitCode = 0;
  await run(['pki', ...args, '--pki', join(folder, 'server')]);
  return { out: printed.log, err: printed.error, exitCode: process.exitCode };
}

/** Whether the server whose folder it is would trust the client. */
async function isTrusted(): Promise<boolean> {
  const store = await openStore('server');
  const snapshot = await store.trustList.snapshot();
  await store.close();
  return snapshot.isTrusted(client.certificate);
}

describe('bulkhead pki', () => {
  it('trusts a certificate that was rejected, by the beginning of its thumbprint, and trusts it no more', async () => {
    const server = await openStore('server');
    server.trustList.reject(client.certificate);
    await server.close();
    const thumbprint = client.certificate.thumbprint;
    expect((await pki('list')).out).toMatch(
      new RegExp(`^rejected +${thumbprint} +until \\d{4}-\\d\\d-\\d\\d \\(\\d+ days\\) +client +urn:client$`, 'mu'),
    );
    expect(await isTrusted()).toBe(false);

    expect((await pki('trust', thumbprint.slice(0, 8).toLowerCase())).out).toContain(thumbprint);
    expect(await isTrusted()).toBe(true);
    expect(await readdir(join(folder, 'server', 'rejected'))).toEqual([]);

    await pki('reject', thumbprint);
    expect(await isTrusted()).toBe(false);
    expect(await readdir(join(folder, 'server', 'rejected'))).toHaveLength(1);
  });

  it('trusts a certificate in a file, DER or PEM, which stays where it is', async () => {
    const file = join(folder, 'client.pem');
    await writeFile(file, client.tlsIdentity().cert);
    expect((await pki('trust', file)).exitCode).toBe(0);
    expect(await isTrusted()).toBe(true);
    expect(await readFile(file, 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  it('keeps certificates of users apart', async () => {
    await pki('trust', join(folder, 'client', 'own', 'certs', 'application.der'), '--users');
    expect(await isTrusted()).toBe(false);
    expect((await pki('list', '--users')).out).toMatch(/^trusted +[\dA-F]{40}/mu);
  });

  it.each([
    ['trust', 'AB12CD34'],
    ['trust', 'AB'],
    ['reject', 'AB12CD34'],
    ['trust', '/no/such/file'],
  ])('fails where there is nothing to %s: %s', async (...args) => {
    const { err, exitCode: code } = await pki(...args);
    expect(code).toBe(1);
    expect(err).toMatch(/^bulkhead: pki failed: .*: neither the thumbprint of a certificate in \w+/u);
  });

  it('fails for a file without a certificate', async () => {
    const file = join(folder, 'text');
    await writeFile(file, 'no certificate');
    expect((await pki('trust', file)).err).toContain('the file has no certificate');
  });

  it('renews key and certificate of the server, and keeps the old ones aside', async () => {
    const before = await openStore('server');
    await before.close();
    expect((await pki('renew')).exitCode).toBe(0);
    const after = await openStore('server');
    await after.close();
    expect(after.isNew).toBe(false);
    expect(after.certificate.thumbprint).not.toBe(before.certificate.thumbprint);
    const [kept] = await readdir(join(folder, 'server', 'own', 'previous'));
    const der = await readFile(join(folder, 'server', 'own', 'previous', kept ?? '', 'certs', 'application.der'));
    expect(der.equals(before.certificate.der)).toBe(true);
    expect(await readdir(join(folder, 'server', 'own'))).toEqual(['certs', 'previous', 'private']);
  });

  it('makes the first certificate where there is none', async () => {
    expect((await pki('renew')).out).not.toContain('old one and its key');
    expect((await pki('list')).out).toMatch(/^own +[\dA-F]{40}/mu);
  });
});
