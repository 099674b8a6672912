import { Stage } from '@bulkhead/resource-isolation';
import { rawHello, SeededRandom } from '@bulkhead/testkit';
import { ReadRequest, SecurityTokenRequestType, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness, readRequest, takeError } from './harness.ts';

const MINUTE_MS = 60_000;

describe('deadlines of a connection', () => {
  it('RI-38 cuts off a peer that sends its Hello too slowly', async () => {
    const harness = new Harness({ limits: { helloTimeoutMs: 1000 } });
    const peer = harness.connect();
    for (const byte of rawHello().subarray(0, 9)) {
      peer.send(Buffer.of(byte));
      await harness.settle();
      harness.runtime.clock.advance(110);
    }
    expect(peer.isClosed).toBe(false);
    harness.runtime.clock.advance(10);
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTimeout);
    expect(peer.isClosed).toBe(true);
    expect(harness.factory.diagnostics.closed.HelloTimeout).toBe(1);
    await harness.end();
  });

  it('RI-38 gives the whole start-up a fixed deadline that no traffic extends', async () => {
    const harness = new Harness();
    const peer = harness.connect();
    harness.runtime.clock.advance(9999);
    peer.send(rawHello());
    await harness.settle();
    peer.takeChunks();
    const request = peer.channel.openRequest();
    for (let at = 0; at < 12; at++) {
      peer.send(request.subarray(at, at + 1));
      await harness.settle();
      harness.runtime.clock.advance(9000);
    }
    expect(harness.provider.usage).toEqual({ Connection: 1, Handshake: 1 });
    harness.runtime.clock.advance(2001);
    await harness.settle();
    expect(harness.runtime.clock.nowMs()).toBe(120_000);
    expect(takeError(peer).error).toBe(StatusCodes.BadTimeout);
    expect(harness.factory.diagnostics.closed.HandshakeTimeout).toBe(1);
    await harness.end();
  });

  it('RI-38 is independent of the lifetime of the channel', async () => {
    const harness = new Harness();
    const peer = await harness.open();
    harness.runtime.clock.advance(10 * MINUTE_MS);
    readRequest(peer);
    await harness.settle();
    expect(peer.takeResponses()).toHaveLength(1);
    await harness.end();
  });

  it('closes a channel whose token is not renewed', async () => {
    const harness = new Harness();
    const peer = harness.connect();
    peer.send(rawHello(), peer.channel.openRequest(SecurityTokenRequestType.Issue, 10_000));
    await harness.settle();
    peer.takeChunks();
    harness.runtime.clock.advance(12_499);
    await harness.settle();
    expect(peer.isClosed).toBe(false);
    harness.runtime.clock.advance(1);
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadSecureChannelTokenUnknown);
    expect(harness.sink.closedChannels).toHaveLength(1);
    expect(harness.factory.diagnostics.closed.TokenExpired).toBe(1);
    await harness.end();
  });

  it('closes a connection whose message of several chunks is not finished in time', async () => {
    const harness = new Harness({ limits: { messageTimeoutMs: 5000 } });
    const peer = await harness.open();
    for (let at = 0; at < 5; at++) {
      peer.send(peer.channel.chunk('MSG', 'C', 2, Buffer.alloc(100)));
      await harness.settle();
      harness.runtime.clock.advance(999);
    }
    expect(harness.provider.usage).toEqual({ Connection: 1, ReassemblyBytes: 8192 });
    harness.runtime.clock.advance(5);
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTimeout);
    expect(harness.factory.diagnostics.closed.MessageTimeout).toBe(1);
    await harness.end();
  });

  it('closes a connection whose chunk is not finished in time', async () => {
    const harness = new Harness({ limits: { messageTimeoutMs: 5000 } });
    const peer = await harness.open();
    const chunk = peer.channel.request(ReadRequest);
    peer.send(chunk.subarray(0, 30));
    await harness.settle();
    harness.runtime.clock.advance(4000);
    peer.send(chunk.subarray(30, 31));
    await harness.settle();
    harness.runtime.clock.advance(1000);
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTimeout);
    expect(harness.factory.diagnostics.closed.MessageTimeout).toBe(1);
    await harness.end();
  });

  it('allows each chunk its own time', async () => {
    const harness = new Harness({ limits: { messageTimeoutMs: 5000 } });
    const peer = await harness.open();
    for (let i = 0; i < 4; i++) {
      const chunk = peer.channel.request(ReadRequest);
      peer.send(chunk.subarray(0, 30));
      await harness.settle();
      harness.runtime.clock.advance(4000);
      peer.send(chunk.subarray(30));
      await harness.settle();
    }
    expect(peer.takeResponses()).toHaveLength(4);
    await harness.end();
  });

  it('allows each chunk its own time when the end of one always comes with the beginning of the next', async () => {
    const harness = new Harness({ limits: { messageTimeoutMs: 5000 } });
    const peer = await harness.open();
    const requests = Array.from({ length: 5 }, () => peer.channel.request(ReadRequest));
    const bytes = Buffer.concat(requests);
    const length = requests[0]?.length ?? 0;
    peer.send(bytes.subarray(0, 30));
    await harness.settle();
    for (let i = 0; i < 4; i++) {
      harness.runtime.clock.advance(4000);
      peer.send(bytes.subarray(i * length + 30, (i + 1) * length + 30));
      await harness.settle();
    }
    expect(peer.takeResponses()).toHaveLength(4);
    harness.runtime.clock.advance(5000);
    await harness.settle();
    expect(harness.factory.diagnostics.closed.MessageTimeout).toBe(1);
    await harness.end();
  });

  it('takes one buffer more off a peer that it closed, and reads no further and cuts it soon', async () => {
    const harness = new Harness({ limits: { lingerTimeoutMs: 1000 } });
    const peer = await harness.open();
    peer.transport.pause();
    peer.send(Buffer.from('not a chunk, in any protocol of this kind'));
    await harness.settle();
    const [server] = harness.serverTransports;
    let pauses = 0;
    const pause = server?.pause.bind(server);
    if (server !== undefined) {
      server.pause = () => {
        pauses++;
        pause?.();
      };
    }
    peer.send(Buffer.alloc(40_000));
    await harness.settle();
    expect(pauses).toBe(0);
    peer.send(Buffer.alloc(40_000));
    await harness.settle();
    expect([pauses, harness.provider.getUsage(Stage.Connection)]).toEqual([1, 1]);
    harness.runtime.clock.advance(100);
    await harness.settle();
    expect(peer.isClosed).toBe(true);
    await harness.end();
  });

  it('destroys the transport of a closing connection whose peer doesn’t take the ERR', async () => {
    const harness = new Harness({ limits: { lingerTimeoutMs: 1000 } });
    const peer = await harness.open();
    peer.transport.pause();
    peer.send(rawHello());
    await harness.settle();
    expect(peer.isClosed).toBe(false);
    expect(harness.provider.usage).toEqual({ Connection: 1 });
    harness.runtime.clock.advance(1000);
    await harness.settle();
    expect(harness.provider.usage).toEqual({});
    await harness.end();
  });

  it('keeps one timer per connection', async () => {
    const random = new SeededRandom(3);
    const harness = new Harness();
    const peers = await Promise.all([harness.open(), harness.open(), harness.open()]);
    for (let i = 0; i < 200; i++) {
      readRequest(random.pick(peers));
      if (random.nextBoolean()) await harness.settle();
      harness.runtime.clock.advance(random.nextInt(500));
    }
    expect(harness.runtime.clock.pendingTimers).toBe(3);
    await harness.end();
  });
});
