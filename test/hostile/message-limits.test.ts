import { encodeMessage, RawUacpPeer } from '@bulkhead/testkit';
import { GetEndpointsRequest, GetEndpointsResponse } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest } from './bystander.ts';
import { statusName } from './status-names.ts';

const MAX_MESSAGE_SIZE = 64 * 1024;
const MAX_BUFFER_SIZE = 8192;
const BODY = MAX_BUFFER_SIZE - 24;
let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start({ maxMessageSize: MAX_MESSAGE_SIZE, maxBufferSize: MAX_BUFFER_SIZE });
});

afterAll(() => hostile.end());

async function openPeer(): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port: hostile.port });
  await peer.hello();
  await peer.openNone();
  return peer;
}

/** A GetEndpoints request of exactly that many bytes. */
function requestOf(byteCount: number): Buffer {
  const request = (localeId: string): Buffer => encodeMessage(GetEndpointsRequest, GetEndpointsRequest.create({ localeIds: [localeId] }));
  return request('x'.repeat(byteCount - request('').length));
}

/** Sends a message in chunks whose bodies have `bodyBytes`. @returns its RequestId. */
function sendInChunks(
  { channel, send }: { channel: RawUacpPeer['channel']; send: (chunk: Buffer) => void },
  message: Buffer,
  bodyBytes: number,
): number {
  const requestId = channel.nextRequestId++;
  for (let at = 0; at < message.length; at += bodyBytes) {
    const isLast = at + bodyBytes >= message.length;
    send(channel.chunk('MSG', isLast ? 'F' : 'C', requestId, message.subarray(at, at + bodyBytes)));
  }
  return requestId;
}

async function refusal(peer: RawUacpPeer): Promise<string> {
  const { error } = await peer.nextError();
  await peer.closed;
  return statusName(error);
}

describe('a message in chunks', () => {
  it('is taken up to MaxMessageSize and refused with its first byte more', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      const send = (chunk: Buffer): void => peer.send(chunk);
      for (const bodyBytes of [BODY, 8000, 7500]) {
        const requestId = sendInChunks({ channel: peer.channel, send }, requestOf(MAX_MESSAGE_SIZE), bodyBytes);
        (await peer.response(requestId)).decode(GetEndpointsResponse);
      }
      sendInChunks({ channel: peer.channel, send }, requestOf(MAX_MESSAGE_SIZE + 1), BODY);
      expect(await refusal(peer)).toBe('BadTcpMessageTooLarge');
    });
  });

  it('is refused at the chunk that goes beyond MaxMessageSize, not at its end', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      for (let sent = 0; sent <= MAX_MESSAGE_SIZE; sent += BODY) peer.send(peer.channel.chunk('MSG', 'C', 5, Buffer.alloc(BODY)));
      expect(await refusal(peer)).toBe('BadTcpMessageTooLarge');
    });
  });

  it('is taken in MaxChunkCount chunks and refused in one more', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await RawUacpPeer.connect({ port: hostile.port });
      const { maxChunkCount, maxMessageSize } = await peer.hello();
      expect(maxMessageSize).toBe(MAX_MESSAGE_SIZE);
      await peer.openNone();
      const send = (chunk: Buffer): void => peer.send(chunk);
      const taken = sendInChunks({ channel: peer.channel, send }, requestOf(maxChunkCount * 20), 20);
      (await peer.response(taken)).decode(GetEndpointsResponse);
      sendInChunks({ channel: peer.channel, send }, requestOf((maxChunkCount + 1) * 20), 20);
      expect(await refusal(peer)).toBe('BadTcpMessageTooLarge');
    });
  });

  it('costs nothing any more when it is aborted, completed or cut, and empty chunks count as chunks', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await openPeer();
      const { channel } = peer;
      for (let round = 0; round < 50; round++) {
        const requestId = channel.nextRequestId++;
        for (let i = 0; i < 3; i++) peer.send(channel.chunk('MSG', 'C', requestId, Buffer.alloc(BODY)));
        peer.send(channel.chunk('MSG', 'A', requestId, Buffer.alloc(8)));
      }
      await peer.request(GetEndpointsRequest, {}, GetEndpointsResponse);
      expect(hostile.usage['ReassemblyBytes']).toBe(0);
      for (let i = 0; i < 1000; i++) peer.send(channel.chunk('MSG', 'C', 5000, Buffer.alloc(0)));
      expect(await refusal(peer)).toBe('BadTcpMessageTooLarge');
    });
  });
});
