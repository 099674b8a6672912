import { byteByByte, rawChunk, rawHello } from '@bulkhead/testkit';
import { ReadRequest, ReadResponse, SecurityTokenRequestType, StatusCodes } from '@bulkhead/types';
import { decodeAcknowledge } from '@bulkhead/uacp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Harness, readRequest, takeError } from './harness.ts';

describe('UacpConnection', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => harness.end());

  it('answers HEL, OPN and MSG', async () => {
    const peer = harness.connect();
    peer.send(rawHello({ receiveBufferSize: 20_000 }));
    await harness.settle();
    const [acknowledge] = peer.takeChunks();
    expect(decodeAcknowledge(acknowledge as Buffer)).toMatchObject({ sendBufferSize: 20_000, receiveBufferSize: 65_536 });
    peer.send(peer.channel.openRequest());
    await harness.settle();
    const token = peer.channel.acceptOpen(peer.takeChunks()[0] as Buffer).securityToken;
    expect(token.channelId).not.toBe(0);
    readRequest(peer, 77);
    await harness.settle();
    const [response] = peer.takeResponses();
    expect(response?.requestId).toBe(2);
    expect(response?.decode(ReadResponse).responseHeader.requestHandle).toBe(77);
  });

  it('gives the same answers whether bytes come one by one or all at once', async () => {
    const conversations = await Promise.all(
      [byteByByte, undefined].map(async (segment) => {
        const peer = await harness.open(harness.connect(segment ? { segment } : {}));
        const requests = Array.from({ length: 20 }, (_, i) =>
          peer.channel.request(ReadRequest, { requestHeader: { ...ReadRequest.create().requestHeader, requestHandle: i } }),
        );
        peer.send(Buffer.concat(requests));
        await harness.settle();
        return peer.takeResponses().map((response) => [response.requestId, response.header.requestHandle, response.typeId]);
      }),
    );
    expect(conversations[0]).toHaveLength(20);
    expect(conversations[0]).toEqual(conversations[1]);
  });

  it('renews a channel and tells its RequestSink nothing of it', async () => {
    const peer = await harness.open();
    const tokenId = peer.channel.tokenId;
    peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
    await harness.settle();
    peer.channel.acceptOpen(peer.takeChunks()[0] as Buffer);
    expect(peer.channel.tokenId).not.toBe(tokenId);
    readRequest(peer);
    await harness.settle();
    expect(peer.takeResponses()).toHaveLength(1);
    expect(harness.factory.diagnostics.openedChannels).toBe(1);
  });

  it('closes silently on CLO and tells the RequestSink once', async () => {
    const peer = await harness.open();
    peer.send(peer.channel.chunk('CLO', 'F', 9, Buffer.alloc(0)));
    await harness.settle();
    expect(peer.isClosed).toBe(true);
    expect(peer.takeChunks()).toEqual([]);
    expect(harness.sink.closedChannels).toHaveLength(1);
    expect(harness.sink.closedChannels[0]?.isOpen).toBe(false);
    expect(harness.factory.diagnostics.closed.ChannelClosed).toBe(1);
  });

  it.each(['MSG', 'OPN', 'CLO', 'ACK', 'RHE'])('refuses %s before a Hello with BadTcpMessageTypeInvalid', async (type) => {
    const peer = harness.connect();
    peer.send(rawChunk(type, 'F', Buffer.alloc(40)));
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    expect(peer.isClosed).toBe(true);
    expect(harness.factory.diagnostics.closed.MessageTypeInvalid).toBe(1);
  });

  it.each(['MSG', 'CLO', 'HEL', 'ACK'])('refuses %s before a SecureChannel with BadTcpMessageTypeInvalid', async (type) => {
    const peer = harness.connect();
    peer.send(rawHello(), rawChunk(type, 'F', Buffer.alloc(40)));
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    expect(peer.isClosed).toBe(true);
  });

  it('refuses a second Hello on an open channel', async () => {
    const peer = await harness.open();
    peer.send(rawHello());
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    expect(harness.sink.closedChannels).toHaveLength(1);
  });

  it('refuses a Hello with small buffers', async () => {
    const peer = harness.connect();
    peer.send(rawHello({ receiveBufferSize: 8191 }));
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadConnectionRejected);
    expect(harness.factory.diagnostics.closed.HelloRejected).toBe(1);
  });

  it('refuses a chunk by its header alone when it is larger than negotiated', async () => {
    const peer = await harness.open();
    const header = Buffer.from('MSGF\0\0\0\0', 'latin1');
    header.writeUInt32LE(65_537, 4);
    peer.send(header);
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpMessageTooLarge);
    expect(harness.factory.diagnostics.closed.MessageTooLarge).toBe(1);
  });

  it('sends the specification’s text as the reason of an ERR, nothing of its own', async () => {
    const peer = await harness.open();
    peer.channel.nextSequenceNumber += 5;
    readRequest(peer);
    await harness.settle();
    const { error, reason } = takeError(peer);
    expect(error).toBe(StatusCodes.BadSequenceNumberInvalid);
    expect(reason).not.toMatch(/\/|\.ts|at /);
    expect(reason).not.toBe('');
  });

  it('ends quietly when the peer sends ERR', async () => {
    const peer = await harness.open();
    peer.send(rawChunk('ERR', 'F', Buffer.from([0, 0, 0x0a, 0x80, 0xff, 0xff, 0xff, 0xff])));
    await harness.settle();
    expect(peer.takeChunks()).toEqual([]);
    expect(peer.isClosed).toBe(true);
    expect(harness.factory.diagnostics.closed.PeerError).toBe(1);
  });

  it('answers a request without a readable header with a ServiceFault and goes on', async () => {
    const peer = await harness.open();
    peer.send(peer.channel.chunk('MSG', 'F', 2, Buffer.from([1, 0, 0x77, 0x02, 0x99])));
    // Type id, null token, timestamp and requestHandle 513 are there; the rest is missing.
    peer.send(peer.channel.chunk('MSG', 'F', 3, Buffer.from([1, 0, 0x77, 0x02, 0, 0, ...Buffer.alloc(8), 1, 2, 0, 0, 0])));
    readRequest(peer, 5);
    await harness.settle();
    const responses = peer.takeResponses();
    expect(responses.map(({ requestId, header }) => [requestId, header.requestHandle, header.serviceResult])).toEqual([
      [2, 0, StatusCodes.BadDecodingError],
      [3, 513, StatusCodes.BadDecodingError],
      [2, 5, StatusCodes.Good],
    ]);
  });

  it('hands a request of an unknown kind of type id on with typeId 0', async () => {
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    const header = Buffer.concat([
      Buffer.from([0, 0]),
      Buffer.alloc(8),
      Buffer.alloc(8),
      Buffer.alloc(4, 0xff),
      Buffer.alloc(4),
      Buffer.alloc(3),
    ]);
    peer.send(peer.channel.chunk('MSG', 'F', 2, Buffer.concat([Buffer.from([1, 1, 0x77, 0x02]), header])));
    await harness.settle();
    expect(harness.sink.waiting[0]?.typeId).toBe(0);
  });

  it('drops responses after the channel is gone', async () => {
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    readRequest(peer);
    await harness.settle();
    peer.transport.destroy();
    await harness.settle();
    expect(() => harness.sink.answerWaiting()).not.toThrow();
    expect(harness.factory.diagnostics.closed.PeerClosed).toBe(1);
  });

  it('writes the responses of a turn in one call', async () => {
    const pair = harness.connect();
    const peer = await harness.open(pair);
    peer.send(...Array.from({ length: 30 }, () => peer.channel.request(ReadRequest)));
    const serverWrites = await countWrites(harness, () => harness.settle());
    expect(peer.takeResponses()).toHaveLength(30);
    expect(serverWrites).toBe(1);
  });
});

async function countWrites(harness: Harness, run: () => Promise<void>): Promise<number> {
  const transports = harness.serverTransports;
  const before = transports.reduce((sum, transport) => sum + transport.writes, 0);
  await run();
  return transports.reduce((sum, transport) => sum + transport.writes, 0) - before;
}
