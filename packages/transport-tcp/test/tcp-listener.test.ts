import { connect } from 'node:net';
import { Stage } from '@bulkhead/resource-isolation';
import { createEventLoopRuntime, RawUacpPeer, rawChunk } from '@bulkhead/testkit';
import type { ConnectionLimits } from '@bulkhead/transport';
import { ReadRequest, ReadResponse, StatusCodes } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { TcpListener, type TcpListenerOptions } from '../src/index.ts';
import { EchoServer } from './echo-server.ts';

describe('TcpListener', () => {
  let server: EchoServer;

  const start = (limits?: Partial<ConnectionLimits>, options?: Partial<TcpListenerOptions>): Promise<void> => {
    server = new EchoServer(limits, options);
    return server.start();
  };

  const open = async (localAddress?: string): Promise<RawUacpPeer> => {
    const peer = await RawUacpPeer.connect({ port: server.port, ...(localAddress ? { localAddress } : {}) });
    await peer.hello();
    await peer.openNone();
    return peer;
  };

  afterEach(() => server.stop());

  it('serves HEL, OPN, MSG and CLO over a socket', async () => {
    await start();
    const peer = await open();
    const { responseHeader } = await peer.request(ReadRequest, {}, ReadResponse);
    expect(responseHeader.serviceResult).toBe(StatusCodes.Good);
    await peer.closeChannel();
    expect(server.factory.diagnostics.closed.ChannelClosed).toBe(1);
  });

  it('gives the same answers to one byte at a time and to everything in one segment', async () => {
    await start();
    const answers = await Promise.all(
      [true, false].map(async (slowly) => {
        const peer = await open();
        const requests = Array.from({ length: 10 }, (_, i) =>
          peer.channel.request(ReadRequest, { requestHeader: { ...ReadRequest.create().requestHeader, requestHandle: i } }),
        );
        if (slowly) await peer.sendByteByByte(Buffer.concat(requests));
        else peer.send(...requests);
        const answered: unknown[] = [];
        for (let i = 0; i < 10; i++) {
          const { requestId, typeId, header } = await peer.response(i + 2);
          answered.push([requestId, typeId, header.requestHandle, header.serviceResult]);
        }
        await peer.destroy();
        return answered;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it('answers each of 300 pipelined requests once', async () => {
    await start();
    const peer = await open();
    peer.send(...Array.from({ length: 300 }, () => peer.channel.request(ReadRequest)));
    const ids = new Set<number>();
    for (let id = 2; id < 302; id++) ids.add((await peer.response(id)).requestId);
    expect(ids.size).toBe(300);
    await peer.request(ReadRequest, {}, ReadResponse);
  });

  it('delivers megabytes of responses in order to a peer that pauses now and then', async () => {
    await start();
    server.sink.textLength = 300_000;
    const peer = await open();
    peer.pause();
    for (let i = 0; i < 20; i++) peer.sendRequest(ReadRequest);
    await new Promise((resolve) => setImmediate(resolve));
    peer.resume();
    for (let id = 2; id < 22; id++) expect((await peer.response(id)).header.stringTable?.[0]).toHaveLength(300_000);
  });

  it('BX-07 closes a peer that takes nothing and counts why', async () => {
    await start({ slowReaderTimeoutMs: 150 });
    server.sink.textLength = 1_000_000;
    const peer = await open();
    peer.pause();
    for (let i = 0; i < 60; i++) peer.sendRequest(ReadRequest);
    await expect.poll(() => server.factory.diagnostics.closed.SlowReader, { timeout: 5000 }).toBe(1);
    await peer.destroy();
  });

  it('sends ERR before it closes, though the peer goes on sending', async () => {
    await start();
    const peer = await open();
    peer.send(rawChunk('XYZ', 'F', Buffer.alloc(100)), Buffer.alloc(1_000_000));
    expect((await peer.nextError()).error).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    await peer.closed;
  });

  it('tells clients that the server stops', async () => {
    await start();
    const peer = await open();
    server.listener.stopAccepting();
    const closing = server.factory.close();
    expect((await peer.nextError()).error).toBe(StatusCodes.BadServerHalted);
    await closing;
    await expect(RawUacpPeer.connect({ port: server.port })).rejects.toThrow(/ECONNREFUSED/u);
  });

  it('RI-40 closes the socket of a refused connection without a word', async () => {
    await start();
    server.provider.setLimits(Stage.Connection, { perOwner: 1 });
    const first = await open();
    const second = await RawUacpPeer.connect({ port: server.port });
    await expect(second.nextChunk()).rejects.toThrow('the connection was closed');
    const other = await open('127.0.0.2');
    await Promise.all([first.destroy(), other.destroy()]);
    expect(server.factory.diagnostics.refused.OwnerLimit).toBe(1);
  });

  it('RI-39 lets a newcomer take the place of the oldest channel without a Session', async () => {
    await start();
    server.provider.setLimits(Stage.Connection, { total: 2 });
    const oldest = await open();
    const second = await open();
    const third = await open();
    await third.request(ReadRequest, {}, ReadResponse);
    expect((await oldest.nextError()).error).toBe(StatusCodes.BadTcpNotEnoughResources);
    await oldest.closed;
    expect(second.isClosed).toBe(false);
    expect(server.factory.diagnostics.closed.Reclaimed).toBe(1);
  });

  it('drops sockets above its outer bound before anybody hears of them', async () => {
    await start({}, { maxConnections: 1 });
    await open();
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    await new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => {}));
    expect(server.listener.droppedConnections).toBe(1);
    expect(server.factory.diagnostics.acceptedConnections).toBe(1);
  });

  it('survives peers that reset in every state', async () => {
    await start();
    for (const bytes of [0, 1, 8, 40]) {
      const peer = await RawUacpPeer.connect({ port: server.port });
      peer.send(Buffer.from('HELF').subarray(0, bytes));
      await peer.destroy();
    }
    const peer = await open();
    peer.sendRequest(ReadRequest);
    await peer.destroy();
    const other = await open();
    await other.request(ReadRequest, {}, ReadResponse);
  });

  it('frees the first host’s port when the second can’t be listened on', async () => {
    await start();
    const failing = new TcpListener({
      acceptor: server.factory,
      port: server.port,
      hosts: ['127.0.0.2', '127.0.0.1'],
      log: createEventLoopRuntime().log,
    });
    await expect(failing.listen()).rejects.toThrow(/EADDRINUSE/u);
  });
});
