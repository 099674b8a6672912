import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { getEndpoints, ManagedSession, openSession, ReconnectPolicy } from '@bulkhead/client';
import { MessageSecurityMode, type NodeId, StatusCodes, Variant } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClient, introduce, type TestClient } from '../client/support.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const VALUE = 'ns=1;s=Speed';
const TEXT = 'ns=1;s=Text';
const WSS_PROFILE = 'http://opcfoundation.org/UA-Profile/Transport/wss-uasc-uabinary';

let test: TestServer;
let client: TestClient;

function wssUrl(): string {
  const url = test.server.endpointUrls.find((each) => each.startsWith('opc.wss:'));
  if (url === undefined) throw new Error('no opc.wss URL');
  return url;
}

/** A WebSocket without a library: the upgrade, then frames by hand. */
async function upgrade(): Promise<ReturnType<typeof connectTls>> {
  const { port } = new URL(wssUrl());
  const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
  socket.on('error', () => {});
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: opcua+uacp\r\n\r\n',
  );
  const [head] = await once(socket, 'data');
  if (!String(head).startsWith('HTTP/1.1 101')) throw new Error(String(head));
  return socket;
}

/** A masked frame; the mask is 0, so that the payload stays as it is. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** @returns the status of the close frame that the server sends. */
async function closeStatus(socket: ReturnType<typeof connectTls>): Promise<number> {
  const pieces: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => pieces.push(bytes));
  await new Promise((resolve) => socket.once('close', resolve));
  const bytes = Buffer.concat(pieces);
  return bytes[0] === 0x88 ? bytes.readUInt16BE(2) : 0;
}

describe('opc.wss', () => {
  beforeEach(async () => {
    test = await startTestServer(
      (space) => {
        space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 0, writable: true });
        space.addVariable({ nodeId: 's=Text', browseName: 'Text', dataType: 'String', value: '', writable: true });
      },
      { webSocket: {}, webPort: { port: 0 } },
    );
    client = createTestClient();
    await introduce(client, test);
  });

  afterEach(async () => {
    await client.end();
    await test.end();
  });

  it('is among the endpoints of discovery by either transport, and CreateSession names those of the transport in use', async () => {
    const tcpUrl = test.server.endpointUrls[0] as string;
    for (const endpointUrl of [tcpUrl, wssUrl()]) {
      const endpoints = await getEndpoints({ endpointUrl, tlsTrust: client.application });
      const profiles = new Set(endpoints.map(({ transportProfileUri }) => transportProfileUri));
      expect(profiles).toContain(WSS_PROFILE);
      expect(profiles.size).toBe(2);
      for (const { endpointUrl: url, transportProfileUri } of endpoints) {
        expect(url?.startsWith('opc.wss:')).toBe(transportProfileUri === WSS_PROFILE);
      }
    }
  });

  it.each([
    ['None', 'None'],
    ['Basic256Sha256', 'SignAndEncrypt'],
  ] as const)('carries a Session with %s, %s: reads, writes, browses and subscribes', async (policy, mode) => {
    await using session = await openSession(client.application, { endpointUrl: wssUrl(), security: { policy, mode } });
    expect(session.connection.security.mode).toBe(MessageSecurityMode[mode]);
    expect(await session.writeValue(VALUE, Variant.double(2.5))).toBe(StatusCodes.Good);
    expect((await session.readValue(VALUE)).value?.value).toBe(2.5);
    expect((await session.browseAll('i=85')).map(({ browseName }) => browseName.name)).toContain('Speed');
    // Larger than one chunk, both ways.
    const text = 'x'.repeat(300_000);
    expect(await session.writeValue(TEXT, Variant.string(text))).toBe(StatusCodes.Good);
    expect((await session.readValue(TEXT)).value?.value).toBe(text);
  });

  it('is refused by a client that does not trust the certificate of the TLS connection', async () => {
    const stranger = createTestClient();
    await expect(openSession(stranger.application, { endpointUrl: wssUrl(), security: { mode: 'None' } })).rejects.toMatchObject({
      statusCode: StatusCodes.BadCertificateUntrusted,
    });
    await stranger.end();
  });

  it('gives a ManagedSession every value of its Subscription after its connection was cut', async () => {
    const proxy = await CuttableProxy.start(Number(new URL(wssUrl()).port));
    const endpointUrl = proxy.endpointUrl.replace('opc.tcp', 'opc.wss');
    const reconnectPolicy = new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 100 });
    {
      await using session = await ManagedSession.connect({ application: client.application, endpointUrl, reconnectPolicy });
      const { sessionId } = session;
      const subscription = await session.subscribe({ publishingIntervalMs: 50 });
      const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0, queueSize: 100 });
      const node = variable(test.server, VALUE);
      const values: unknown[] = [];
      for await (const { value } of item) {
        values.push(value?.value);
        if (values.length === 1) {
          proxy.cut();
          for (let next = 1; next <= 5; next++) node.setValue(next);
          proxy.mend();
        }
        if (value?.value === 5) break;
      }
      expect(values).toEqual([0, 1, 2, 3, 4, 5]);
      expect(session.sessionId?.equals(sessionId as NodeId)).toBe(true);
    }
    await proxy.close();
  });

  it.each([
    ['text', 1, Buffer.from('hello'), 1003],
    ['half a chunk', 2, Buffer.from('HELF\x40\0\0\0', 'latin1'), 1002],
    ['two chunks in a frame', 2, Buffer.from('HELF\x08\0\0\0HELF\x08\0\0\0', 'latin1'), 1002],
  ])('closes on %s with the code for it', async (_name, opcode, payload, status) => {
    const socket = await upgrade();
    socket.write(frame(opcode, payload));
    expect(await closeStatus(socket)).toBe(status);
  });

  it('RI-40 closes with 1009 on the head of a frame that is larger than a chunk may be, apart from pressure', async () => {
    const socket = await upgrade();
    const head = Buffer.alloc(14);
    head[0] = 0x82;
    head[1] = 0xff;
    head.writeBigUInt64BE(1_000_000n, 2);
    socket.write(head);
    expect(await closeStatus(socket)).toBe(1009);
  });
});
