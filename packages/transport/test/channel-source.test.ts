import {
  createManualRuntime,
  MemoryPeer,
  MemoryTransportPair,
  RecordingOwners,
  RecordingProvider,
  rawHello,
  trackLeaks,
} from '@bulkhead/testkit';
import { StatusCodes } from '@bulkhead/types';
import { BlockPool, decodeErrorMessage } from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';
import { ChannelIds } from '../src/channel-ids.ts';
import { ConnectionAdmission, ConnectionLeases } from '../src/connection-admission.ts';
import type { ChannelSource } from '../src/connection-environment.ts';
import { ConnectionRegistry, planConnectionLimits, TransportDiagnostics, UacpConnection } from '../src/index.ts';
import { ReadTurns } from '../src/read-turns.ts';
import { RequestHeadDecoder } from '../src/request-head.ts';
import { ResponseWriter } from '../src/response-writer.ts';
import { SecureChannelSource } from '../src/secure-channel-source.ts';
import type { ServerChannel } from '../src/server-channel.ts';
import { UnsentBytes } from '../src/unsent-bytes.ts';
import { EchoSink, noneEndpoints } from './harness.ts';

/** One connection whose channels can be replaced. */
function connectWith(change: (source: ChannelSource) => ChannelSource) {
  const runtime = createManualRuntime();
  const provider = new RecordingProvider();
  const expectNoLeaks = trackLeaks({ provider, clock: runtime.clock });
  const limits = planConnectionLimits();
  const admission = new ConnectionAdmission(provider, runtime.clock, undefined);
  const blockPool = new BlockPool(limits.receiveBufferSize);
  const source = new SecureChannelSource({
    runtime,
    ids: new ChannelIds(runtime.random),
    endpoints: noneEndpoints,
    minTokenLifetimeMs: 1000,
    maxTokenLifetimeMs: 3_600_000,
    messageTimeoutMs: limits.messageTimeoutMs,
    blockPool,
  });
  const diagnostics = new TransportDiagnostics();
  const environment = {
    runtime,
    provider,
    owners: new RecordingOwners(provider),
    unsent: new UnsentBytes(limits.maxUnsentBytesPerOwner, undefined),
    sink: new EchoSink(runtime.turns),
    limits,
    admission,
    registry: new ConnectionRegistry(),
    diagnostics,
    readTurns: new ReadTurns(runtime.clock, runtime.turns, limits.readSliceMs),
    responseWriter: new ResponseWriter(runtime.clock),
    headDecoder: new RequestHeadDecoder(),
    channels: change(source),
    blockPool,
  };
  const pair = new MemoryTransportPair(runtime.turns);
  const leases = admission.tryAdmit(admission.ownerOf(pair.server.remote.address));
  if (!(leases instanceof ConnectionLeases)) throw new Error('refused');
  pair.server.start(new UacpConnection(environment, pair.server, leases, { startedAtMs: 0, outgoing: undefined }));
  return { runtime, provider, diagnostics, peer: new MemoryPeer(pair.client), expectNoLeaks };
}

describe('a connection and its SecureChannel', () => {
  it('gives the channel’s id back, once, whatever it ends with', () => {
    const created: number[] = [];
    const disposed: number[] = [];
    const { runtime, peer } = connectWith((source) => ({
      create: (hello) => {
        const channel = source.create(hello);
        created.push(channel.channelId);
        return channel;
      },
      disposed: (channelId) => disposed.push(channelId),
    }));
    peer.send(rawHello());
    runtime.turns.runAll();
    expect(created).toHaveLength(1);
    expect(disposed).toEqual([]);
    peer.transport.destroy();
    runtime.turns.runAll();
    expect(disposed).toEqual(created);
  });

  it('RI-38 cuts off a start-up that hangs in this server, and ignores its late end', async () => {
    let finish: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { runtime, peer, provider, diagnostics, expectNoLeaks } = connectWith((source) => ({
      create: (hello) => {
        const channel = source.create(hello);
        const hanging: Partial<ServerChannel> = {
          channelId: channel.channelId,
          receive: () => late.then(() => ({ kind: 'opened', renewal: false, requestId: 1, chunks: [Buffer.from('OPNF')] })),
          dispose: () => channel.dispose(),
        };
        return hanging as ServerChannel;
      },
      disposed: (channelId) => source.disposed(channelId),
    }));
    peer.send(rawHello(), peer.channel.openRequest());
    runtime.turns.runAll();
    peer.takeChunks();
    runtime.clock.advance(120_000);
    expect(diagnostics.closed.HandshakeTimeout).toBe(1);
    expect(provider.usage).toEqual({ Connection: 1 });
    finish();
    await late;
    runtime.turns.runAll();
    expect(peer.takeChunks().map((chunk) => decodeErrorMessage(chunk).error)).toEqual([StatusCodes.BadTimeout]);
    await expectNoLeaks();
  });

  it('RI-38 waits no longer than that for a start-up that hangs after its peer went away', async () => {
    const { runtime, peer, provider, expectNoLeaks } = connectWith((source) => ({
      create: (hello) => {
        const channel = source.create(hello);
        const hanging: Partial<ServerChannel> = {
          channelId: channel.channelId,
          receive: () => new Promise(() => {}),
          dispose: () => channel.dispose(),
        };
        return hanging as ServerChannel;
      },
      disposed: (channelId) => source.disposed(channelId),
    }));
    peer.send(rawHello(), peer.channel.openRequest());
    runtime.turns.runAll();
    peer.transport.destroy();
    runtime.turns.runAll();
    runtime.clock.advance(119_999);
    expect(provider.usage).toEqual({ Handshake: 1 });
    runtime.clock.advance(1);
    expect(provider.usage).toEqual({});
    await expectNoLeaks();
  });

  it('answers an error of this server with BadTcpInternalError, logs it, and tells the peer nothing more', () => {
    const { runtime, peer, diagnostics } = connectWith(() => ({
      create: () => {
        throw new TypeError('secret detail in /srv/app/file.ts');
      },
      disposed: () => {},
    }));
    peer.send(rawHello());
    runtime.turns.runAll();
    const { error, reason } = decodeErrorMessage(peer.takeChunks()[0] as Buffer);
    expect(error).toBe(StatusCodes.BadTcpInternalError);
    expect(reason).not.toContain('secret');
    expect(diagnostics.closed.InternalError).toBe(1);
    expect(runtime.log.of('connection.internalError')).toHaveLength(1);
  });
});
