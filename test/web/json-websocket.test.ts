import { getEndpoints } from '@bulkhead/client';
import type { OpcUaServer, ServerOptions } from '@bulkhead/opcua';
import { MiB } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { MessageSecurityMode, StatusCodes } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { handleOf, type Json, JsonWebSocketPeer, resultOf, UpgradeRefused } from './json-websocket-peer.ts';

const PROFILES = 'http://opcfoundation.org/UA-Profile/Transport/';
const readValue = { NodesToRead: [{ NodeId: 'ns=1;s=Speed', AttributeId: 13 }] };

let test: TestServer;
let server: OpcUaServer;
let peers: JsonWebSocketPeer[] = [];

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 21.5, writable: true });
    },
    { https: {}, webPort: { port: 0 }, ...options },
  );
  ({ server } = test);
}

async function connect(protocol?: string, localAddress?: string): Promise<JsonWebSocketPeer> {
  const peer = await JsonWebSocketPeer.connect(server, protocol, localAddress);
  peers.push(peer);
  return peer;
}

async function withSession(): Promise<JsonWebSocketPeer> {
  const peer = await JsonWebSocketPeer.withSession(server);
  peers.push(peer);
  return peer;
}

async function subscribe(peer: JsonWebSocketPeer): Promise<unknown> {
  const { SubscriptionId } = await peer.request('i=787', {
    RequestedPublishingInterval: 50,
    RequestedLifetimeCount: 6000,
    RequestedMaxKeepAliveCount: 2000,
    PublishingEnabled: true,
  });
  return SubscriptionId;
}

afterEach(async () => {
  await Promise.all(peers.map((peer) => peer.end()));
  peers = [];
  await test.end();
});

