import { ChunkReassemblyBudget, KiB, type ResourceIsolationClassifier, type ServerOptions } from '@bulkhead/opcua';
import { DefaultResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import { encodeMessage, RawUacpPeer } from '@bulkhead/testkit';
import { FindServersRequest, FindServersResponse, ReadRequest, ReadResponse, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { RawSession, readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const BUDGET = 3072 * KiB;
/** Fits into one chunk. */
const CHUNK_BODY = 60_000;
/** What it keeps and is charged for: a block for a chunk of the largest size. */
const BLOCK = 64 * KiB;
const limits: Partial<ServerOptions> = { maxMessageSize: 128 * KiB, maxReassemblyBytes: BUDGET };
const ANYBODY = '127.0.0.1';
const PROTECTED = '127.0.0.9';

interface Holder {
  readonly peer: RawUacpPeer;
}

const retainedBy = ({ server }: TestServer): number => server.resourceIsolation.getUsage(Stage.ReassemblyBytes);

async function openPeer(port: number, localAddress: string = ANYBODY): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port, localAddress });
  await peer.hello();
  await peer.openNone();
  return peer;
}

/** Begins a message and waits for what becomes of it. @returns whether its chunk was kept. */
async function begins(test: TestServer, peer: RawUacpPeer, bodyBytes: number = CHUNK_BODY): Promise<boolean> {
  const before = retainedBy(test);
  peer.send(peer.channel.chunk('MSG', 'C', peer.channel.nextRequestId++, Buffer.alloc(bodyBytes)));
  await until(() => retainedBy(test) > before || peer.isClosed);
  return !peer.isClosed;
}

/** Begins messages over new channels until one is refused. */
async function fillSharedCapacity(test: TestServer, localAddress?: string): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (;;) {
    const peer = await openPeer(test.port, localAddress);
    if (!(await begins(test, peer))) return holders;
    holders.push({ peer });
  }
}

/** A Read in two chunks. */
async function readInChunks(session: RawSession): Promise<ReadResponse> {
  const { channel } = session.peer;
  const requestId = channel.nextRequestId++;
  const body = encodeMessage(ReadRequest, ReadRequest.create({ ...readOf(['i=2255']), requestHeader: session.header() }));
  const cut = body.length - 10;
  session.peer.send(channel.chunk('MSG', 'C', requestId, body.subarray(0, cut)));
  session.peer.send(channel.chunk('MSG', 'F', requestId, body.subarray(cut)));
  return (await session.peer.response(requestId)).decode(ReadResponse);
}

const endAll = (holders: readonly Holder[]): Promise<unknown> => Promise.all(holders.map(({ peer }) => peer.destroy()));

