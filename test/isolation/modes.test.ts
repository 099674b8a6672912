import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addOpcUa, MiB, type ResourceIsolationOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawUacpPeer } from '@bulkhead/testkit';
import { ReadRequest } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { statusName } from '../hostile/status-names.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer } from '../support/test-server.ts';

/** Serves one Session under these options; returns the log's isolation rows. */
async function serveOnce(resourceIsolation?: ResourceIsolationOptions): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  const log = {
    isEnabled: () => true,
    log: (_level: string, event: string, fields?: object) => {
      if (event === 'isolation.stage') rows.push({ ...fields });
    },
  };
  const test = await startTestServer(
    (space) => {
      space.addVariable({ browseName: 'Value', nodeId: 's=Value', dataType: 'Double', value: 1 });
    },
    { ...(resourceIsolation === undefined ? {} : { resourceIsolation }), log },
  );
  const session = await RawSession.open({ port: test.port });
  expect((await session.read('ns=1;s=Value')).results?.[0]?.value?.value).toBe(1);
  expect(test.server.resourceIsolation.getUsage(Stage.Connection)).toBe(1);
  await session.close();
  await test.end();
  return rows;
}

/** How 1,000 requests of each of ten clients, sent without waiting, are answered: by status, how many. */
async function outstanding(maxQueuedRequestCount: number): Promise<Readonly<Record<string, number>>> {
  const test = await startTestServer(undefined, { maxQueuedRequestCount });
  expect(test.server.isolation.usage()[Stage.RequestQueue]).toMatchObject({ total: maxQueuedRequestCount + 3 });
  const sessions = await Promise.all(Array.from({ length: 10 }, () => RawSession.open({ port: test.port })));
  const sent = sessions.map((session) => {
    const { channel } = session.peer;
    const firstId = channel.nextRequestId;
    session.peer.send(
      ...Array.from({ length: 1000 }, () => channel.request(ReadRequest, { requestHeader: session.header(), nodesToRead: [] })),
    );
    return { session, firstId };
  });
  const counts: Record<string, number> = {};
  for (const { session, firstId } of sent) {
    for (let at = 0; at < 1000; at++) {
      const status = statusName((await session.peer.response(firstId + at)).header.serviceResult);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  }
  await Promise.all(sessions.map((session) => session.close()));
  await test.end();
  return counts;
}

describe('a server in each mode of isolation', () => {
  it('RI-01 serves in modes SharedOnly, FairShare and Balanced, and gives everything back', async () => {
    expect(await serveOnce({ mode: 'SharedOnly' })).toEqual([]);
    expect(await serveOnce({ mode: 'FairShare' })).toHaveLength(8);
    expect(await serveOnce({ mode: 'Balanced' })).toHaveLength(8);
  });

  it('RI-01 is Balanced when nothing is said, with all other options at their defaults too', async () => {
    const rows = await serveOnce();
    expect(rows).toEqual(await serveOnce({ mode: 'Balanced' }));
    expect(rows[0]).toMatchObject({ stage: 'Connection', total: 200, bootstrap: 1, reconnect: 1 });
  });

  it('RI-18 lets each of ten clients keep 1,000 requests outstanding when 10,000 may be queued', async () => {
    expect(await outstanding(10_000)).toEqual({ BadNothingToDo: 10_000 });
    // It is the queue that makes room for them.
    expect(Object.keys(await outstanding(100)).sort()).toEqual(['BadNothingToDo', 'BadServerTooBusy']);
  });

  it('RI-23 logs one row per stage at start-up, with figures and no names', async () => {
    const rows = await serveOnce({ mode: 'Balanced', stages: [{ stage: 'RequestExecution', ownerHardLimit: 8 }] });
    expect(rows.map(({ stage }) => stage)).toEqual([
      'Connection',
      'Handshake',
      'ReassemblyBytes',
      'RequestQueue',
      'RequestQueueBytes',
      'ParkedRequest',
      'RequestExecution',
      'SessionEstablishment',
    ]);
    for (const { stage: _stage, unit, shadow, ...figures } of rows) {
      expect(['count', 'bytes']).toContain(unit);
      expect(shadow).toBe(false);
      for (const figure of Object.values(figures)) expect(Number.isSafeInteger(figure)).toBe(true);
    }
    expect(rows.find(({ stage }) => stage === 'RequestExecution')).toMatchObject({ ownerHardLimit: 8 });
  });

  it('keeps one address within its limit of connections, whatever it tries, and lets others in', async () => {
    const test = await startTestServer(undefined, {
      resourceIsolation: { mode: 'Balanced', stages: [{ stage: 'Connection', ownerHardLimit: 3 }] },
    });
    const greedy = { port: test.port, localAddress: '127.0.0.2' };
    const held = [await RawSession.open(greedy, 500), await RawSession.open(greedy, 500), await RawSession.open(greedy, 500)];
    const refused = await RawUacpPeer.connect(greedy);
    await refused.closed;
    const other = await RawSession.open({ port: test.port, localAddress: '127.0.0.3' });
    expect((await other.read('i=2255')).results?.[0]?.statusCode).toBe(0);
    await other.close();
    for (const session of held) await session.close();
    await test.end();
  });

  it('refuses a plan that leaves no room for one Session more than allowed, naming the option', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-test-'));
    const server = addOpcUa()
      .addServer({ applicationName: 'Small', port: 0, maxSessionCount: 100, maxChannelCount: 101, pki: { folder } })
      .withChunkReassemblyBudget(64 * MiB)
      .configureResourceIsolation({ mode: 'Balanced' });
    await expect(server.start()).rejects.toThrow(/maxChannelCount|Connection/u);
    rmSync(folder, { recursive: true, force: true });
  });
});
