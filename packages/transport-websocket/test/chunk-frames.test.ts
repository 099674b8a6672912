import { chunkOf } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';
import { ChunkFrames, isOneChunk } from '../src/chunk-frames.ts';

describe('ChunkFrames', () => {
  it('passes on a chunk that is whole as it is', () => {
    const chunk = chunkOf(100);
    const frames = new ChunkFrames();
    expect(frames.push(chunk)[0]).toBe(chunk);
    expect(frames.bufferedBytes).toBe(0);
  });

  it.each([1, 3, 7, 8, 9, 64, 1000])('puts chunks together that were cut into pieces of %i bytes', (pieceBytes) => {
    const chunks = [8, 20, 300, 9].map((bytes, at) => chunkOf(bytes, at));
    const all = Buffer.concat(chunks);
    const frames = new ChunkFrames();
    const out: Buffer[] = [];
    for (let at = 0; at < all.length; at += pieceBytes) out.push(...frames.push(all.subarray(at, at + pieceBytes)));
    expect(out.map(({ length }) => length)).toEqual([8, 20, 300, 9]);
    expect(Buffer.concat(out).equals(all)).toBe(true);
    expect(frames.bufferedBytes).toBe(0);
  });

  it('tells one chunk from less and from more', () => {
    expect([chunkOf(8), chunkOf(50)].map(isOneChunk)).toEqual([true, true]);
    expect([chunkOf(50).subarray(0, 49), Buffer.concat([chunkOf(8), chunkOf(8)]), Buffer.alloc(7)].map(isOneChunk)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