describe('JSON over WebSockets', () => {
  it('is among the endpoints of discovery, by messages that say what they are and by OpenAPI, without security but that of TLS', async () => {
    await start();
    const endpoints = await getEndpoints({ endpointUrl: server.endpointUrls[0] as string });
    for (const profile of ['wss-uajson', 'wss-uajson-openapi', 'https-uajson', 'https-uajson-openapi']) {
      const found = endpoints.filter(({ transportProfileUri }) => transportProfileUri === `${PROFILES}${profile}`);
      expect(found.length, profile).toBeGreaterThan(0);
      for (const { endpointUrl, securityMode } of found) {
        expect(endpointUrl).toMatch(profile.startsWith('wss') ? /^opc\.wss:/u : /^opc\.https:/u);
        expect(securityMode).toBe(MessageSecurityMode.None);
      }
    }
    // Chunks over WebSockets aren't served here.
    expect(endpoints.some(({ transportProfileUri }) => transportProfileUri === `${PROFILES}wss-uasc-uabinary`)).toBe(false);
  });

  it('carries a Session that reads, writes and subscribes', async () => {
    await start();
    const peer = await withSession();
    expect(await peer.request('i=629', readValue)).toMatchObject({ UaTypeId: 'i=632', Results: [{ UaType: 11, Value: 21.5 }] });
    const SubscriptionId = await subscribe(peer);
    const ItemToMonitor = readValue.NodesToRead[0];
    await peer.request('i=749', {
      SubscriptionId,
      TimestampsToReturn: 2,
      ItemsToCreate: [{ ItemToMonitor, MonitoringMode: 2, RequestedParameters: { ClientHandle: 7, SamplingInterval: 0, QueueSize: 10 } }],
    });
    for (const value of [21.5, 3.5]) {
      const published = await peer.request('i=824', {});
      expect(JSON.stringify(published)).toContain(`"Value":${value}`);
      expect(published).toMatchObject({ UaTypeId: 'i=827', SubscriptionId });
      await peer.request('i=671', { NodesToWrite: [{ ...ItemToMonitor, Value: { UaType: 11, Value: 3.5 } }] });
    }
  });

  it('RI-41 runs messages side by side, so that a waiting Publish holds up no other', async () => {
    await start();
    const peer = await withSession();
    await subscribe(peer);
    // The keep-alive of a new Subscription, then one that waits.
    await peer.request('i=824', {});
    peer.send('i=824', {});
    for (let count = 0; count < 20; count++) peer.send('i=629', readValue);
    const handles = new Set<unknown>();
    for (let count = 0; count < 20; count++) {
      const answer = await peer.receive();
      expect(answer['UaTypeId']).toBe('i=632');
      handles.add(handleOf(answer));
    }
    expect(handles.size).toBe(20);
    expect(server.counts.parkedRequests + server.counts.executingRequests + server.counts.queuedRequests).toBeGreaterThan(0);
  });

  it('RI-41 RI-40 closes with 1013 what has more on its way than one connection may', async () => {
    await start({ https: { maxRequestsPerWebSocket: 4 } });
    const peer = await withSession();
    const other = await withSession();
    await subscribe(peer);
    await peer.request('i=824', {});
    for (let count = 0; count < 5; count++) peer.send('i=824', {});
    expect(await peer.closed).toBe(1013);
    expect(await other.request('i=629', readValue)).toHaveProperty('UaTypeId', 'i=632');
    // Its Session is another's to take up; here it is the server's to end.
    await closeSessionOf(peer, other);
  });

  it('RI-41 charges a message while it arrives and until its answer is out', async () => {
    await start();
    const peer = await withSession();
    await subscribe(peer);
    await peer.request('i=824', {});
    const used = (): number => server.resourceIsolation.getUsage(Stage.ReassemblyBytes);
    await expect.poll(used).toBe(0);
    peer.webSocket.send('{"UaTypeId":"i=629",', { fin: false });
    await expect.poll(used).toBeGreaterThan(0);
    const arriving = used();
    peer.webSocket.send(`"NodesToRead":${' '.repeat(50_000)}`, { fin: false });
    await expect.poll(used).toBeGreaterThan(arriving + 30_000);
    peer.webSocket.send('[]}');
    await peer.receive();
    await expect.poll(used).toBe(0);
    // One that waits is charged what it is long.
    const text = JSON.stringify({ UaTypeId: 'i=824', RequestHeader: { AuthenticationToken: peer.authenticationToken } });
    peer.webSocket.send(text);
    await expect.poll(used).toBe(text.length);
  });

  it.each(['SharedOnly', 'Balanced'] as const)(
    'RI-40 in mode %s a message for which there is no memory closes with 1013, one that is too long for anybody with 1009',
    async (mode) => {
      await start({ resourceIsolation: { mode }, maxMessageSize: 1 * MiB, maxReassemblyBytes: 16 * MiB });
      const large = await connect();
      large.webSocket.send('x'.repeat(1 * MiB + 1));
      expect(await large.closed).toBe(1009);
      const used = (): number => server.resourceIsolation.getUsage(Stage.ReassemblyBytes);
      await expect.poll(used).toBe(0);
      const codes = new Set<number>();
      const half = 'x'.repeat(512 * 1024);
      let closed = false;
      for (let count = 0; count < 80 && !closed; count++) {
        const peer = await connect(undefined, `127.0.0.${2 + (count % 8)}`);
        const before = used();
        peer.webSocket.send(half, { fin: false });
        void peer.closed.then((code) => {
          codes.add(code);
          closed = true;
        });
        const isThere = (): boolean => closed || used() > before;
        await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
      }
      expect([...codes]).toEqual([1013]);
      for (const peer of peers) peer.webSocket.terminate();
      await expect.poll(used).toBe(0);
      const peer = await connect();
      expect(resultOf(await peer.request('i=428', {}))).toBe(0);
    },
  );

  it('RI-41 gives up what waits when the server stops, and closes with 1001', async () => {
    await start();
    const peer = await withSession();
    await subscribe(peer);
    await peer.request('i=824', {});
    peer.send('i=824', {});
    await expect.poll(() => server.resourceIsolation.getUsage(Stage.ReassemblyBytes)).toBeGreaterThan(0);
    await server.stop();
    expect(await peer.closed).toBe(1001);
  });

  it('RI-41 lets nothing run on for a peer that is gone', async () => {
    await start();
    const peer = await withSession();
    const other = await withSession();
    await subscribe(peer);
    await peer.request('i=824', {});
    for (let count = 0; count < 3; count++) peer.send('i=824', {});
    await expect.poll(() => server.resourceIsolation.getUsage(Stage.ReassemblyBytes)).toBeGreaterThan(0);
    peer.webSocket.terminate();
    await expect.poll(() => server.resourceIsolation.getUsage(Stage.ReassemblyBytes)).toBe(0);
    expect(server.counts.connections).toBe(1);
    await closeSessionOf(peer, other);
  });

  it('answers what can not be decoded, and goes on', async () => {
    await start();
    const peer = await withSession();
    for (const text of ['', '7', '{']) {
      peer.webSocket.send(text);
      expect(resultOf(await peer.receive()), text).toBe(StatusCodes.BadDecodingError);
    }
    expect(resultOf(await peer.request('i=629', { NodesToRead: 7 }))).toBe(StatusCodes.BadDecodingError);
    expect(await peer.request('i=629', readValue)).toHaveProperty('UaTypeId', 'i=632');
  });

  it('closes with 1003 on a frame that is no text', async () => {
    await start();
    const peer = await connect();
    peer.webSocket.send(Buffer.from('{}'));
    expect(await peer.closed).toBe(1003);
  });

  it('takes an access token behind the subprotocol, for browsers, and serves nobody else then', async () => {
    const sessionless = {
      allowAnonymous: false,
      validateBearer: (token: string) => token === 'key',
    };
    await start({ https: { sessionless } });
    const page = await connect('opcua+openapi+key');
    expect(page.webSocket.protocol).toBe('opcua+openapi+key');
    expect(await page.request('i=629', readValue)).toMatchObject({ Results: [{ Value: 21.5 }] });
    const stranger = await connect('opcua+openapi+guess');
    stranger.send('i=629', readValue);
    expect(await stranger.closed).toBe(1008);
  });

  it('RI-40 is refused before the upgrade where nobody speaks the subprotocol or JSON is not wanted', async () => {
    await start();
    await expect(connect('opcua+xml')).rejects.toEqual(new UpgradeRefused(400));
    await test.end();
    await start({ https: { json: false } });
    await expect(connect()).rejects.toEqual(new UpgradeRefused(400));
  });

  it('is refused where a page of an unknown origin asks', async () => {
    await start({ webPort: { port: 0, allowedOrigins: ['https://plant.example'] } });
    const { port } = new URL(server.endpointUrls.find((url) => url.startsWith('opc.https:')) ?? '');
    const { WebSocket } = await import('ws');
    const open = (origin: string): Promise<string> =>
      new Promise((resolve) => {
        const webSocket = new WebSocket(`wss://127.0.0.1:${port}/`, 'opcua+uajson', { rejectUnauthorized: false, origin });
        webSocket.on('error', (error) => resolve(error.message));
        webSocket.on('open', () => {
          webSocket.close();
          webSocket.on('close', () => resolve('open'));
        });
      });
    expect(await open('https://evil.example')).toContain('403');
    expect(await open('https://plant.example')).toBe('open');
  });
});

/** A Session outlives its WebSocket: anybody who has its token may end it. */
async function closeSessionOf(gone: JsonWebSocketPeer, other: JsonWebSocketPeer): Promise<void> {
  const RequestHeader: Json = { AuthenticationToken: gone.authenticationToken, RequestHandle: 1 };
  other.webSocket.send(JSON.stringify({ UaTypeId: 'i=471', RequestHeader, DeleteSubscriptions: true }));
  expect(resultOf(await other.receive())).toBe(0);
}
