import type { ServerOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawReverseListener, RawUacpPeer, RecordingLogger, rawHello } from '@bulkhead/testkit';
import { StatusCodes } from '@bulkhead/types';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.2';
const FIRST = '192.0.2.7';
const SECOND = '2001:db8::7';

let test: TestServer;
let log: RecordingLogger;

afterEach(() => test.end());

/** A server behind a proxy, whose callers may have two connections each. */
async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  log = new RecordingLogger();
  test = await startTestServer(undefined, {
    trustedProxies: [PROXY],
    proxyProtocol: true,
    resourceIsolation: { mode: 'Balanced', stages: [{ stage: 'Connection', ownerHardLimit: 2 }] },
    log,
    ...options,
  });
}

const connect = (localAddress = PROXY): Promise<RawUacpPeer> => RawUacpPeer.connect({ port: test.port, localAddress });
const usage = (stage: Stage): number => test.server.resourceIsolation.getUsage(stage);
const reasons = (): unknown[] => log.of('proxyHeader.refused').map(({ fields }) => fields['reason']);

function version1(client: string): Buffer {
  const family = client.includes(':') ? 'TCP6 ' : 'TCP4 ';
  return Buffer.from(`PROXY ${family}${client} ${client} 49152 4840\r\n`);
}

/** Of an IPv4 client, with a TLV behind the addresses. */
function version2(client: string): Buffer {
  const address = client.split('.').map(Number);
  const block = Buffer.from([...address, 127, 0, 0, 1, 0xc0, 0, 0x12, 0xe8, 0x04, 0, 1, 0]);
  return Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a2111', 'hex'), Buffer.from([0, block.length]), block]);
}

/** A client that a proxy speaks for. */
async function connectBehind(header: Buffer): Promise<RawUacpPeer> {
  const peer = await connect();
  peer.send(header);
  return peer;
}

async function openBehind(header: Buffer): Promise<RawSession> {
  const peer = await connectBehind(header);
  await peer.hello();
  await peer.openNone();
  return RawSession.over(peer);
}

async function isServed(session: RawSession): Promise<void> {
  expect((await session.read('i=2255')).results?.[0]?.statusCode).toBe(0);
  await session.close();
}

