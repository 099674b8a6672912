import { rawChunk, rawHello, SeededRandom } from '@bulkhead/testkit';
import { ReadRequest, StatusCodes, statusCodeEntry } from '@bulkhead/types';
import { decodeErrorMessage } from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';
import { Harness, readRequest } from './harness.ts';

/** Cuts bytes into pieces of random size. */
function randomPieces(random: SeededRandom): (bytes: Buffer) => Buffer[] {
  return (bytes) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + random.nextInt(40);
      pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    return pieces;
  };
}

describe('hostile bytes', () => {
  it('end in answers, or in one ERR and a closed connection, and leave nothing behind', async () => {
    const random = new SeededRandom(20);
    const harness = new Harness();
    const healthy = await harness.open();
    for (let round = 0; round < 300; round++) {
      const peer = harness.connect({ segment: randomPieces(random) });
      if (random.nextBoolean()) await harness.open(peer);
      const good = Buffer.concat([
        rawHello(),
        peer.channel.openRequest(),
        peer.channel.request(ReadRequest),
        peer.channel.request(ReadRequest),
      ]);
      const bytes = random.nextBoolean() ? good : random.bytes(random.nextInt(300));
      for (let flips = random.nextInt(6); flips > 0 && bytes.length > 0; flips--) bytes[random.nextInt(bytes.length)] = random.nextInt(256);
      peer.send(bytes);
      await harness.settle();
      const errors = peer.takeChunks().filter((chunk) => chunk.toString('latin1', 0, 3) === 'ERR');
      expect(errors.length).toBeLessThanOrEqual(1);
      for (const chunk of errors) {
        const { error, reason } = decodeErrorMessage(chunk);
        expect(statusCodeEntry(error)?.description).toBe(reason);
        expect(peer.isClosed).toBe(true);
      }
      peer.transport.destroy();
    }
    readRequest(healthy);
    await harness.settle();
    expect(healthy.takeResponses()).toHaveLength(1);
    expect(harness.factory.diagnostics.closed.InternalError).toBe(0);
    await harness.end();
  });

  it.each([
    ['a size of 0', Buffer.from('MSGF\0\0\0\0', 'latin1'), StatusCodes.BadDecodingError],
    ['a size of 7', Buffer.from('MSGF\x07\0\0\0', 'latin1'), StatusCodes.BadDecodingError],
    ['a size of 2^32 - 1', Buffer.from('MSGF\xff\xff\xff\xff', 'latin1'), StatusCodes.BadTcpMessageTooLarge],
    ['an unknown chunk type', rawChunk('MSG', 'X', Buffer.alloc(40)), StatusCodes.BadTcpMessageTypeInvalid],
    ['an unknown message type', rawChunk('GET', ' ', Buffer.alloc(40)), StatusCodes.BadTcpMessageTypeInvalid],
    ['an OPN in several chunks', rawChunk('OPN', 'C', Buffer.alloc(40)), StatusCodes.BadTcpMessageTypeInvalid],
    ['an empty MSG', rawChunk('MSG', 'F', Buffer.alloc(0)), StatusCodes.BadDecodingError],
    ['another channel', rawChunk('MSG', 'F', Buffer.alloc(40)), StatusCodes.BadTcpSecureChannelUnknown],
  ])('on an open channel: %s', async (_what, bytes, status) => {
    const harness = new Harness();
    const peer = await harness.open();
    peer.send(bytes);
    await harness.settle();
    expect(decodeErrorMessage(peer.takeChunks().at(-1) as Buffer).error).toBe(status);
    expect(peer.isClosed).toBe(true);
    await harness.end();
  });

  it('are not kept while the connection closes', async () => {
    const harness = new Harness();
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    for (let i = 0; i < 100; i++) readRequest(peer);
    await harness.settle();
    const transport = harness.serverTransports[0];
    expect(transport?.isPaused).toBe(true);
    const closing = harness.factory.close();
    // It reads again, to throw away what the peer still sends: else the peer might never see the ERR.
    expect(transport?.isPaused).toBe(false);
    peer.send(Buffer.alloc(100_000));
    await harness.settle();
    await closing;
    expect(harness.sink.waiting).toHaveLength(64);
    await harness.end();
  });
});
