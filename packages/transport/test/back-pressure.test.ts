import { createManualRuntime, type MemoryPeer } from '@bulkhead/testkit';
import { ReadRequest, SecurityTokenRequestType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness, readRequest } from './harness.ts';

function pipeline(peer: MemoryPeer, count: number): void {
  peer.send(Buffer.concat(Array.from({ length: count }, () => peer.channel.request(ReadRequest))));
}

describe('read-ahead of a connection', () => {
  it('BX-03 is not read from while 64 requests wait, and again once half of them left', async () => {
    const harness = new Harness();
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    const transport = harness.serverTransports[0];
    pipeline(peer, 300);
    await harness.settle();
    expect(harness.sink.waiting).toHaveLength(64);
    expect(transport?.isPaused).toBe(true);
    harness.sink.answerWaiting(31);
    await harness.settle();
    expect(harness.sink.waiting).toHaveLength(33);
    harness.sink.answerWaiting(1);
    await harness.settle();
    expect(harness.sink.waiting).toHaveLength(64);
    while (harness.sink.waiting.length > 0) {
      harness.sink.answerWaiting();
      await harness.settle();
    }
    const ids = peer.takeResponses().map((response) => response.requestId);
    expect(ids).toEqual(Array.from({ length: 300 }, (_, i) => i + 2));
    expect(transport?.isPaused).toBe(false);
    await harness.end();
  });

  it('BX-03 counts bytes as well as requests', async () => {
    const harness = new Harness({ limits: { maxReadAheadBytes: 1000 } });
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    pipeline(peer, 100);
    await harness.settle();
    const waitingBytes = harness.sink.waiting.reduce((sum, request) => sum + request.message.length, 0);
    const last = harness.sink.waiting.at(-1)?.message.length ?? 0;
    expect(waitingBytes).toBeGreaterThanOrEqual(1000);
    expect(waitingBytes - last).toBeLessThan(1000);
    await harness.end();
  });

  it('doesn’t count requests that left the queue and are not answered yet', async () => {
    const harness = new Harness();
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    for (let i = 0; i < 4; i++) {
      pipeline(peer, 50);
      await harness.settle();
      for (const request of harness.sink.waiting) request.leftQueue();
    }
    expect(harness.sink.waiting).toHaveLength(200);
    await harness.end();
  });

  it('never submits from inside a dispatch', async () => {
    const harness = new Harness();
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    pipeline(peer, 100);
    await harness.settle();
    harness.sink.answerWaiting(64);
    expect(harness.sink.waiting).toHaveLength(0);
    await harness.settle();
    expect(harness.sink.waiting).toHaveLength(36);
    await harness.end();
  });

  it('parses nothing behind an OPN that is not answered yet', async () => {
    const harness = new Harness();
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
    pipeline(peer, 3);
    harness.runtime.turns.runTurn();
    expect(harness.serverTransports[0]?.isPaused).toBe(true);
    expect(harness.sink.waiting).toHaveLength(0);
    await harness.settle();
    expect(harness.sink.waiting).toHaveLength(3);
    await harness.end();
  });
});

describe('reading time of a turn', () => {
  it('BX-03 is shared by all connections, and those that come too late go on in the next turns', async () => {
    const runtime = createManualRuntime();
    const harness = new Harness({ runtime, limits: { readSliceMs: 5 } });
    harness.sink.answersAtOnce = false;
    // Each request costs 1 ms.
    const submit = harness.sink.submit.bind(harness.sink);
    let busyMs = 0;
    harness.sink.submit = (request) => {
      runtime.clock.advance(1);
      busyMs++;
      submit(request);
      request.leftQueue();
    };
    const peers = await Promise.all([harness.open(), harness.open(), harness.open()]);
    for (const peer of peers) pipeline(peer, 20);
    const perTurn: number[] = [];
    while (runtime.turns.pending > 0) {
      busyMs = 0;
      runtime.turns.runTurn();
      perTurn.push(busyMs);
    }
    expect(harness.sink.waiting).toHaveLength(60);
    // A turn's sockets and its queue each have at most a slice; the request that uses it up is finished.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(10);
    await harness.end();
  });

  it('serves waiting connections in the order in which they came', async () => {
    const runtime = createManualRuntime();
    const harness = new Harness({ runtime, limits: { readSliceMs: 5 } });
    harness.sink.answersAtOnce = false;
    const order: number[] = [];
    harness.sink.submit = (request) => {
      runtime.clock.advance(1);
      order.push(request.channel.channelId);
      request.leftQueue();
    };
    const greedy = await harness.open();
    const modest = await harness.open();
    pipeline(greedy, 60);
    pipeline(modest, 1);
    await harness.settle();
    expect(order).toHaveLength(61);
    // The modest one waits for at most two slices of the greedy one.
    expect(order.indexOf(modest.channel.channelId)).toBeLessThanOrEqual(10);
    await harness.end();
  });
});

