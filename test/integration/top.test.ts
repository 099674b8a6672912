import { join } from 'node:path';
import { ClientApplication, type ClientSession, type ClientUser, openSession } from '@bulkhead/client';
import { type IsolationReading, ownerTable, readIsolation, readServerReport, topTable } from '@bulkhead/reference-server';
import { NodeId, ObjectIds, StatusCodes, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

async function openAs(
  name: string,
  test: ReferenceTestServer,
  user?: ClientUser,
): Promise<{ session: ClientSession; end: () => Promise<void> }> {
  const pki = { folder: join(test.pkiFolder, name), autoAcceptUntrustedCertificates: true };
  const application = new ClientApplication({ applicationName: name, applicationUri: `urn:${name}`, pki });
  const session = await openSession(application, { endpointUrl: test.endpointUrl, security: { mode: 'None' }, ...(user && { user }) });
  return {
    session,
    end: async () => {
      await session.close();
      await application[Symbol.asyncDispose]();
    },
  };
}

describe('bulkhead top', () => {
  it('shows who uses a server and how much, read over OPC UA', async () => {
    const test = await startReferenceTestServer();
    const [busy, quiet, watcher] = await Promise.all(['busy', 'quiet', 'watcher'].map((name) => openAs(name, test)));
    if (busy === undefined || quiet === undefined || watcher === undefined) throw new Error('three sessions are wanted');
    const subscription = await quiet.session.subscribe();
    await subscription.monitor('ns=2;s=Counter.100ms');

    let nowMs = 0;
    const look = () => readServerReport(watcher.session, () => nowMs);
    const before = await look();
    for (let read = 0; read < 40; read++) await busy.session.readValue('ns=2;s=Scalar.Static.Double');
    // The server makes these arrays at most every half second.
    let now = before;
    while ((now.callers.find(({ caller }) => caller === 'urn:busy')?.requests ?? 0) < 40) now = await look();
    nowMs = 2000;
    now = await look();

    const lines = topTable(now, before, 10).split('\n');
    expect(lines[0]).toMatch(/ 3 sessions, 1 subscriptions, 0 sessions and 0 requests rejected$/u);
    expect(lines.find((line) => line.startsWith('urn:busy'))).toMatch(/^urn:busy +\d+(\.\d)? +0 +1 +0 +0 +0 +4\d$/u);
    expect(lines.find((line) => line.startsWith('urn:quiet'))).toMatch(/^urn:quiet +\S+ +0 +1 +1 +1 +[1-9]\d* +\d+$/u);
    for (const client of [busy, quiet, watcher]) await client.end();
    await test.end();
  });

  it('shows administrators the owners, what they have in use and what they cost, and nobody else', async () => {
    const roles = (userName: string) => (userName === 'admin' ? [NodeId.numeric(0, ObjectIds.WellKnownRole_SecurityAdmin)] : []);
    const test = await startReferenceTestServer({
      security: {
        policies: ['None'],
        allowAnonymous: true,
        validateUser: (name) => ({ kind: UserTokenType.UserName, name, roles: roles(name) }),
      },
    });
    const user = (userName: string): ClientUser => ({ kind: 'userName', userName, password: 'x', allowUnencryptedPassword: true });
    const [busy, admin] = await Promise.all([openAs('busy', test, user('hog')), openAs('watcher', test, user('admin'))]);

    expect(await readIsolation(busy.session, () => 0)).toBeUndefined();
    const [owners] = await busy.session.readValues(['ns=1;s=Server.Isolation.Owners']);
    expect(owners?.statusCode).toBe(StatusCodes.BadUserAccessDenied);

    const before = await readIsolation(admin.session, () => 0);
    for (let read = 0; read < 300; read++) await busy.session.browseAll('ns=2;s=Many');
    let now = before;
    // The server makes these arrays at most every half second.
    while (now === undefined || now.owners === before?.owners || costOf(now, 'hog') <= costOf(before, 'hog')) {
      now = await readIsolation(admin.session, () => 2000);
    }
    expect(now.stages.map(({ stage }) => stage)).toEqual(test.server.isolation.usage().map(({ stage }) => stage));
    expect(now.stages.find(({ stage }) => stage === 'Connection')).toEqual({ stage: 'Connection', unit: 'count', used: 2, total: 200 });
    const known = test.server.isolation.owners().find(({ key }) => key.includes('hog'));
    const row = now.owners.find(({ key }) => key.includes('hog'));
    expect(row).toMatchObject({ key: known?.key, ownerClass: known?.ownerClass });

    const lines = ownerTable(now, before, 10).split('\n');
    expect(lines[0]).toMatch(/^\d+ owners\. In use: Connection 2 of 200, /u);
    expect(lines[3]).toContain('hog');
    expect(lines[3]).not.toContain(' 0.0%');
    for (const client of [busy, admin]) await client.end();
    await test.end();
  });
});

function costOf(reading: IsolationReading | undefined, name: string): number {
  return reading?.owners.find(({ key }) => key.includes(name))?.executionMs ?? 0;
}
