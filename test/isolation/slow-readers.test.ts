import { type RawUacpPeer, RecordingLogger } from '@bulkhead/testkit';
import { PublishRequest, PublishResponse, ReadRequest } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { variable } from '../support/publishing.ts';
import { RawSession, readOf } from '../support/raw-session.ts';
import { monitor, subscribe } from '../support/raw-subscriptions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const MiB = 1024 * 1024;
const PUBLISHING_INTERVAL_MS = 20;
const KEEP_ALIVE_COUNT = 5;
const PUBLISH_REQUESTS = 60;
const SLOW_READER_TIMEOUT_MS = 1500;
/** More than the operating system buffers between two sockets, and far less than the answers to all Publish requests. */
const MAX_TAKEN = 16;
const GREEDY = '127.0.0.2';
const OTHER = '127.0.0.3';

const closings = (log: RecordingLogger, reason: string): number =>
  log.of('connection.closed').filter(({ fields }) => fields['reason'] === reason).length;

/** A Subscription to one value, with Publish requests waiting. @returns their RequestIds. */
async function subscribeAndPublish(session: RawSession, node: string): Promise<number[]> {
  await monitor(session, await subscribe(session, PUBLISHING_INTERVAL_MS, KEEP_ALIVE_COUNT, 100), node, { queueSize: 1 });
  return Array.from({ length: PUBLISH_REQUESTS }, () => session.send(PublishRequest, { subscriptionAcknowledgements: [] }));
}

/** A value of 1 MiB that changes all the time until it is stopped. */
function changeAllTheTime(test: TestServer, node: string): () => void {
  const value = variable(test.server, node);
  let count = 0;
  const timer = setInterval(() => value.setValue(Buffer.alloc(MiB, ++count)), PUBLISHING_INTERVAL_MS / 2);
  return () => clearInterval(timer);
}

describe('a subscriber that takes nothing', () => {
  it('BX-07 is paced, then reduced to keep-alives, then closed with the reason', async () => {
    const log = new RecordingLogger();
    const test = await startTestServer(
      (space) => {
        space.addVariable({ browseName: 'Large', nodeId: 's=Large', dataType: 'ByteString', value: Buffer.alloc(MiB) });
      },
      { slowReaderTimeoutMs: SLOW_READER_TIMEOUT_MS, minSessionTimeoutMs: 100, log },
    );
    const session = await RawSession.open({ port: test.port }, 2000);
    await subscribeAndPublish(session, 'ns=1;s=Large');
    await until(() => test.server.counts.parkedRequests >= PUBLISH_REQUESTS - 1);
    session.peer.pause();
    const stop = changeAllTheTime(test, 'ns=1;s=Large');
    await until(() => closings(log, 'SlowReader') === 1, 10_000);
    const unsent = Number.parseInt(String(log.of('connection.closed').at(-1)?.fields['detail']), 10);
    // One message above the threshold of pacing, with keep-alives on top.
    expect(unsent).toBeLessThan(3 * MiB);
    stop();
    await session.peer.destroy();
    await test.end();
  });

  it('BX-07 gets keep-alives behind what it left, and Notifications again once it reads', async () => {
    const test = await startTestServer((space) => {
      space.addVariable({ browseName: 'Large', nodeId: 's=Large', dataType: 'ByteString', value: Buffer.alloc(MiB) });
    });
    const session = await RawSession.open({ port: test.port });
    const ids = await subscribeAndPublish(session, 'ns=1;s=Large');
    await until(() => test.server.counts.parkedRequests >= PUBLISH_REQUESTS - 1);
    session.peer.pause();
    const stop = changeAllTheTime(test, 'ns=1;s=Large');
    let before = test.server.counts.parkedRequests;
    // Notifications took a request per cycle; now one goes per keep-alive time.
    await until(() => {
      const { parkedRequests } = test.server.counts;
      const isNewlyUsed = parkedRequests < before;
      before = parkedRequests;
      return isNewlyUsed && parkedRequests < PUBLISH_REQUESTS - 3;
    });
    const heldBackMs = 6 * KEEP_ALIVE_COUNT * PUBLISHING_INTERVAL_MS;
    const startedAtMs = performance.now();
    await until(() => performance.now() - startedAtMs > heldBackMs);
    const used = PUBLISH_REQUESTS - test.server.counts.parkedRequests;
    expect(used).toBeLessThan(MAX_TAKEN + 8);
    session.peer.resume();
    const kinds: string[] = [];
    for (const id of ids) {
      const { notificationMessage } = (await session.peer.response(id)).decode(PublishResponse);
      kinds.push((notificationMessage.notificationData ?? []).length === 0 ? 'keepAlive' : 'notifications');
    }
    const firstKeepAlive = kinds.indexOf('keepAlive');
    expect(firstKeepAlive).toBeGreaterThan(0);
    expect(kinds.slice(firstKeepAlive)).toContain('notifications');
    stop();
    await session.close();
    await test.end();
  });
});

describe('one caller with many connections that take nothing', () => {
  it('BX-07 loses its own largest at the limit of unsent bytes per owner, while another’s goes on', async () => {
    const log = new RecordingLogger();
    const test = await startTestServer(
      (space) => {
        space.addVariable({ browseName: 'Large', nodeId: 's=Large', dataType: 'ByteString', value: Buffer.alloc(MiB) });
      },
      { maxMessageSize: 2 * MiB, maxUnsentBytesPerOwner: 8 * MiB, minSessionTimeoutMs: 100, log },
    );
    const other = await RawSession.open({ port: test.port, localAddress: OTHER });
    other.peer.pause();
    const asked = Array.from({ length: 20 }, () => other.send(ReadRequest, readOf(['ns=1;s=Large'])));
    const greedy: RawUacpPeer[] = [];
    while (closings(log, 'OwnerUnsentLimit') === 0) {
      const session = await RawSession.open({ port: test.port, localAddress: GREEDY }, 1000);
      session.peer.pause();
      for (let at = 0; at < 20; at++) session.send(ReadRequest, readOf(['ns=1;s=Large']));
      greedy.push(session.peer);
      expect(greedy.length).toBeLessThan(20);
      // Until it is paced.
      await until(() => test.server.counts.queuedRequests > 0 || closings(log, 'OwnerUnsentLimit') > 0);
    }
    // Each is paced above 1 MiB, so a few of them together exceed 8 MiB.
    expect(greedy.length).toBeGreaterThan(1);
    other.peer.resume();
    for (const id of asked) expect((await other.peer.response(id)).header.serviceResult).toBe(0);
    for (const peer of greedy) await peer.destroy();
    await other.close();
    await test.end();
  });
});
