import { Stage } from '@bulkhead/resource-isolation';
import { MemoryPeer, MemoryTransportPair, RecordingProvider, rawHello } from '@bulkhead/testkit';
import { SecurityTokenRequestType, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { IncomingConnection } from '../src/index.ts';
import { Harness, readRequest, sessionOn, takeError } from './harness.ts';

describe('admission of connections', () => {
  it('RI-37 asks Connection, then Handshake, before anything exists for a connection', async () => {
    const harness = new Harness();
    harness.provider.refuse(Stage.Connection, 'Capacity');
    const peer = harness.connect();
    expect(harness.provider.admissions.map(({ stage }) => stage)).toEqual([Stage.Connection]);
    expect(harness.runtime.clock.pendingTimers).toBe(0);
    expect(harness.factory.registry.connectionCount).toBe(0);
    await harness.settle();
    expect(peer.isClosed).toBe(true);
    expect(peer.takeChunks()).toEqual([]);
    harness.provider.refuse(Stage.Connection, undefined);
    harness.provider.refuse(Stage.Handshake, 'Capacity');
    harness.connect();
    expect(harness.provider.admissions.slice(1).map(({ stage }) => stage)).toEqual([Stage.Connection, Stage.Handshake]);
    expect(harness.provider.usage).toEqual({});
    expect(harness.factory.diagnostics.refused.Capacity).toBe(2);
    await harness.end();
  });

  it('RI-27 holds Connection until the transport is closed and Handshake until the channel is open', async () => {
    const harness = new Harness();
    const peer = harness.connect();
    expect(harness.provider.usage).toEqual({ Connection: 1, Handshake: 1 });
    await harness.open(peer);
    expect(harness.provider.usage).toEqual({ Connection: 1 });
    peer.send(rawHello());
    harness.runtime.turns.runTurn();
    expect(harness.factory.diagnostics.closed.MessageTypeInvalid).toBe(1);
    expect(harness.provider.usage).toEqual({ Connection: 1 });
    await harness.settle();
    expect(harness.provider.usage).toEqual({});
    await harness.end();
  });

  it('RI-27 holds Handshake as long as an OPN is worked on, even if the peer goes away meanwhile', async () => {
    const harness = new Harness();
    const peer = harness.connect();
    peer.send(rawHello(), peer.channel.openRequest());
    harness.runtime.turns.runTurn();
    peer.transport.destroy();
    harness.runtime.turns.runAll();
    expect(harness.factory.diagnostics.closed.PeerClosed).toBe(1);
    expect(harness.provider.usage).toEqual({ Handshake: 1 });
    await harness.settle();
    expect(harness.provider.usage).toEqual({});
    await harness.end();
  });

  it('RI-27 holds Handshake again during a renewal', async () => {
    const harness = new Harness();
    const peer = await harness.open();
    peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
    harness.runtime.turns.runTurn();
    expect(harness.provider.usage).toEqual({ Connection: 1, Handshake: 1 });
    await harness.settle();
    expect(harness.provider.usage).toEqual({ Connection: 1 });
    harness.provider.refuse(Stage.Handshake, 'Capacity');
    peer.channel.acceptOpen(peer.takeChunks()[0] as Buffer);
    peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    expect(harness.factory.diagnostics.closed.NotEnoughResources).toBe(1);
    await harness.end();
  });

  it('RI-40 answers refused chunk memory with BadTcpNotEnoughResources and closes', async () => {
    const harness = new Harness();
    const peer = await harness.open();
    harness.provider.refuse(Stage.ReassemblyBytes, 'OwnerLimit');
    peer.send(peer.channel.chunk('MSG', 'C', 2, Buffer.alloc(1000)));
    await harness.settle();
    expect(takeError(peer).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    expect(harness.provider.usage).toEqual({});
    await harness.end();
  });

  it('RL-03 RI-37 lets in what the rate gate allows, and keeps nothing of what it refuses', async () => {
    let tokens = 2;
    const harness = new Harness({ rateGate: { tryAdmit: () => tokens-- > 0 } });
    const peers = [harness.connect(), harness.connect(), harness.connect()];
    expect(harness.provider.usage).toEqual({ Connection: 2, Handshake: 2 });
    await harness.settle();
    expect(peers.map((peer) => peer.isClosed)).toEqual([false, false, true]);
    expect(harness.factory.registry.connectionCount).toBe(2);
    expect(harness.factory.diagnostics.refused.RateLimit).toBe(1);
    await harness.end();
  });

  it('RL-14 tells the rate gate whose connection it is, and asks it for nobody who is over a limit of its own', async () => {
    const asked: string[] = [];
    const provider = new RecordingProvider({ Connection: { total: 9, perOwner: 1 } });
    const harness = new Harness({ provider, rateGate: { tryAdmit: (_nowMs, owner) => asked.push(owner.key) > 0 } });
    await harness.open(harness.connectFrom('10.0.0.1'));
    const greedy = harness.connectFrom('10.0.0.1');
    await harness.settle();
    expect(greedy.isClosed).toBe(true);
    expect(harness.factory.diagnostics.refused).toMatchObject({ OwnerLimit: 1, RateLimit: 0 });
    expect(asked).toEqual([provider.classifyIngress('10.0.0.1').key]);
    await harness.end();
  });

  it('RI-37 admits a connection that says only later what it carries, and hands it over with its leases and its time', async () => {
    const provider = new RecordingProvider({ Connection: { total: 2, perOwner: 1 } });
    const harness = new Harness({ provider, limits: { handshakeTimeoutMs: 100, helloTimeoutMs: 90 } });
    const { factory, runtime } = harness;
    const web = factory.admitIncoming('10.0.0.1') as IncomingConnection;
    expect([factory.admitIncoming('10.0.0.1'), provider.getUsage(Stage.Handshake)]).toEqual(['OwnerLimit', 1]);
    web.endHandshake();
    expect([provider.getUsage(Stage.Connection), provider.getUsage(Stage.Handshake)]).toEqual([1, 0]);
    web.close();
    web.close();
    const upgraded = factory.admitIncoming('10.0.0.1') as IncomingConnection;
    runtime.clock.advance(60);
    const pair = new MemoryTransportPair(runtime.turns, {});
    pair.server.start(upgraded.open(pair.server));
    upgraded.close();
    expect([provider.getUsage(Stage.Connection), factory.registry.connectionCount]).toEqual([1, 1]);
    const peer = new MemoryPeer(pair.client);
    runtime.clock.advance(40);
    await harness.settle();
    expect(peer.isClosed).toBe(true);
    expect(factory.diagnostics).toMatchObject({ acceptedConnections: 2 });
    await harness.end();
  });

  it('gives every lease back whatever state a connection ends in', async () => {
    const harness = new Harness();
    const hello = harness.connect();
    hello.send(rawHello());
    const open = await harness.open();
    const partial = await harness.open();
    partial.send(partial.channel.chunk('MSG', 'C', 2, Buffer.alloc(1000)));
    const renewing = await harness.open();
    renewing.send(renewing.channel.openRequest(SecurityTokenRequestType.Renew));
    harness.runtime.turns.runTurn();
    expect(harness.provider.usage).toEqual({ Connection: 4, Handshake: 2, ReassemblyBytes: 8192 });
    for (const peer of [hello, open, partial, renewing]) peer.transport.destroy();
    await harness.settle();
    expect(harness.provider.usage).toEqual({});
    await harness.end();
  });

  it('refuses connections once it is closed', async () => {
    const harness = new Harness();
    const peer = await harness.open();
    const closing = harness.factory.close();
    await harness.settle();
    await closing;
    expect(takeError(peer).error).toBe(StatusCodes.BadServerHalted);
    const late = harness.connect();
    await harness.settle();
    expect(late.isClosed).toBe(true);
    expect(harness.factory.diagnostics.refused.Shutdown).toBe(1);
    await harness.end();
  });
});

describe('reclaiming channels without a Session', () => {
  const full = (total: number, perOwner?: number): Harness =>
    new Harness({ provider: new RecordingProvider({ Connection: { total, ...(perOwner ? { perOwner } : {}) } }) });

  it('RI-39 closes the oldest one for a newcomer', async () => {
    const harness = full(3);
    const oldest = await harness.open();
    harness.runtime.clock.advance(1);
    const second = await harness.open();
    harness.runtime.clock.advance(1);
    const third = await harness.open();
    const newcomer = await harness.open();
    expect([oldest, second, third, newcomer].map((peer) => peer.isClosed)).toEqual([true, false, false, false]);
    readRequest(newcomer);
    await harness.settle();
    expect(newcomer.takeResponses()).toHaveLength(1);
    expect(harness.provider.getUsage(Stage.Connection)).toBe(3);
    await harness.end();
  });

  it('RI-39 spares a channel with a Session, a partial message, an unsent response, a request in flight or a renewal', async () => {
    const harness = full(6);
    harness.sink.answersAtOnce = false;
    const bound = await harness.open();
    harness.factory.registry.setSession(bound.channel.channelId, sessionOn(bound));
    const partial = await harness.open();
    partial.send(partial.channel.chunk('MSG', 'C', 2, Buffer.alloc(10)));
    const halfChunk = await harness.open();
    halfChunk.send(Buffer.from('MSGF'));
    const inFlight = await harness.open();
    readRequest(inFlight);
    const unsent = await harness.open();
    unsent.transport.pause();
    readRequest(unsent);
    await harness.settle();
    for (const request of harness.sink.waiting) if (request.channel.channelId === unsent.channel.channelId) harness.sink.answer(request);
    await harness.settle();
    const starting = harness.connect();
    const refused = harness.connect();
    await harness.settle();
    expect(refused.isClosed).toBe(true);
    for (const peer of [bound, partial, halfChunk, inFlight, unsent, starting]) expect(peer.isClosed).toBe(false);
    expect(harness.factory.diagnostics.refused.Capacity).toBe(1);
    await harness.end();
  });

  it('RI-39 never makes room for a caller over its own limit', async () => {
    const harness = full(3, 2);
    await harness.open(harness.connectFrom('10.0.0.1'));
    await harness.open(harness.connectFrom('10.0.0.1'));
    const other = await harness.open(harness.connectFrom('10.0.0.2'));
    const greedy = harness.connectFrom('10.0.0.1');
    await harness.settle();
    expect(greedy.isClosed).toBe(true);
    expect(other.isClosed).toBe(false);
    expect(harness.factory.diagnostics.closed.Reclaimed).toBe(0);
    expect(harness.factory.diagnostics.refused.OwnerLimit).toBe(1);
    await harness.end();
  });

  it('RI-39 closes no channel for a newcomer that gets no handshake', async () => {
    const harness = full(2);
    const idle = await harness.open();
    await harness.open();
    harness.provider.refuse(Stage.Handshake, 'Capacity');
    const newcomer = harness.connect();
    await harness.settle();
    expect([idle.isClosed, newcomer.isClosed]).toEqual([false, true]);
    expect(harness.factory.diagnostics.refused.Capacity).toBe(1);
    await harness.end();
  });

  it('RI-39 closes one channel per newcomer that is admitted, however many of one caller come at once', async () => {
    const harness = full(4, 2);
    const idle = [];
    for (const host of [1, 2, 3, 4]) idle.push(await harness.open(harness.connectFrom(`10.0.0.${host}`)));
    const burst = Array.from({ length: 5 }, () => harness.connectFrom('10.0.0.9'));
    await harness.settle();
    expect(burst.filter((peer) => !peer.isClosed)).toHaveLength(2);
    expect(harness.factory.diagnostics.closed.Reclaimed).toBe(2);
    expect(idle.filter((peer) => !peer.isClosed)).toHaveLength(2);
    expect(harness.factory.diagnostics.refused.OwnerLimit).toBe(3);
    expect(harness.provider.usage).toEqual({ Connection: 4, Handshake: 2 });
    await harness.end();
  });

  it('RL-14 RI-39 never makes room when the rate gate refuses', async () => {
    const harness = new Harness({
      provider: new RecordingProvider({ Connection: { total: 1 } }),
      rateGate: { tryAdmit: (nowMs) => nowMs < 10 },
    });
    const peer = await harness.open();
    harness.runtime.clock.advance(10);
    harness.connect();
    await harness.settle();
    expect(peer.isClosed).toBe(false);
    expect(harness.factory.diagnostics.refused).toMatchObject({ RateLimit: 1, Capacity: 0 });
    await harness.end();
  });

  it('RL-14 takes one token for a newcomer that has to wait for its place, and one if there is no place to be had', async () => {
    let asked = 0;
    const harness = new Harness({
      provider: new RecordingProvider({ Connection: { total: 1 } }),
      rateGate: { tryAdmit: () => ++asked > 0 },
    });
    const old = await harness.open();
    const newcomer = await harness.open();
    expect([old.isClosed, newcomer.isClosed, asked]).toEqual([true, false, 2]);
    harness.factory.registry.setSession(newcomer.channel.channelId, sessionOn(newcomer));
    const refused = harness.connect();
    await harness.settle();
    expect([refused.isClosed, newcomer.isClosed, asked]).toEqual([true, false, 3]);
    await harness.end();
  });

  it('can take a channel again once its Session is gone', async () => {
    const harness = full(1);
    const peer = await harness.open();
    harness.factory.registry.setSession(peer.channel.channelId, sessionOn(peer));
    const early = harness.connect();
    await harness.settle();
    expect(early.isClosed).toBe(true);
    harness.factory.registry.setSession(peer.channel.channelId, undefined);
    await harness.open();
    expect(peer.isClosed).toBe(true);
    await harness.end();
  });

  it('forgets a newcomer that goes away before its turn comes', async () => {
    const harness = full(1);
    const peer = await harness.open();
    const newcomer = harness.connect();
    newcomer.transport.destroy();
    await harness.settle();
    expect([peer.isClosed, newcomer.isClosed]).toEqual([true, true]);
    expect(harness.provider.usage).toEqual({});
    await harness.open();
    await harness.end();
  });

  it('takes one channel per newcomer', async () => {
    const harness = full(3);
    const old = [await harness.open(), await harness.open(), await harness.open()];
    const newcomers = [harness.connect(), harness.connect()];
    await harness.settle();
    expect(old.map((peer) => peer.isClosed)).toEqual([true, true, false]);
    for (const peer of newcomers) await harness.open(peer);
    expect(harness.factory.registry.openChannelCount).toBe(3);
    await harness.end();
  });
});
