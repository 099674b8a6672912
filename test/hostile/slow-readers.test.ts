import { type RawUacpPeer, RecordingLogger } from '@bulkhead/testkit';
import { ReadRequest } from '@bulkhead/types';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { HostileTest, until } from './bystander.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const SLOW_READER_TIMEOUT_MS = 700;
/** Of Sessions whose client is cut off: they end this long after their last request. */
const SESSION_TIMEOUT_MS = 1500;
/** `maxUnsentBytes` of a server with the default message size. */
const MAX_UNSENT_BYTES = 16 * MiB;
const LARGE_BYTES = 64 * KiB;
const HELD_BYTES = 1 * MiB;
/** More than two sockets of the operating system buffer between them. */
const BUFFERED_BY_SOCKETS = 12 * MiB;

let hostile: HostileTest;
const log = new RecordingLogger();
/** How often the large value was read. */
let reads = 0;
/** Lets everybody have the held value who asked for it by then. */
let release = (): void => undefined;

beforeAll(async () => {
  hostile = await HostileTest.start({ slowReaderTimeoutMs: SLOW_READER_TIMEOUT_MS, minSessionTimeoutMs: 100, log }, (space) => {
    const large = Buffer.alloc(LARGE_BYTES);
    const read = (): Buffer => {
      reads++;
      return large;
    };
    space.addVariable({ browseName: 'Large', nodeId: 's=Large', dataType: 'ByteString', read });
    const held = new Promise<Buffer>((resolve) => {
      release = () => resolve(Buffer.alloc(HELD_BYTES));
    });
    space.addVariable({ browseName: 'Held', nodeId: 's=Held', dataType: 'ByteString', read: () => held });
  });
});

beforeEach(() => {
  reads = 0;
  log.records.splice(0);
});

afterAll(() => hostile.end());

/** Pipelines Reads of a value and takes no answer. */
async function sendReads(name: string, count: number): Promise<RawUacpPeer> {
  const session = await RawSession.open({ port: hostile.port }, SESSION_TIMEOUT_MS);
  const { peer } = session;
  peer.pause();
  const body = readOf([`ns=1;s=${name}`]);
  peer.send(...Array.from({ length: count }, () => peer.channel.request(ReadRequest, { ...body, requestHeader: session.header() })));
  return peer;
}

function closedWith(): { readonly reason: unknown; readonly unsentBytes: number } | undefined {
  const record = log.of('connection.closed').find(({ fields }) => fields['reason'] === 'SlowReader' || fields['reason'] === 'UnsentLimit');
  return record && { reason: record.fields['reason'], unsentBytes: Number.parseInt(String(record.fields['detail']), 10) };
}

describe('a client that asks and does not read', () => {
  it('is paced, then closed with the reason; its unsent bytes are bounded and others are served', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await sendReads('Large', 2000);
      await until(() => closedWith() !== undefined);
      expect(reads).toBeGreaterThan(0);
      expect(closedWith()?.reason).toBe('SlowReader');
      expect(closedWith()?.unsentBytes).toBeLessThan(2 * MiB);
      // It asked for 125 MiB; little more than what is on its way was ever read.
      expect(reads * LARGE_BYTES).toBeLessThan(2 * MiB + BUFFERED_BY_SOCKETS);
      await peer.destroy();
    });
  });

  it('is closed at once when answers that were already being made exceed what may be unsent', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await sendReads('Held', 60);
      await until(() => (hostile.usage['executingRequests'] ?? 0) >= 50);
      release();
      await until(() => closedWith() !== undefined);
      expect(closedWith()?.reason).toBe('UnsentLimit');
      expect(closedWith()?.unsentBytes).toBeLessThan(MAX_UNSENT_BYTES + 2 * MiB);
      await peer.destroy();
    });
  });

  it('gets everything when it begins to read in time', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const session = await RawSession.open({ port: hostile.port });
      const { peer } = session;
      peer.pause();
      const ids = Array.from({ length: 400 }, () => session.send(ReadRequest, readOf(['ns=1;s=Large'])));
      await until(() => reads > 64);
      peer.resume();
      for (const id of ids) expect((await peer.response(id)).header.serviceResult).toBe(0);
      expect(reads).toBe(ids.length);
      expect(closedWith()).toBeUndefined();
      await session.close();
    });
  });
});
