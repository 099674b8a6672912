import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ClientConnection, openSession, retryAfterMsOf, UNSECURED } from '@bulkhead/client';
import type { ServerOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawReverseListener } from '@bulkhead/testkit';
import { BuiltInType, StatusCodes, Variant } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestClient } from '../client/support.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const trustsAll = { checkTlsCertificate: () => Promise.resolve() };
/** With a reserve for starting up and one for coming back. */
const CHANNELS = 6;
const SHARED = CHANNELS - 2;

let test: TestServer;

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  test = await startTestServer(
    (space) => {
      space.addVariable({ browseName: 'Blob', nodeId: 's=Blob', dataType: 'ByteString', value: Buffer.alloc(8192), writable: true });
    },
    { webSocket: {}, webPort: { port: 0 }, maxSessionCount: 2, maxChannelCount: CHANNELS, ...options },
  );
}

function urlWith(scheme: string): string {
  return test.server.endpointUrls.find((url) => url.startsWith(scheme)) as string;
}

/** One TLS connection to the web port. @returns undefined when the server didn't let it in. */
async function tls(): Promise<TLSSocket | undefined> {
  const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(urlWith('opc.wss')).port), rejectUnauthorized: false });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket));
    socket.once('close', () => resolve(undefined));
  });
}

const open = (scheme: string): Promise<ClientConnection> =>
  ClientConnection.open({ endpointUrl: urlWith(scheme), security: UNSECURED, tlsTrust: trustsAll });

const usedConnections = (): number => test.server.resourceIsolation.getUsage(Stage.Connection);

describe('connections to the web port', () => {
  afterEach(() => test.end());

  it('RL-12 take no more places than there are, however many come at once, and give them back when they are really closed', async () => {
    await start();
    const sockets = (await Promise.all(Array.from({ length: 3 * CHANNELS }, tls))).filter((socket) => socket !== undefined);
    expect(sockets).toHaveLength(SHARED);
    expect(usedConnections()).toBe(SHARED);
    await expect(open('opc.tcp')).rejects.toMatchObject({ statusCode: StatusCodes.BadConnectionClosed });
    sockets[0]?.destroy();
    await expect.poll(usedConnections).toBe(SHARED - 1);
    const channel = await open('opc.wss');
    expect(usedConnections()).toBe(SHARED);
    for (const socket of sockets) socket.destroy();
    await channel.close();
    await expect.poll(usedConnections).toBe(0);
  });

  it('RL-12 count together with those of opc.tcp and those that the server opened itself', async () => {
    const listener = await RawReverseListener.listen();
    await start({ reverseConnect: [{ clientUrl: listener.url }] });
    await listener.next();
    expect(usedConnections()).toBe(1);
    const channels = [await open('opc.tcp'), await open('opc.wss')];
    const sockets = (await Promise.all(Array.from({ length: CHANNELS }, tls))).filter((socket) => socket !== undefined);
    expect(usedConnections()).toBe(SHARED);
    expect(sockets).toHaveLength(SHARED - 3);
    for (const socket of sockets) socket.destroy();
    await Promise.all(channels.map((channel) => channel.close()));
    await listener.close();
    await expect.poll(usedConnections).toBe(0);
  });

  it('RL-03 come from the same bucket as those of opc.tcp, and beyond it get no byte of TLS', async () => {
    await start({ rateLimits: { connectionsPerSecond: 3, connectionBurst: 5 } });
    const first = await open('opc.tcp');
    const sockets = (await Promise.all(Array.from({ length: 8 }, tls))).filter((socket) => socket !== undefined);
    // Of 5 tokens two are kept for protected callers, and one is spent.
    expect(sockets.length).toBeLessThanOrEqual(3);
    for (const socket of sockets) socket.destroy();
    await first.close();
  });

  it.each([
    ['opc.wss', 'binary'],
    ['opc.wss', 'json'],
    ['opc.https', 'binary'],
    ['opc.https', 'json'],
  ] as const)('LM-07 keep to their rate over %s in %s, both ways', async (scheme, encoding) => {
    const bytesPerSecond = 100 * 1024;
    const rate = { bytesPerSecond, burstBytes: 10 * 1024 };
    await start({ bandwidth: { perConnection: { read: rate, write: rate } }, https: {} });
    const client = createTestClient({ autoAcceptUntrustedCertificates: true });
    {
      const security = { mode: 'None' } as const;
      await using session = await openSession(client.application, { endpointUrl: urlWith(scheme), encoding, security });
      for (const step of [
        () => session.readValue('ns=1;s=Blob'),
        () => session.writeValue('ns=1;s=Blob', Variant.scalar(BuiltInType.ByteString, Buffer.alloc(8192))),
      ]) {
        const startMs = performance.now();
        for (let count = 0; count < 10; count++) await step();
        // 80 KiB of values, of which a tenth of a second's worth may come at once.
        expect(performance.now() - startMs).toBeGreaterThan(((10 * 8192 - rate.burstBytes) / bytesPerSecond) * 1000 * 0.9);
      }
    }
    await client.end();
  });

  it('RI-40 RL-12 a client that comes by opc.wss to a full server is turned away without a trace, and gets in once there is room', async () => {
    await start();
    const sockets = await Promise.all(Array.from({ length: SHARED }, tls));
    const refused = await open('opc.wss').catch((error: unknown) => error);
    expect(refused).toMatchObject({ statusCode: StatusCodes.BadCommunicationError });
    expect(retryAfterMsOf(refused)).toBeUndefined();
    sockets[0]?.destroy();
    await expect.poll(usedConnections).toBe(SHARED - 1);
    const channel = await open('opc.wss');
    await channel.close();
    for (const socket of sockets) socket?.destroy();
  });

  it('RI-38 are cut at their deadline whatever they are slow with: TLS, the head of a request, or the Hello behind it', async () => {
    await start({ webPort: { port: 0, startUpTimeoutMs: 150 }, helloTimeoutMs: 150 });
    const { port } = new URL(urlWith('opc.wss'));
    const upgraded = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
    upgraded.write(
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: opcua+uacp\r\n\r\n',
    );
    const slowHead = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
    slowHead.write('GET / HTTP/1.1\r\nHost: ');
    const ends = [upgraded, slowHead].map((socket) => {
      socket.on('error', () => {});
      socket.resume();
      return new Promise((resolve) => socket.once('close', resolve));
    });
    await once(upgraded, 'secureConnect');
    await Promise.all(ends);
    await expect.poll(usedConnections).toBe(0);
  });
});
