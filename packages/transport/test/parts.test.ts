import { SeededRandom } from '@bulkhead/testkit';
import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { ChannelIds } from '../src/channel-ids.ts';
import { closeReasonOf } from '../src/close-reason.ts';
import { planConnectionLimits } from '../src/index.ts';

describe('ChannelIds', () => {
  it('gives ids that are unique among the live ones and never 0, across the wrap', () => {
    const ids = new ChannelIds({ bytes: () => Buffer.from([0xfe, 0xff, 0xff, 0xff]) });
    expect([ids.allocate(), ids.allocate(), ids.allocate()]).toEqual([0xfffffffe, 0xffffffff, 1]);
  });

  it('starts where nobody can guess', () => {
    expect(new ChannelIds(new SeededRandom(1)).allocate()).not.toBe(new ChannelIds(new SeededRandom(2)).allocate());
  });

  it('skips what is in use', () => {
    let start = 5;
    const ids = new ChannelIds({
      bytes: () => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32LE(start++);
        return bytes;
      },
    });
    expect(ids.allocate()).toBe(5);
    ids.release(5);
    expect(ids.allocate()).toBe(6);
  });
});

describe('planConnectionLimits', () => {
  it('has finite defaults', () => {
    expect(planConnectionLimits()).toMatchObject({
      receiveBufferSize: 65_536,
      maxMessageSize: 4_194_304,
      maxReadAheadRequests: 64,
      maxReadAheadBytes: 131_072,
      handshakeTimeoutMs: 120_000,
      maxUnsentBytes: 16_777_216,
    });
    for (const value of Object.values(planConnectionLimits())) expect(value).toBeLessThan(Infinity);
  });

  it('allows as many chunks as the largest message needs in the smallest chunks, headers, padding and signature included', () => {
    const bodyOfSmallestChunk = 8192 - 24 - 32 - 17;
    for (const maxMessageSize of [8192, 65_536, 4_194_304, 1_000_000_000]) {
      expect(planConnectionLimits({ maxMessageSize }).maxChunkCount).toBeGreaterThanOrEqual(maxMessageSize / bodyOfSmallestChunk);
    }
  });

  it.each([
    ['receiveBufferSize', 8191],
    ['sendBufferSize', 0],
    ['maxMessageSize', -1],
    ['maxChunkCount', 0],
    ['handshakeTimeoutMs', 120_001],
    ['handshakeTimeoutMs', 0],
    ['slowReaderTimeoutMs', Infinity],
    ['maxUnsentBytes', 4_194_304],
    ['maxReadAheadRequests', Number.NaN],
  ])('refuses %s = %d and names it', (name, value) => {
    expect(() => planConnectionLimits({ [name]: value })).toThrow(name);
  });
});

describe('closeReasonOf', () => {
  it('counts what has no line of its own as a security check', () => {
    expect(closeReasonOf(StatusCodes.BadCertificateUntrusted)).toBe('SecurityRejected');
    expect(closeReasonOf(StatusCodes.BadTcpMessageTooLarge)).toBe('MessageTooLarge');
  });
});
