import { ChunkReassembler, EncodeBuffer } from '@bulkhead/secure-channel';
import { BinaryWriter, StatusCodes, UaStatusError } from '@bulkhead/types';
import { BlockPool, writeMessageHeader } from '@bulkhead/uacp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelPair, codeOf, defaultLimits, pattern, TestAdmission, writing } from './channel-pair.ts';

/** Chunks of one request with bodies as given, made by hand: the peer chooses how it cuts. */
function chunksOf(bodies: readonly Buffer[], requestId: number, firstSequenceNumber: number, ending = 'F'): Buffer[] {
  return bodies.map((body, i) => {
    const chunk = Buffer.alloc(24 + body.length);
    writeMessageHeader(chunk, 'MSG', i + 1 < bodies.length ? 'C' : (ending as 'F'), chunk.length);
    chunk.writeUInt32LE(77, 8);
    chunk.writeUInt32LE(1, 12);
    chunk.writeUInt32LE(firstSequenceNumber + i, 16);
    chunk.writeUInt32LE(requestId, 20);
    body.copy(chunk, 24);
    return chunk;
  });
}

function cut(message: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...[...cuts].sort((a, b) => a - b), message.length];
  return edges.slice(1).map((end, i) => message.subarray(edges[i], end));
}

async function openPair(limits: Partial<typeof defaultLimits> = {}): Promise<ChannelPair> {
  const pair = new ChannelPair({ server: { limits: { ...defaultLimits, ...limits } } });
  await pair.open();
  return pair;
}

