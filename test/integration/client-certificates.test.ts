import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { RawUacpPeer } from '@bulkhead/testkit';
import { CreateSessionRequest, StatusCodes, statusCodeEntry } from '@bulkhead/types';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientCertificate, encrypted, ForeignClients, putCertificate } from '../support/foreign-clients.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';

const DAY_MS = 86_400_000;
let clients: ForeignClients;
let server: ReferenceTestServer;

beforeAll(async () => {
  clients = await ForeignClients.create();
});
afterAll(() => clients.end());

beforeEach(async () => {
  server = await startReferenceTestServer();
});
afterEach(async () => {
  await clients.disconnect();
  await server.end();
});

const rejectedFolder = (): string => join(server.pkiFolder, 'rejected');
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const rejected = (): string[] => readdirSync(rejectedFolder()).map((name) => digest(readFileSync(join(rejectedFolder(), name))));

function connectWith({ certificateFile }: ClientCertificate): Promise<unknown> {
  return clients.session(server.endpointUrl, { ...encrypted, certificateFile });
}

/** Tries to connect. @returns the names of the codes that the server sent in ERR messages. */
async function refusalOf({ certificateFile }: ClientCertificate, test = server): Promise<(string | undefined)[]> {
  const client = clients.client({ ...encrypted, certificateFile });
  const { codes } = clients.watchErrors(client);
  await expect(client.connect(test.endpointUrl)).rejects.toThrow();
  return codes.map((code) => statusCodeEntry(code)?.name);
}

describe('the certificate of a foreign client', () => {
  it('is refused and stored when nobody trusts it, and accepted without a restart once it was moved to the trusted ones', async () => {
    expect(await refusalOf(clients.certificate)).toEqual(['BadSecurityChecksFailed']);
    await vi.waitFor(() => expect(rejected()).toEqual([digest(clients.certificate.der)]));
    const [name = ''] = readdirSync(rejectedFolder());
    renameSync(join(rejectedFolder(), name), join(trustedFolder(server), name));
    await connectWith(clients.certificate);
    expect(server.server.counts.sessions).toBe(1);
    await clients.disconnect();
    // And the other way round: it isn't trusted for ever.
    renameSync(join(trustedFolder(server), name), join(rejectedFolder(), name));
    expect(await refusalOf(clients.certificate)).toEqual(['BadSecurityChecksFailed']);
  });

  it('is stored once however often it is refused', async () => {
    for (let i = 0; i < 3; i++) expect(await refusalOf(clients.certificate)).toEqual(['BadSecurityChecksFailed']);
    await vi.waitFor(() => expect(rejected()).toEqual([digest(clients.certificate.der)]));
  });

  it.each([
    ['has expired', { validFromMs: Date.now() - 20 * DAY_MS, validDays: 10 }],
    ['is not valid yet', { validFromMs: Date.now() + 10 * DAY_MS, validDays: 10 }],
  ])('is refused with BadCertificateTimeInvalid when it is trusted but %s', async (_, validity) => {
    const certificate = await clients.makeCertificate(validity);
    putCertificate(certificate, trustedFolder(server));
    expect(await refusalOf(certificate)).toEqual(['BadCertificateTimeInvalid']);
  });

  it('says nothing but BadSecurityChecksFailed to those who are neither trusted nor in time', async () => {
    const certificate = await clients.makeCertificate({ validFromMs: Date.now() - 20 * DAY_MS, validDays: 10 });
    expect(await refusalOf(certificate)).toEqual(['BadSecurityChecksFailed']);
    await vi.waitFor(() => expect(rejected()).toEqual([digest(certificate.der)]));
  });

  it('is refused with BadCertificateUriInvalid when it names another application', async () => {
    putCertificate(clients.certificate, trustedFolder(server));
    const client = await clients.connect(server.endpointUrl, encrypted);
    // The library says what the certificate says, unless it is made to lie.
    Object.assign(client, { _getApplicationUri: () => 'urn:test:another-client' });
    await expect(client.createSession()).rejects.toThrow('BadCertificateUriInvalid');
    expect(server.server.counts.sessions).toBe(0);
  });
});

describe('a server that trusts everybody for a laboratory', () => {
  it('accepts an unknown certificate, but none that has expired', async () => {
    const open = await startReferenceTestServer({
      pki: { folder: server.pkiFolder, autoAcceptUntrustedCertificates: true },
    });
    const session = await clients.session(open.endpointUrl, encrypted);
    expect(session.sessionId.isEmpty()).toBe(false);
    const expired = await clients.makeCertificate({ validFromMs: Date.now() - 20 * DAY_MS, validDays: 10 });
    expect(await refusalOf(expired, open)).toEqual(['BadCertificateTimeInvalid']);
    await clients.disconnect();
    await open.end();
  });
});

describe('a server without unsecured endpoints', () => {
  let secured: ReferenceTestServer;

  beforeEach(async () => {
    secured = await startReferenceTestServer({ security: { policies: POLICIES.filter((policy) => policy !== 'None') } });
  });
  afterEach(async () => {
    await clients.disconnect();
    await secured.end();
  });

  it('can be discovered without security', async () => {
    const client = await clients.connect(secured.endpointUrl);
    const endpoints = await client.getEndpoints();
    expect(endpoints).toHaveLength(6);
    expect(endpoints.some(({ securityPolicyUri }) => securityPolicyUri?.endsWith('#None'))).toBe(false);
    expect(await client.findServers()).toHaveLength(1);
  });

  it('gives no session to who asks without security', async () => {
    const client = await clients.connect(secured.endpointUrl, { endpointMustExist: false });
    await expect(client.createSession()).rejects.toThrow();
    const peer = await RawUacpPeer.connect({ port: secured.port });
    await peer.hello();
    await peer.openNone();
    const created = await peer.response(peer.sendRequest(CreateSessionRequest, { requestedSessionTimeout: 60_000 }));
    expect(created.header.serviceResult).toBe(StatusCodes.BadSecurityPolicyRejected);
    await peer.closeChannel();
  });
});
