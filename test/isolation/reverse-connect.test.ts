import { OptionsError, type ReverseConnectOptions, type ServerOptions } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { RawReverseListener, type RawUacpPeer } from '@bulkhead/testkit';
import { StatusCodes } from '@bulkhead/types';
import { encodeErrorMessage } from '@bulkhead/uacp';
import { AttributeIds, ClientReverseConnect, OPCUAClient } from 'node-opcua';
import { describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const APPLICATION_URI = 'urn:test:behind-a-firewall';
const RETRY_MS = 40;

function startServer(clients: readonly Partial<ReverseConnectOptions>[], options: Partial<ServerOptions> = {}): Promise<TestServer> {
  return startTestServer(undefined, {
    applicationUri: APPLICATION_URI,
    reverseConnect: clients.map((client) => ({ clientUrl: '', retryMs: RETRY_MS, maxRetryMs: 4 * RETRY_MS, ...client })),
    ...options,
  });
}

const usage = ({ server }: TestServer, stage: Stage): number => server.resourceIsolation.getUsage(stage);

/** Starts up on a connection that the server opened. */
async function openOver(peer: RawUacpPeer, endpointUrl: string): Promise<void> {
  await peer.hello({ endpointUrl });
  await peer.openNone();
}

describe('a server that connects to its clients', () => {
  it('RI-48 announces itself, is served like one that was called, and keeps the next connection waiting', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url }]);
    const { peer, reverseHello } = await client.next();
    expect(reverseHello).toEqual({ serverUri: APPLICATION_URI, endpointUrl: test.server.endpointUrls[0] });
    expect(client.connectionCount).toBe(1);
    await openOver(peer, reverseHello.endpointUrl);
    const session = await RawSession.over(peer);
    expect((await session.read('i=2255')).results?.[0]?.statusCode).toBe(0);
    const second = await client.next();
    expect(second.reverseHello).toEqual(reverseHello);
    expect(usage(test, Stage.Connection)).toBe(2);
    expect(usage(test, Stage.Handshake)).toBe(1);
    await session.close();
    await client.close();
    await test.server.stop();
  });

  it('RI-48 charges a connection from the dial to the close, and one that is kept for later goes on holding its slot', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url }]);
    const waiting = await client.next();
    expect(usage(test, Stage.Connection)).toBe(1);
    expect(usage(test, Stage.Handshake)).toBe(1);
    await openOver(waiting.peer, waiting.reverseHello.endpointUrl);
    const next = await client.next();
    // Started up and kept: its handshake is over, its slot is not given back.
    await until(() => usage(test, Stage.Connection) === 2 && usage(test, Stage.Handshake) === 1);
    await waiting.peer.closeChannel();
    await until(() => usage(test, Stage.Connection) === 1);
    await next.peer.destroy();
    // A new one takes its place; the client that closed it is tried again.
    await client.next();
    expect(usage(test, Stage.Connection)).toBe(1);
    await test.server.stop();
    expect(usage(test, Stage.Connection)).toBe(0);
    await client.close();
  });

  it('RI-48 waits while its stages are full, and connects once there is room', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url }], {
      maxSessionCount: 1,
      maxChannelCount: 5,
      resourceIsolation: { mode: 'Balanced', stages: [{ stage: 'Connection', ownerHardLimit: 2 }] },
    });
    const used: RawUacpPeer[] = [];
    for (let at = 0; at < 2; at++) {
      const { peer, reverseHello } = await client.next();
      await openOver(peer, reverseHello.endpointUrl);
      used.push(peer);
    }
    const [first] = used;
    await expect(client.next(5 * RETRY_MS)).rejects.toThrow('no connection');
    expect(usage(test, Stage.Connection)).toBe(2);
    await first?.closeChannel();
    const third = await client.next();
    expect(third.reverseHello.serverUri).toBe(APPLICATION_URI);
    await test.server.stop();
    await client.close();
  });

  it('RI-48 comes back later, and later each time, to a client that turns it away', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url, retryMs: 100, maxRetryMs: 10_000 }]);
    const startedAtMs = performance.now();
    for (let at = 0; at < 3; at++) {
      const { peer } = await client.next();
      peer.send(encodeErrorMessage({ error: StatusCodes.BadTcpEndpointUrlInvalid, reason: 'not known here' }));
      await peer.closed;
    }
    await client.next();
    // At least half of 100, 200 and 400 ms.
    expect(performance.now() - startedAtMs).toBeGreaterThan(350);
    await test.server.stop();
    await client.close();
  });

  it('finds a client that begins to listen only later', async () => {
    const gone = await RawReverseListener.listen();
    await gone.close();
    const test = await startServer([{ clientUrl: gone.url }]);
    const client = await RawReverseListener.listen(gone.port);
    const { reverseHello } = await client.next();
    expect(reverseHello.serverUri).toBe(APPLICATION_URI);
    await test.server.stop();
    await client.close();
  });

  it('RI-38 closes a connection that its client keeps longer than start-up may take, and opens a fresh one', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url }], { handshakeTimeoutMs: 300, helloTimeoutMs: 50 });
    const { peer } = await client.next();
    const startedAtMs = performance.now();
    expect((await peer.nextError()).error).toBe(StatusCodes.BadTimeout);
    // The Hello of a client that was called has less time.
    expect(performance.now() - startedAtMs).toBeGreaterThan(200);
    await peer.closed;
    await client.next();
    await test.server.stop();
    await client.close();
  });

  it('stops with connections waiting, in use, and being tried again', async () => {
    const client = await RawReverseListener.listen();
    const test = await startServer([{ clientUrl: client.url }, { clientUrl: 'opc.tcp://127.0.0.1:1' }]);
    const { peer, reverseHello } = await client.next();
    await openOver(peer, reverseHello.endpointUrl);
    await client.next();
    await test.server.stop();
    await peer.closed;
    expect(test.server.counts.connections).toBe(0);
    expect(test.server.counts.timers).toBe(0);
    const before = client.connectionCount;
    await expect(client.next(5 * RETRY_MS)).rejects.toThrow('no connection');
    expect(client.connectionCount).toBe(before);
    await client.close();
  });

  it('refuses an option that makes no sense, by name', async () => {
    const wrong = (client: Partial<ReverseConnectOptions>): Promise<TestServer> => startServer([client]);
    await expect(wrong({ clientUrl: 'http://host:1' })).rejects.toThrow(OptionsError);
    await expect(wrong({ clientUrl: 'opc.tcp://host', retryMs: 0 })).rejects.toThrow('reverseConnect[0].retryMs');
    await expect(wrong({ clientUrl: 'opc.tcp://host', retryMs: 9, maxRetryMs: 8 })).rejects.toThrow('reverseConnect[0].maxRetryMs');
  });
});

describe('a client of another make that listens', () => {
  it('RI-48 is connected to, opens a Session and reads', async () => {
    const listener = new ClientReverseConnect('opc.tcp://127.0.0.1:0');
    await listener.start();
    const test = await startServer([{ clientUrl: `opc.tcp://127.0.0.1:${listener.listeningPort}` }]);
    const client = OPCUAClient.create({ endpointMustExist: false, connectionStrategy: { maxRetry: 0 } });
    await client.connectReverse(listener, { serverUri: APPLICATION_URI });
    const session = await client.createSession();
    const value = await session.read({ nodeId: 'i=2255', attributeId: AttributeIds.Value });
    expect(value.statusCode.value).toBe(0);
    await session.close();
    await client.disconnect();
    await listener.stop();
    await test.server.stop();
  });
});