describe('messages of several chunks', () => {
  it('are put together whatever chunks they come in, and give back all they reserved', async () => {
    const cuts = fc.array(fc.nat(20_000), { maxLength: 19 });
    await fc.assert(
      fc.asyncProperty(fc.nat(20_000), cuts, async (size, where) => {
        const pair = await openPair();
        const message = pattern(size);
        const chunks = chunksOf(
          cut(
            message,
            where.map((at) => at % (size + 1)),
          ),
          9,
          2,
        );
        const events = await pair.toServer(chunks);
        const last = events.pop();
        expect(events.every((event) => event.kind === 'none')).toBe(true);
        expect(last).toEqual({ kind: 'message', requestId: 9, message });
        expect(pair.admission.used).toBe(0);
        expect(pair.server.hasPartialMessage).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('CB-03 need no reservation when they have one chunk only', async () => {
    const pair = await openPair();
    pair.admission.capacity = 0;
    const [event] = await pair.toServer(pair.request(2, pattern(8000)));
    expect(event?.kind).toBe('message');
    expect(pair.admission.peak).toBe(0);
  });

  it('of one chunk are views of the received chunk, those of several keep none of theirs', async () => {
    const pair = await openPair();
    const [chunk] = pair.request(2, pattern(100)) as [Buffer];
    const single = await pair.server.receive(chunk, pair.clock.now);
    expect(single.kind === 'message' && single.message.buffer === chunk.buffer).toBe(true);
    const [first, second] = chunksOf([pattern(10), pattern(10)], 3, 3) as [Buffer, Buffer];
    await pair.server.receive(first, pair.clock.now);
    first.fill(0);
    const joined = await pair.server.receive(second, pair.clock.now);
    expect(joined.kind === 'message' && joined.message.equals(Buffer.concat([pattern(10), pattern(10)]))).toBe(true);
    expect(joined.kind === 'message' && joined.message.buffer.byteLength).toBe(20);
  });

  it('take MaxMessageSize and refuse one byte more, in one chunk and in several', async () => {
    const limits = { maxReceiveMessageBytes: 5000 };
    for (const cuts of [[], [1], [4999], [2000, 4000]]) {
      const pair = await openPair(limits);
      expect((await pair.toServer(chunksOf(cut(pattern(5000), cuts), 2, 2))).at(-1)?.kind).toBe('message');
      const other = await openPair(limits);
      expect(await codeOf(() => other.toServer(chunksOf(cut(pattern(5001), cuts), 2, 2)))).toBe(StatusCodes.BadTcpMessageTooLarge);
      expect(other.admission.used).toBe(0);
    }
  });

  it('take MaxChunkCount chunks and refuse one more', async () => {
    const bodies = (count: number): Buffer[] => Array.from({ length: count }, () => pattern(1));
    const pair = await openPair({ maxReceiveChunks: 4 });
    expect((await pair.toServer(chunksOf(bodies(4), 2, 2))).at(-1)?.kind).toBe('message');
    expect(await codeOf(() => pair.toServer(chunksOf(bodies(5), 3, 6)))).toBe(StatusCodes.BadTcpMessageTooLarge);
    expect(pair.admission.used).toBe(0);
  });

  it('keep the memory that was reserved for them, and none once they are dropped', async () => {
    const pair = await openPair();
    await pair.toServer(chunksOf(cut(pattern(30_000), [8000, 16_000, 24_000]), 2, 2).slice(0, 3));
    expect(pair.server.retainedBytes).toBeGreaterThanOrEqual(24_000);
    expect(pair.server.retainedBytes).toBe(pair.admission.used);
    pair.server.dispose();
    expect(pair.server.retainedBytes).toBe(0);
  });

  it('are refused with BadTcpNotEnoughResources and dropped when there is no room', async () => {
    const pair = await openPair();
    pair.admission.capacity = 20_000;
    const chunks = chunksOf(cut(pattern(40_000), [8000, 16_000, 24_000, 32_000]), 2, 2);
    expect(await codeOf(() => pair.toServer(chunks))).toBe(StatusCodes.BadTcpNotEnoughResources);
    expect(pair.admission.peak).toBeGreaterThan(0);
    expect(pair.admission.used).toBe(0);
    expect(pair.server.hasPartialMessage).toBe(false);
  });

  it('must not be mixed: a chunk of another request closes the channel', async () => {
    for (const chunkType of ['C', 'F'] as const) {
      const pair = await openPair();
      await pair.toServer(chunksOf([pattern(10), pattern(10)], 2, 2).slice(0, 1));
      const [other] = chunksOf([pattern(10)], 3, 3, chunkType) as [Buffer];
      expect(await codeOf(() => pair.toServer([other]))).toBe(StatusCodes.BadDecodingError);
      expect(pair.server.isOpen).toBe(false);
      expect(pair.admission.used).toBe(0);
    }
  });

  it('CB-05 give everything back when they are aborted, and the channel lives on', async () => {
    const pair = await openPair();
    await pair.toServer(chunksOf([pattern(9000), pattern(10)], 2, 2).slice(0, 1));
    expect(pair.admission.used).toBeGreaterThan(0);
    const [abort] = pair.client.encodeAbort(2, StatusCodes.BadRequestTooLarge, 'too large') as [Buffer];
    abort.writeUInt32LE(3, 16);
    expect(await pair.toServer([abort])).toEqual([{ kind: 'none' }]);
    expect(pair.admission.used).toBe(0);
    expect((await pair.toServer(chunksOf([pattern(5)], 3, 4)))[0]?.kind).toBe('message');
  });

  it('CB-05 give everything back when the channel is disposed or a chunk is faulty', async () => {
    const disposed = await openPair();
    await disposed.toServer(chunksOf([pattern(9000), pattern(10)], 2, 2).slice(0, 1));
    disposed.server.dispose();
    expect(disposed.admission.used).toBe(0);
    const faulty = await openPair();
    await faulty.toServer(chunksOf([pattern(9000), pattern(10)], 2, 2).slice(0, 1));
    expect(await codeOf(() => faulty.toServer(chunksOf([pattern(1)], 2, 99)))).toBe(StatusCodes.BadSequenceNumberInvalid);
    expect(faulty.admission.used).toBe(0);
  });

  it('have a fixed deadline that further chunks do not move', async () => {
    const pair = await openPair();
    const chunks = chunksOf([pattern(1), pattern(1), pattern(1), pattern(1)], 2, 2);
    await pair.toServer(chunks.slice(0, 1));
    expect(pair.server.nextDeadlineMs()).toBe(1000 + 10_000);
    pair.clock.now += 9000;
    await pair.toServer(chunks.slice(1, 3));
    expect(pair.server.nextDeadlineMs()).toBe(1000 + 10_000);
    expect(pair.server.checkDeadlines(10_999)).toBeUndefined();
    expect(pair.server.checkDeadlines(11_000)?.statusCode).toBe(StatusCodes.BadTimeout);
    expect(pair.admission.used).toBe(0);
  });

  it('have a deadline of their own when one is configured', async () => {
    const pair = new ChannelPair({ server: { partialMessageTimeoutMs: 300 } });
    await pair.open();
    await pair.toServer(chunksOf([pattern(1), pattern(1)], 2, 2).slice(0, 1));
    expect(pair.server.nextDeadlineMs()).toBe(1300);
  });

  it('have no longer one than the token lives', async () => {
    const pair = new ChannelPair({ server: { partialMessageTimeoutMs: 60_000 } });
    await pair.open();
    await pair.toServer(chunksOf([pattern(1), pattern(1)], 2, 2).slice(0, 1));
    expect(pair.server.nextDeadlineMs()).toBe(1000 + 10_000);
  });

  it('RI-30 are charged to one owner for as long as they last, the next one to whoever speaks then', async () => {
    const pair = await openPair();
    const bodies = Array.from({ length: 4 }, () => pattern(8000));
    const first = chunksOf(bodies, 2, 2);
    await pair.toServer(first.slice(0, 1));
    pair.admission.nextOwner = 'somebody';
    await pair.toServer(first.slice(1));
    await pair.toServer(chunksOf(bodies, 3, 6));
    const [one, ...rest] = pair.admission.charged;
    expect(one).toBe('anybody');
    expect(rest.slice(0, 2)).toEqual(['anybody', 'anybody']);
    expect(new Set(rest.slice(2))).toEqual(new Set(['somebody']));
  });

  it('RI-30 have their owner from their first chunk on, even when that one is empty', async () => {
    const pair = await openPair();
    const chunks = chunksOf([pattern(0), pattern(8000), pattern(1)], 2, 2);
    await pair.toServer(chunks.slice(0, 1));
    pair.admission.nextOwner = 'somebody';
    await pair.toServer(chunks.slice(1));
    expect(new Set(pair.admission.charged)).toEqual(new Set(['anybody']));
  });
});

describe('ChunkReassembler', () => {
  const maxMessageBytes = 100_000;
  const maxBufferBytes = 8192;
  const bound = 4 * (maxMessageBytes + maxBufferBytes);

  it('RI-20 retains less than 4 × (MaxMessageSize + buffer) whatever chunk sizes the peer chooses, and charges exactly what it retains', () => {
    const maxBody = maxBufferBytes - 24;
    const sizes = fc.oneof(
      fc.array(fc.nat(maxBody), { maxLength: 400 }),
      fc.array(fc.nat(2), { maxLength: 2000 }),
      fc.array(fc.constantFrom(0, 1, 8191, maxBody, maxBody - 1), { maxLength: 200 }),
    );
    fc.assert(
      fc.property(sizes, fc.boolean(), (bodies, isPooled) => {
        const admission = new TestAdmission();
        const pool = isPooled ? new BlockPool(maxBufferBytes) : undefined;
        const reassembler = new ChunkReassembler({ maxMessageBytes, maxChunks: 1_000_000 }, admission, pool);
        let total = 0;
        for (const size of bodies) {
          // A receive buffer far larger than the chunk, as a socket gives it: keeping a view of it would show.
          const body = Buffer.alloc(65_536).subarray(100, 100 + size);
          if (total + size > maxMessageBytes) break;
          total += size;
          reassembler.add(1, body, 1);
          const peakWhileJoining = reassembler.retainedBytes + total + maxBufferBytes;
          expect(reassembler.retainedBytes).toBe(admission.used);
          expect(reassembler.retainedBytes).toBeLessThanOrEqual(maxMessageBytes);
          expect(peakWhileJoining).toBeLessThan(bound);
        }
        expect(reassembler.finish(1, Buffer.alloc(0)).buffer.byteLength).toBe(total);
        expect(admission.used).toBe(0);
        expect(reassembler.retainedBytes).toBe(0);
      }),
    );
  });

  it('RI-20 retains a message of maximum size within the bound, filled by single bytes or by full chunks', () => {
    for (const size of [1, 7, 4096, 8168]) {
      const admission = new TestAdmission();
      const reassembler = new ChunkReassembler({ maxMessageBytes, maxChunks: 1_000_000 }, admission);
      const body = pattern(size);
      let total = 0;
      for (; total + size <= maxMessageBytes; total += size) reassembler.add(1, body, 1);
      expect(admission.used).toBe(reassembler.retainedBytes);
      expect(admission.peak).toBeLessThanOrEqual(maxMessageBytes);
      expect(reassembler.finish(1, body.subarray(0, maxMessageBytes - total))).toHaveLength(maxMessageBytes);
      expect(admission.used).toBe(0);
    }
  });

  it('uses the blocks of a message again for the next one, and each message has its own bytes', () => {
    const pool = new BlockPool(maxBufferBytes);
    const reassemblers = Array.from(
      { length: 3 },
      () => new ChunkReassembler({ maxMessageBytes, maxChunks: 100 }, new TestAdmission(), pool),
    );
    const bodies = [7, 70, 170].map((fill) => Buffer.alloc(8000, fill));
    for (let round = 0; round < 3; round++) {
      for (let chunk = 0; chunk < 5; chunk++) {
        for (const [at, reassembler] of reassemblers.entries()) reassembler.add(round, bodies[at] as Buffer, 1);
      }
      for (const [at, reassembler] of reassemblers.entries()) {
        const message = reassembler.finish(round, Buffer.alloc(0));
        expect(message.equals(Buffer.concat(Array.from({ length: 5 }, () => bodies[at] as Buffer)))).toBe(true);
      }
      // 5 × 8,000 bytes are 5 blocks for each.
      expect(pool.freeCount).toBe(15);
    }
  });

  it('asks before it allocates', () => {
    const admission = new TestAdmission();
    admission.capacity = 8191;
    const reassembler = new ChunkReassembler({ maxMessageBytes, maxChunks: 10 }, admission);
    expect(() => reassembler.add(1, pattern(1), 1)).toThrow(UaStatusError);
    expect(reassembler.retainedBytes).toBe(0);
    admission.capacity = 8192;
    reassembler.add(1, pattern(1), 1);
    expect(reassembler.retainedBytes).toBe(8192);
  });
});

describe('messages that go out', () => {
  it('are refused before anything is sent when the client would not take them', async () => {
    for (const limits of [{ maxSendMessageBytes: 10_000 }, { maxSendChunks: 2 }]) {
      const pair = await openPair(limits);
      const most = limits.maxSendMessageBytes ?? 2 * 8168;
      expect(pair.respond(2, pattern(most))).toHaveLength(2);
      expect(await codeOf(() => pair.respond(2, pattern(most + 1)))).toBe(StatusCodes.BadResponseTooLarge);
    }
    const pair = await openPair();
    expect(pair.respond(2, pattern(500), 500)).toHaveLength(1);
    expect(await codeOf(() => pair.respond(2, pattern(501), 500))).toBe(StatusCodes.BadResponseTooLarge);
  });

  it('are refused with BadRequestTooLarge on the client side', async () => {
    const pair = new ChannelPair({ client: { limits: { ...defaultLimits, maxSendMessageBytes: 100 } } });
    await pair.open();
    expect(await codeOf(() => pair.request(2, pattern(101)))).toBe(StatusCodes.BadRequestTooLarge);
  });

  it('leave the channel usable when their encoder fails', async () => {
    const pair = await openPair();
    const failing = (writer: BinaryWriter): void => {
      writer.writeUInt32(1);
      throw new UaStatusError(StatusCodes.BadEncodingError, 'no');
    };
    expect(await codeOf(() => pair.server.encodeMessage(2, failing, 1000))).toBe(StatusCodes.BadEncodingError);
    expect(await pair.toClient(pair.respond(2, pattern(10)))).toEqual([{ kind: 'message', requestId: 2, message: pattern(10) }]);
  });

  it('reach the client as aborted when the server gives up, and the channel lives on', async () => {
    const pair = await openPair();
    const chunks = pair.respond(2, pattern(20_000));
    await pair.toClient(chunks.slice(0, 1));
    expect(pair.client.hasPartialMessage).toBe(true);
    const [abort] = pair.server.encodeAbort(2, StatusCodes.BadResponseTooLarge, 'too large') as [Buffer];
    abort.writeUInt32LE(3, 16);
    const aborted = { kind: 'aborted', requestId: 2, statusCode: StatusCodes.BadResponseTooLarge, reason: 'too large' };
    expect(await pair.toClient([abort])).toEqual([aborted]);
    expect(pair.client.hasPartialMessage).toBe(false);
  });

  it('are not written to again by later ones', async () => {
    const pair = await openPair();
    const kept: [Buffer, Buffer][] = [];
    for (let i = 0; i < 300; i++) {
      const chunk = pair.respond(i, pattern(i * 31))[0] as Buffer;
      kept.push([chunk, Buffer.from(chunk)]);
    }
    for (const [chunk, copy] of kept) expect(chunk.equals(copy)).toBe(true);
  });

  it('of one chunk are not copied after they were encoded', () => {
    const encodeBuffer = new EncodeBuffer();
    const writer = encodeBuffer.start(24, 10_000);
    writing(pattern(100))(writer);
    const { buffer } = writer.buffer;
    const chunk = encodeBuffer.take();
    expect(chunk.buffer).toBe(buffer);
    expect(chunk).toHaveLength(124);
    expect(encodeBuffer.writer).toBeInstanceOf(BinaryWriter);
  });
});
