import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { BlockPool, ChunkFramer, type ChunkType, type MessageType, writeMessageHeader } from '@bulkhead/uacp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function chunkOf(type: MessageType, chunkType: ChunkType, size: number, fill = 0x55): Buffer {
  const chunk = Buffer.alloc(size, fill);
  writeMessageHeader(chunk, type, chunkType, size);
  return chunk;
}

function drain(framer: ChunkFramer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let chunk = framer.next(); chunk; chunk = framer.next()) chunks.push(chunk);
  return chunks;
}

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return StatusCodes.Good;
}

const stream = [
  chunkOf('HEL', 'F', 40, 1),
  chunkOf('OPN', 'F', 132, 2),
  chunkOf('MSG', 'C', 8, 3),
  chunkOf('MSG', 'C', 9, 4),
  chunkOf('MSG', 'F', 8192, 5),
  chunkOf('MSG', 'A', 33, 6),
  chunkOf('CLO', 'F', 57, 7),
];
const bytes = Buffer.concat(stream);

describe('ChunkFramer', () => {
  it('finds the same chunks whether bytes come one at a time or all at once', () => {
    const atOnce = new ChunkFramer(8192);
    atOnce.push(Buffer.from(bytes));
    expect(drain(atOnce)).toEqual(stream);

    const oneByOne = new ChunkFramer(8192);
    const found: Buffer[] = [];
    for (const byte of bytes) {
      oneByOne.push(Buffer.of(byte));
      found.push(...drain(oneByOne));
    }
    expect(found).toEqual(stream);
    expect(oneByOne.bufferedBytes).toBe(0);
  });

  it('finds the same chunks however the bytes are cut and however seldom it is asked', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), fc.array(fc.boolean(), { maxLength: 31 }), (cuts, asks) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const framer = new ChunkFramer(8192);
        const found: Buffer[] = [];
        edges.slice(1).forEach((end, i) => {
          framer.push(Buffer.from(bytes.subarray(edges[i], end)));
          if (asks[i]) found.push(...drain(framer));
        });
        found.push(...drain(framer));
        expect(found).toEqual(stream);
        expect(framer.bufferedBytes).toBe(0);
        expect(framer.hasPartialChunk).toBe(false);
      }),
    );
  });

  it('copies nothing of a chunk that lies in one pushed buffer', () => {
    const framer = new ChunkFramer(8192);
    const pushed = Buffer.from(bytes);
    framer.push(pushed);
    for (const chunk of drain(framer)) expect(chunk.buffer).toBe(pushed.buffer);
  });

  it('takes a chunk of the limit and refuses one byte more on eight bytes alone', () => {
    const framer = new ChunkFramer(100);
    framer.push(chunkOf('MSG', 'F', 100));
    expect(framer.next()).toHaveLength(100);
    framer.push(chunkOf('MSG', 'F', 101).subarray(0, 8));
    expect(codeOf(() => framer.next())).toBe(StatusCodes.BadTcpMessageTooLarge);
    expect(framer.bufferedBytes).toBe(0);
  });

  it('refuses a size of 0xffffffff without allocating for it', () => {
    const framer = new ChunkFramer(65_536);
    const header = chunkOf('MSG', 'F', 8);
    header.writeUInt32LE(0xffffffff, 4);
    framer.push(header);
    expect(codeOf(() => framer.next())).toBe(StatusCodes.BadTcpMessageTooLarge);
  });

  it('follows a limit that was lowered after the negotiation', () => {
    const framer = new ChunkFramer(65_536);
    framer.push(chunkOf('HEL', 'F', 9000));
    expect(framer.next()).toHaveLength(9000);
    framer.maxChunkBytes = 8192;
    framer.push(chunkOf('MSG', 'F', 8193));
    expect(codeOf(() => framer.next())).toBe(StatusCodes.BadTcpMessageTooLarge);
  });

  it('refuses unknown message and chunk types, and more than one chunk for OPN and CLO', () => {
    const withBytes = (text: string): Buffer => {
      const chunk = chunkOf('MSG', 'F', 32);
      chunk.write(text, 'latin1');
      return chunk;
    };
    for (const text of ['GET ', 'MSGX', 'MSGf', 'msgF', 'OPNC', 'OPNA', 'CLOC', '\0\0\0\0', 'HTTP']) {
      const framer = new ChunkFramer(8192);
      framer.push(withBytes(text));
      expect(
        codeOf(() => framer.next()),
        text,
      ).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    }
  });

  it('ignores the fourth byte of connection protocol messages', () => {
    const hello = chunkOf('HEL', 'F', 32);
    hello[3] = 0;
    const framer = new ChunkFramer(8192);
    framer.push(hello);
    expect(framer.next()).toHaveLength(32);
  });

  it('refuses sizes that do not even hold the header', () => {
    for (let size = 0; size < 8; size++) {
      const framer = new ChunkFramer(8192);
      const chunk = chunkOf('MSG', 'F', 8);
      chunk.writeUInt32LE(size, 4);
      framer.push(chunk);
      expect(codeOf(() => framer.next())).toBe(StatusCodes.BadDecodingError);
    }
  });

  it('stays refused: bytes after an error are neither read nor kept', () => {
    const framer = new ChunkFramer(8192);
    framer.push(Buffer.from('GET / HTTP/1.1\r\n'));
    expect(codeOf(() => framer.next())).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    framer.push(chunkOf('MSG', 'F', 32));
    expect(framer.bufferedBytes).toBe(0);
    expect(codeOf(() => framer.next())).toBe(StatusCodes.BadTcpMessageTypeInvalid);
  });

  it('keeps no more than the unfinished chunk', () => {
    const framer = new ChunkFramer(8192);
    framer.push(Buffer.concat([chunkOf('MSG', 'F', 8000), chunkOf('MSG', 'F', 8000).subarray(0, 20)]));
    expect(framer.next()).toHaveLength(8000);
    expect(framer.next()).toBeUndefined();
    expect(framer.hasPartialChunk).toBe(true);
    expect(framer.bufferedBytes).toBe(20);
    framer.clear();
    expect(framer.bufferedBytes).toBe(0);
  });

  it('puts intermediate chunks into blocks that it uses again once they were looked at, and no other chunk', () => {
    const pool = new BlockPool(8192);
    const chunks = [
      chunkOf('MSG', 'C', 8000, 1),
      chunkOf('MSG', 'C', 8192, 2),
      chunkOf('MSG', 'F', 8000, 3),
      chunkOf('MSG', 'C', 5000, 4),
      chunkOf('OPN', 'F', 8000, 5),
    ];
    const framer = new ChunkFramer(8192, pool);
    const kept: Buffer[] = [];
    for (const [at, chunk] of chunks.entries()) {
      framer.push(chunk.subarray(0, 10));
      expect(framer.next()).toBeUndefined();
      framer.push(chunk.subarray(10));
      const next = framer.next() as Buffer;
      expect(next.equals(chunk), `chunk ${at}`).toBe(true);
      if (chunk.toString('latin1', 0, 4) === 'MSGC') expect(pool.freeCount).toBe(0);
      else kept.push(next);
    }
    framer.push(chunkOf('MSG', 'C', 8000, 9).subarray(0, 100));
    expect(framer.next()).toBeUndefined();
    framer.clear();
    expect(pool.freeCount).toBe(1);
    expect(kept.map((chunk) => chunk[20])).toEqual([3, 5]);
  });

  it('keeps no more than 8 MiB of blocks', () => {
    const pool = new BlockPool(65_536);
    for (const block of Array.from({ length: 200 }, () => pool.take())) pool.give(block);
    expect(pool.freeCount).toBe(128);
  });
});
