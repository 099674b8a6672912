import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { ReceivedSequenceNumbers, SentSequenceNumbers } from '../src/sequence-numbers.ts';
import { ChannelPair, codeOf, defaultLimits, pattern } from './channel-pair.ts';

const accepts = (...numbers: number[]): boolean => {
  const received = new ReceivedSequenceNumbers();
  try {
    for (const number of numbers) received.accept(number);
    return true;
  } catch {
    return false;
  }
};

describe('SequenceNumbers', () => {
  it('start anywhere and go up by exactly one', () => {
    expect(accepts(0, 1, 2)).toBe(true);
    expect(accepts(51, 52, 53)).toBe(true);
    expect(accepts(4_294_967_295)).toBe(true);
    expect(accepts(51, 51)).toBe(false);
    expect(accepts(51, 53)).toBe(false);
    expect(accepts(51, 50)).toBe(false);
    expect(accepts(51, 0)).toBe(false);
  });

  it('wrap to below 1,024, and only near the end of UInt32', () => {
    expect(accepts(4_294_966_272, 1)).toBe(true);
    expect(accepts(4_294_966_271, 0)).toBe(true);
    expect(accepts(4_294_967_295, 1023)).toBe(true);
    expect(accepts(4_294_967_295, 1024)).toBe(false);
    expect(accepts(4_294_966_270, 1)).toBe(false);
    expect(accepts(4_294_967_000, 4_294_967_001)).toBe(true);
    expect(accepts(1024, 0)).toBe(false);
  });

  it('leave nothing behind after a wrap but the last number', () => {
    expect(accepts(4_294_967_295, 5, 6, 7)).toBe(true);
    expect(accepts(4_294_967_295, 5, 5)).toBe(false);
    expect(accepts(4_294_967_295, 5, 4)).toBe(false);
    expect(accepts(4_294_967_295, 5, 7)).toBe(false);
  });

  it('sent by us start at 1 and wrap to 1 inside the window the specification gives', () => {
    expect(new SentSequenceNumbers().next()).toBe(1);
    const sent = new SentSequenceNumbers(4_294_966_700);
    let last = 0;
    for (let next = sent.next(); next > last; next = sent.next()) last = next;
    expect(last).toBeGreaterThan(4_294_966_271);
    expect(sent.next()).toBe(2);
  });

  it('client and server go on talking across wraps in both directions', async () => {
    const nearEnd = { lastSequenceNumber: 4_294_966_780 };
    const pair = new ChannelPair({ server: nearEnd, client: nearEnd });
    await pair.open();
    for (let i = 2; i < 20; i++) await pair.exchange(i, pattern(20_000));
    expect(pair.request(20, pattern(1))[0]?.readUInt32LE(16)).toBeLessThan(1024);
  });

  it('out of order close the channel with BadSequenceNumberInvalid', async () => {
    const gap = new ChannelPair();
    await gap.open();
    gap.request(2, pattern(1));
    expect(await codeOf(() => gap.toServer(gap.request(3, pattern(1))))).toBe(StatusCodes.BadSequenceNumberInvalid);

    const replay = new ChannelPair();
    await replay.open();
    const chunks = replay.request(2, pattern(1));
    await replay.toServer(chunks);
    expect(await codeOf(() => replay.toServer(chunks))).toBe(StatusCodes.BadSequenceNumberInvalid);
    expect(replay.server.isOpen).toBe(false);
  });

  it('are not used up by a message that does not fit', async () => {
    const pair = new ChannelPair({ server: { limits: { ...defaultLimits, maxSendMessageBytes: 100 } } });
    await pair.open();
    expect(await codeOf(() => pair.respond(2, pattern(101)))).toBe(StatusCodes.BadResponseTooLarge);
    expect(pair.respond(2, pattern(100))[0]?.readUInt32LE(16)).toBe(2);
  });
});