describe('whom an unfinished message is charged to', () => {
  it('RI-30 lets a channel with an activated Session use the reconnect reserve, without a classifier, and no other channel', async () => {
    const test = await startTestServer(undefined, { ...limits, resourceIsolation: { mode: 'Balanced' } });
    const session = await RawSession.open({ port: test.port });
    const holders = await fillSharedCapacity(test);
    expect((await readInChunks(session)).results?.[0]?.statusCode).toBe(0);
    const stranger = await openPeer(test.port);
    stranger.send(stranger.channel.chunk('MSG', 'C', 9, Buffer.alloc(CHUNK_BODY)));
    expect((await stranger.nextError()).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    expect((await readInChunks(session)).results?.[0]?.statusCode).toBe(0);
    await endAll(holders);
    await session.close();
    await test.end();
  });

  it('RI-30 decides anew for each message: once the Session is closed, the same channel is a stranger’s', async () => {
    const test = await startTestServer(undefined, { ...limits, resourceIsolation: { mode: 'Balanced' } });
    const session = await RawSession.open({ port: test.port });
    const holders = await fillSharedCapacity(test);
    const shared = retainedBy(test);
    expect(await begins(test, session.peer)).toBe(true);
    expect(retainedBy(test)).toBe(shared + BLOCK);
    session.peer.send(session.peer.channel.chunk('MSG', 'A', session.peer.channel.nextRequestId - 1, Buffer.alloc(8)));
    await until(() => retainedBy(test) === shared);
    await session.closeSession();
    expect(await begins(test, session.peer)).toBe(false);
    await endAll(holders);
    await test.end();
  });

  it('RI-30 leaves an explicit mapping to shared capacity shared, with a Session too', async () => {
    const resourceIsolationClassifier: ResourceIsolationClassifier = {
      classify: ({ address }) => (address === PROTECTED ? { key: 'plain', ownerClass: 'Shared' } : undefined),
    };
    const test = await startTestServer(undefined, { ...limits, resourceIsolation: { mode: 'Balanced' }, resourceIsolationClassifier });
    const mapped = await RawSession.open({ port: test.port, localAddress: PROTECTED });
    const unmapped = await RawSession.open({ port: test.port });
    const holders = await fillSharedCapacity(test);
    expect(await begins(test, mapped.peer)).toBe(false);
    expect(await begins(test, unmapped.peer)).toBe(true);
    await unmapped.peer.destroy();
    await endAll(holders);
    await test.server.stop();
  });

  it('RI-32 asks the classifier with the Session that the channel carries, and charges the reserve it names', async () => {
    const resourceIsolationClassifier: ResourceIsolationClassifier = {
      classify: ({ address, hasActivatedSession, roles }) =>
        address === PROTECTED && hasActivatedSession && roles?.length !== 0 ? { key: 'plant', ownerClass: 'Trusted' } : undefined,
    };
    const test = await startTestServer(undefined, {
      ...limits,
      maxReassemblyBytes: 2 * BUDGET,
      resourceIsolation: { mode: 'TrustedReservations', trustedOwners: [{ key: 'plant' }] },
      resourceIsolationClassifier,
    });
    const trusted = await RawSession.open({ port: test.port, localAddress: PROTECTED });
    const holders = await fillSharedCapacity(test);
    expect(await begins(test, trusted.peer)).toBe(true);
    const provider = test.server.resourceIsolation;
    if (!(provider instanceof DefaultResourceIsolationProvider)) throw new Error('another provider');
    const plant = [...provider.ownerUsages()].find(({ key }) => key === 'plant');
    expect(plant?.ownerClass).toBe('Trusted');
    expect(plant?.usage[Stage.ReassemblyBytes]).toBe(BLOCK);
    const untrusted = await openPeer(test.port, PROTECTED);
    expect(await begins(test, untrusted)).toBe(false);
    await trusted.peer.destroy();
    await endAll(holders);
    await test.server.stop();
  });

  it('CB-06 leaves the upper half to channels with an activated Session where all share, an anonymous one included', async () => {
    const test = await startTestServer(undefined, { ...limits, resourceIsolation: { mode: 'SharedOnly' } });
    const session = await RawSession.open({ port: test.port });
    const holders = await fillSharedCapacity(test);
    const half = retainedBy(test);
    expect(half).toBeLessThanOrEqual(BUDGET / 2);
    expect(half).toBeGreaterThan(BUDGET / 2 - BLOCK);
    expect((await readInChunks(session)).results?.[0]?.statusCode).toBe(0);
    expect(await begins(test, session.peer)).toBe(true);
    expect(retainedBy(test)).toBe(half + BLOCK);
    await session.peer.destroy();
    await endAll(holders);
    await test.server.stop();
  });
});

describe('one budget for unfinished messages', () => {
  it('CB-01 CB-07 bounds those of two servers with a listener each together, and counts the arrays that are kept', async () => {
    const budget = new ChunkReassemblyBudget(BUDGET, BUDGET);
    const options: Partial<ServerOptions> = { ...limits, chunkReassemblyBudget: budget, resourceIsolation: { mode: 'SharedOnly' } };
    const [first, second] = [await startTestServer(undefined, options), await startTestServer(undefined, options)];
    const tiny = await openPeer(first.port);
    expect(await begins(first, tiny, 10)).toBe(true);
    // Ten bytes keep an array of 8 KiB alive.
    expect(budget.usedBytes).toBe(8 * KiB);
    const holders = await fillSharedCapacity(first);
    expect(budget.usedBytes).toBe(retainedBy(first));
    expect(budget.usedBytes).toBeLessThanOrEqual(BUDGET);
    const refused = await openPeer(second.port);
    refused.send(refused.channel.chunk('MSG', 'C', 9, Buffer.alloc(CHUNK_BODY)));
    expect((await refused.nextError()).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    const served = await openPeer(second.port);
    await served.request(FindServersRequest, {}, FindServersResponse);
    const [released] = holders;
    await released?.peer.destroy();
    await until(() => budget.usedBytes <= BUDGET - CHUNK_BODY);
    expect(await begins(second, served)).toBe(true);
    expect(budget.usedBytes).toBe(retainedBy(first) + retainedBy(second));
    await endAll([...holders, { peer: tiny }, { peer: served }]);
    await until(() => budget.usedBytes === 0);
    await first.end();
    await second.end();
  });
});
