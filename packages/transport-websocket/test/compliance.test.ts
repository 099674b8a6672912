import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { ByteTransportEvents } from '@bulkhead/contracts';
import { createManualRuntime, type StartableTransport, startPair, trackLeaks, transportChecks } from '@bulkhead/testkit';
import { remoteAddressOf, type UpgradableConnection } from '@bulkhead/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectWebSocket, UacpUpgradeHandler, type WebSocketByteTransport } from '../src/index.ts';

const MAX_CHUNK_BYTES = 65_536;
const PING_MS = 1_000;
const nobody: ByteTransportEvents = { onBytes: () => {}, onDrain: () => {}, onClosed: () => {} };

/** What the handler starts a transport with; who is told can be said later. */
class Forwarder implements ByteTransportEvents {
  to: ByteTransportEvents = nobody;

  onBytes(bytes: Buffer): void {
    this.to.onBytes(bytes);
  }

  onDrain(): void {
    this.to.onDrain();
  }

  onClosed(): void {
    this.to.onClosed();
  }
}

/** The same transport with another `start`. */
function startedBy(transport: WebSocketByteTransport, start: (events: ByteTransportEvents) => void): StartableTransport {
  return new Proxy(transport, {
    get: (target, name) => {
      if (name === 'start') return start;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a WebSocket transport', () => {
  const expectNoLeaks = trackLeaks();
  const runtime = createManualRuntime();
  let handler: UacpUpgradeHandler;
  let server: Server;

  beforeAll(async () => {
    handler = await UacpUpgradeHandler.create({
      maxChunkBytes: MAX_CHUNK_BYTES,
      idle: { timers: runtime.timers, pingIntervalMs: PING_MS },
    });
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    expect(runtime.clock.pendingTimers).toBe(0);
    await expectNoLeaks();
  });

  const connectPair = async (): Promise<{
    accepted: WebSocketByteTransport;
    told: Forwarder;
    client: WebSocketByteTransport;
  }> => {
    const told = new Forwarder();
    let accepted: WebSocketByteTransport | undefined;
    server.once('upgrade', (request, socket, head) => {
      const open = (transport: WebSocketByteTransport): ByteTransportEvents => {
        accepted = transport;
        return told;
      };
      const remote = remoteAddressOf(request.socket) ?? { address: '', port: 0 };
      const connection = { remote, admission: { open }, upgraded: () => {} } as unknown as UpgradableConnection;
      handler.upgrade({ request, socket, head, connection, protocol: 'opcua+uacp' });
    });
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    const client = await connectWebSocket({
      socket,
      url: `ws://127.0.0.1:${port}/`,
      remote: { address: '127.0.0.1', port },
      maxChunkBytes: MAX_CHUNK_BYTES,
      signal: new AbortController().signal,
    });
    if (accepted === undefined) throw new Error('no upgrade');
    return { accepted, told, client };
  };

  it.each(transportChecks)('$name', async ({ run }) => {
    const { accepted, told, client } = await connectPair();
    // The handler has started its end: only who is told is still to be said.
    const start = (events: ByteTransportEvents): void => {
      told.to = events;
    };
    const pair = startPair({ server: startedBy(accepted, start), client });
    try {
      await run(pair);
    } finally {
      client.destroy();
      accepted.destroy();
    }
    await expect.poll(() => pair.atServer.closes).toBe(1);
  });

  it('pings a peer that is silent, and gives up one that does not answer', async () => {
    const { told, client } = await connectPair();
    let closes = 0;
    told.to = { ...nobody, onClosed: () => closes++ };
    client.start(nobody);
    expect(runtime.clock.pendingTimers).toBe(1);
    // An answer counts: it is not given up at the next interval.
    for (let round = 0; round < 3; round++) {
      runtime.clock.advance(PING_MS);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(closes).toBe(0);
    }
    client.pause();
    runtime.clock.advance(PING_MS);
    runtime.clock.advance(PING_MS);
    await expect.poll(() => closes).toBe(1);
    client.destroy();
    expect(runtime.clock.pendingTimers).toBe(0);
  });
});