describe('callers behind a proxy', () => {
  it('are owners by their own addresses, each with limits of its own', async () => {
    await start();
    const first = [await openBehind(version1(FIRST)), await openBehind(version2(FIRST))];
    const refused = await connectBehind(version1(FIRST));
    await refused.closed;
    const second = [await openBehind(version1(SECOND)), await openBehind(version1('2001:db8::8'))];
    const another = await openBehind(version2('192.0.2.8'));
    expect(usage(Stage.Connection)).toBe(5);
    const owners = test.server.isolation.owners();
    const connectionsOf = (address: string) => owners.filter(({ key }) => key.includes(address)).map(({ usage: own }) => own.Connection);
    expect(owners).toHaveLength(3);
    expect(connectionsOf(FIRST)).toEqual([2]);
    expect(connectionsOf('192.0.2.8')).toEqual([1]);
    // IPv6 by its first 64 bits.
    expect(connectionsOf('2001:db8')).toEqual([2]);
    for (const session of [...first, ...second, another]) await isServed(session);
  });

  it('are served when the header comes byte by byte, and when a Hello comes with it', async () => {
    await start();
    const slow = await connect();
    await slow.sendByteByByte(version2(FIRST));
    await slow.hello();
    await slow.openNone();
    await isServed(await RawSession.over(slow));
    const fast = await connectBehind(Buffer.concat([version1(FIRST), rawHello()]));
    expect((await fast.nextChunk()).toString('latin1', 0, 4)).toBe('ACKF');
    await fast.destroy();
  });

  it('share the proxy’s own limits only where it doesn’t say whom it speaks for', async () => {
    await start();
    const own = await openBehind(Buffer.from('PROXY UNKNOWN\r\n'));
    const local = await openBehind(Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex'));
    await (await connectBehind(Buffer.from('PROXY UNKNOWN\r\n'))).closed;
    await isServed(await openBehind(version1(FIRST)));
    await isServed(own);
    await isServed(local);
  });

  it('are charged nothing before the header is there, and neither is the proxy', async () => {
    await start();
    const waiting = await Promise.all(Array.from({ length: 20 }, () => connect()));
    waiting[0]?.send(version1(FIRST).subarray(0, 20));
    await isServed(await openBehind(version1(FIRST)));
    await until(() => usage(Stage.Connection) === 0);
    expect(test.server.resourceIsolation.trackedOwnerCount).toBe(0);
    expect(test.server.counts.connections).toBe(0);
    expect(waiting.every((peer) => !peer.isClosed)).toBe(true);
    await Promise.all(waiting.map((peer) => peer.destroy()));
  });

  it('get the place of an idle channel when the server is full, with what came with their header', async () => {
    await start({ resourceIsolation: { mode: 'SharedOnly' }, maxSessionCount: 1, maxChannelCount: 2 });
    const [oldest, second] = [await connectBehind(version1(FIRST)), await connectBehind(version2('192.0.2.8'))];
    for (const peer of [oldest, second]) {
      await peer.hello();
      await peer.openNone();
    }
    const newcomer = await connectBehind(Buffer.concat([version1(SECOND), rawHello()]));
    expect((await newcomer.nextChunk()).toString('latin1', 0, 4)).toBe('ACKF');
    expect((await oldest.nextError()).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    await Promise.all([newcomer.destroy(), second.destroy()]);
  });
});

describe('a trusted proxy', () => {
  it('is cut at once without a header, nothing sent', async () => {
    await start();
    const peer = await connect();
    peer.send(Buffer.from('HELF'));
    await expect(peer.nextChunk()).rejects.toThrow('the connection was closed');
    expect(reasons()).toEqual(['noSignature']);
  });

  it('is cut when its header is slow', async () => {
    await start({ proxyProtocol: { headerTimeoutMs: 50 } });
    const silent = await connect();
    const slow = await connectBehind(version2(FIRST).subarray(0, 15));
    await Promise.all([silent.closed, slow.closed]);
    expect(reasons()).toEqual(['late', 'late']);
  });

  it('keeps nobody out with headers that don’t come: the oldest give way', async () => {
    await start({ proxyProtocol: { headerTimeoutMs: 10_000, maxWaitingConnections: 4 } });
    const silent: RawUacpPeer[] = [];
    for (let count = 0; count < 12; count++) silent.push(await connect());
    await isServed(await openBehind(version1(FIRST)));
    await until(() => silent.filter((peer) => peer.isClosed).length >= 8);
    expect(new Set(reasons())).toEqual(new Set(['crowdedOut']));
    await Promise.all(silent.map((peer) => peer.destroy()));
  });

  it('leaves nothing behind when the server stops while its header is on the way', async () => {
    await start();
    const peer = await connectBehind(version1(FIRST).subarray(0, 30));
    await isServed(await openBehind(version1(FIRST)));
    await test.server.stop();
    await peer.closed;
    expect(test.server.counts.timers).toBe(0);
  });

  it('ends in an answer or a closed connection, whatever it sends', async () => {
    await start({ proxyProtocol: { headerTimeoutMs: 100 } });
    const junk = fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      fc
        .tuple(fc.constantFrom(version1(FIRST), version1(SECOND), version2(FIRST)), fc.nat(), fc.uint8Array({ maxLength: 40 }))
        .map(([header, at, bytes]) => Buffer.concat([header.subarray(0, at % (header.length + 1)), bytes])),
    );
    await fc.assert(
      fc.asyncProperty(junk, async (bytes) => {
        const peer = await connectBehind(Buffer.from(bytes));
        await peer.destroy();
      }),
      { numRuns: 100 },
    );
    await isServed(await openBehind(version1(FIRST)));
  });
});

describe('anybody else', () => {
  it.each([
    ['version 1', version1(FIRST)],
    ['version 2', version2(FIRST)],
  ])('can’t say who it is: a header of %s is junk', async (_title, header) => {
    await start();
    const peer = await connect(STRANGER);
    peer.send(header);
    expect((await peer.nextError()).error).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    await peer.closed;
    expect(reasons()).toEqual([]);
  });

  it('stays the owner that its address makes it', async () => {
    await start();
    const held = [await connect(STRANGER), await connect(STRANGER)];
    await until(() => usage(Stage.Connection) === 2);
    const third = await connect(STRANGER);
    third.send(version1(FIRST));
    await expect(third.nextChunk()).rejects.toThrow('the connection was closed');
    expect(test.server.isolation.owners().map(({ key }) => key)).toEqual([expect.stringContaining(STRANGER)]);
    await Promise.all(held.map((peer) => peer.destroy()));
  });

  it('is served without a header', async () => {
    await start();
    await isServed(await RawSession.open({ port: test.port, localAddress: STRANGER }));
  });

  it('that the server connects to itself sends none', async () => {
    const client = await RawReverseListener.listen();
    await start({ reverseConnect: [{ clientUrl: client.url }] });
    const { peer, reverseHello } = await client.next();
    await peer.hello({ endpointUrl: reverseHello.endpointUrl });
    await peer.openNone();
    await isServed(await RawSession.over(peer));
    await test.server.stop();
    await client.close();
  });
});
