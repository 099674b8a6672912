import { join } from 'node:path';
import { ClientApplication, type ClientSession, openSession } from '@bulkhead/client';
import { readServerReport, topTable } from '@bulkhead/reference-server';
import { describe, expect, it } from 'vitest';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

async function openAs(name: string, test: ReferenceTestServer): Promise<{ session: ClientSession; end: () => Promise<void> }> {
  const pki = { folder: join(test.pkiFolder, name) };
  const application = new ClientApplication({ applicationName: name, applicationUri: `urn:${name}`, pki });
  const session = await openSession(application, { endpointUrl: test.endpointUrl, security: { mode: 'None' } });
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
});