describe('a peer that doesn’t read', () => {
  const bigResponses = async (limits: object): Promise<{ harness: Harness; peer: MemoryPeer }> => {
    const harness = new Harness({ limits });
    const peer = await harness.open();
    harness.sink.textLength = 60_000;
    peer.transport.pause();
    return { harness, peer };
  };

  it('BX-07 is paced: no further request is read while its responses wait', async () => {
    const { harness, peer } = await bigResponses({ pacedUnsentBytes: 100_000 });
    for (let i = 0; i < 10; i++) {
      readRequest(peer);
      await harness.settle();
    }
    const [connection] = harness.factory.registry;
    expect(connection?.unsentBytes).toBeGreaterThan(100_000);
    expect(connection?.unsentBytes).toBeLessThan(200_000);
    expect(harness.serverTransports[0]?.isPaused).toBe(true);
    expect(harness.sink.heldBack).toEqual([true]);
    peer.transport.resume();
    await harness.settle();
    expect(peer.takeResponses()).toHaveLength(10);
    expect(harness.sink.heldBack.at(-1)).toBe(false);
    expect(harness.serverTransports[0]?.isPaused).toBe(false);
    await harness.end();
  });

  it('BX-07 is paced by the responses to its renewals as well', async () => {
    const { harness, peer } = await bigResponses({ pacedUnsentBytes: 1000 });
    for (let i = 0; i < 50; i++) {
      peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
      await harness.settle();
    }
    const [connection] = harness.factory.registry;
    expect(connection?.unsentBytes).toBeGreaterThan(1000);
    expect(connection?.unsentBytes).toBeLessThan(1300);
    expect(harness.serverTransports[0]?.isPaused).toBe(true);
    peer.transport.resume();
    await harness.settle();
    expect(peer.takeChunks()).toHaveLength(50);
    expect(harness.serverTransports[0]?.isPaused).toBe(false);
    await harness.end();
  });

  it('BX-07 is closed with the reason when it takes nothing for slowReaderTimeoutMs', async () => {
    const { harness, peer } = await bigResponses({ slowReaderTimeoutMs: 30_000 });
    readRequest(peer);
    await harness.settle();
    harness.runtime.clock.advance(29_999);
    await harness.settle();
    expect(harness.factory.diagnostics.closed.SlowReader).toBe(0);
    harness.runtime.clock.advance(1);
    await harness.settle();
    expect(harness.factory.diagnostics.closed.SlowReader).toBe(1);
    expect(harness.runtime.log.of('connection.closed').at(-1)?.fields).toMatchObject({ reason: 'SlowReader' });
    expect(harness.sink.closedChannels).toHaveLength(1);
    await harness.end();
  });

  it('is given another period when it took something', async () => {
    const { harness, peer } = await bigResponses({ slowReaderTimeoutMs: 1000, sendBufferSize: 8192 });
    readRequest(peer);
    await harness.settle();
    for (let i = 0; i < 4; i++) {
      harness.runtime.clock.advance(900);
      peer.transport.resume(8192);
      await harness.settle();
    }
    expect(harness.factory.diagnostics.closed.SlowReader).toBe(0);
    harness.runtime.clock.advance(2000);
    await harness.settle();
    expect(harness.factory.diagnostics.closed.SlowReader).toBe(1);
    await harness.end();
  });

  it('BX-07 is closed when more is unsent than allowed, and not while a response is being given', async () => {
    const { harness, peer } = await bigResponses({ maxMessageSize: 100_000, maxUnsentBytes: 200_000, pacedUnsentBytes: 200_000 });
    harness.sink.answersAtOnce = false;
    pipeline(peer, 10);
    await harness.settle();
    harness.sink.answerWaiting();
    expect(harness.sink.closedChannels).toHaveLength(0);
    await harness.settle();
    expect(harness.sink.closedChannels).toHaveLength(1);
    expect(harness.factory.diagnostics.closed.UnsentLimit).toBe(1);
    await harness.end();
  });
});
