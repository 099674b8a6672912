import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getEndpoints, ManagedSession, openSession, ReconnectPolicy, retryAfterMsOf } from '@bulkhead/client';
import { BuiltInType, DateTime, MessageSecurityMode, NodeClass, type NodeId, QualifiedName, StatusCodes, Variant } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createTestClient, introduce, type TestClient } from '../client/support.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const VALUE = 'ns=1;s=Speed';
const schemes = ['opc.https', 'opc.wss'] as const;
const encoding = 'json';

let test: TestServer;
let client: TestClient;

function urlWith(scheme: string): string {
  const url = test.server.endpointUrls.find((each) => each.startsWith(`${scheme}:`));
  if (url === undefined) throw new Error(`no ${scheme} URL`);
  return url;
}

beforeEach(async () => {
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 0, writable: true });
      space.addVariable({ nodeId: 's=Any', browseName: 'Any', dataType: 'BaseDataType', valueRank: -2, value: null, writable: true });
      space.addMethod({
        nodeId: 's=Double',
        browseName: 'Double',
        inputArguments: [{ name: 'x', dataType: 'Double' }],
        outputArguments: [{ name: 'y', dataType: 'Double' }],
        call: ([x]) => [2 * Number(x)],
      });
    },
    {
      https: {},
      webPort: { port: 0 },
      security: { policies: ['None'], allowAnonymous: true, validateUser: (_name, password) => password === 'secret' },
    },
  );
  client = createTestClient();
  await introduce(client, test);
});

afterEach(async () => {
  await client.end();
  await test.end();
});

describe.each(schemes)('a client that speaks JSON over %s', (scheme) => {
  it('finds its endpoint, and opens a Session that reads, writes, browses and calls', async () => {
    const endpointUrl = urlWith(scheme);
    const endpoints = await getEndpoints({ endpointUrl, encoding, tlsTrust: client.application });
    expect(endpoints.some(({ transportProfileUri }) => transportProfileUri?.endsWith('-uajson'))).toBe(true);
    await using session = await openSession(client.application, { endpointUrl, encoding });
    expect(session.connection.security.mode).toBe(MessageSecurityMode.None);
    expect(await session.writeValue(VALUE, Variant.double(2.5))).toBe(StatusCodes.Good);
    expect((await session.readValue(VALUE)).value).toEqual(Variant.double(2.5));
    const found = (await session.browseAll('i=85')).find(({ browseName }) => browseName.name === 'Speed');
    // Names of another namespace have this server's indexes.
    expect(found).toMatchObject({ browseName: new QualifiedName(1, 'Speed'), nodeClass: NodeClass.Variable });
    expect(found?.nodeId.toString()).toBe(VALUE);
    const outputArguments = await session.callMethod('i=85', 'ns=1;s=Double', [Variant.double(21)]);
    expect(outputArguments).toEqual([Variant.double(42)]);
  });

  it.each([
    Variant.scalar(BuiltInType.Int64, -(2n ** 63n)),
    Variant.scalar(BuiltInType.Double, Number.NaN),
    Variant.scalar(BuiltInType.Float, Number.NEGATIVE_INFINITY),
    Variant.scalar(BuiltInType.DateTime, DateTime.fromTicks(638_000_000_000_000_001n)),
    Variant.scalar(BuiltInType.ByteString, Buffer.from([0, 255])),
    Variant.array(BuiltInType.String, ['a', null, 'Größe €']),
    Variant.matrix(BuiltInType.Int32, [1, 2, 3, 4, 5, 6], [2, 3]),
    Variant.scalar(BuiltInType.QualifiedName, new QualifiedName(1, 'x')),
  ])('gives back %s as it was written', async (value) => {
    await using session = await openSession(client.application, { endpointUrl: urlWith(scheme), encoding });
    expect(await session.writeValue('ns=1;s=Any', value)).toBe(StatusCodes.Good);
    expect(JSON.stringify((await session.readValue('ns=1;s=Any')).value, texts)).toBe(JSON.stringify(value, texts));
  });

  it('logs in with a password, and is told when it is wrong', async () => {
    const endpointUrl = urlWith(scheme);
    const user = (password: string) => ({ kind: 'userName', userName: 'joe', password }) as const;
    await (await openSession(client.application, { endpointUrl, encoding, user: user('secret') })).close();
    await expect(openSession(client.application, { endpointUrl, encoding, user: user('guess') })).rejects.toMatchObject({
      statusCode: StatusCodes.BadUserAccessDenied,
    });
  });

  it('gets every value of a Subscription after its connection was cut', async () => {
    const proxy = await CuttableProxy.start(Number(new URL(urlWith(scheme)).port));
    const endpointUrl = proxy.endpointUrl.replace('opc.tcp', scheme);
    const reconnectPolicy = new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 100 });
    {
      await using session = await ManagedSession.connect({ application: client.application, endpointUrl, encoding, reconnectPolicy });
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

  it('is told that no endpoint speaks JSON where the server does not', async () => {
    const other = await startTestServer(() => undefined, { https: { json: false }, webSocket: {}, webPort: { port: 0 } });
    await introduce(client, other);
    const endpointUrl = other.server.endpointUrls.find((url) => url.startsWith(`${scheme}:`)) as string;
    const statusCode = scheme === 'opc.wss' ? StatusCodes.BadConnectionRejected : StatusCodes.BadCommunicationError;
    await expect(openSession(client.application, { endpointUrl, encoding })).rejects.toMatchObject({ statusCode });
    await other.end();
  });
});

describe('a client that speaks JSON', () => {
  it('does so over HTTPS and WebSockets alone', async () => {
    const endpointUrl = test.server.endpointUrls[0] as string;
    await expect(openSession(client.application, { endpointUrl, encoding })).rejects.toMatchObject({
      statusCode: StatusCodes.BadTcpEndpointUrlInvalid,
    });
  });

  it.each([
    ['no JSON', 'hello', StatusCodes.BadDecodingError],
    ['no object', '[1]', StatusCodes.BadDecodingError],
    ['another response', '{"UaTypeId":"i=632","ResponseHeader":{"RequestHandle":1}}', StatusCodes.BadDecodingError],
    ['a message that is too long', `{"x":"${'x'.repeat(100_000)}"}`, StatusCodes.BadResponseTooLarge],
  ])('finds out that a server answers with %s', async (_name, text, statusCode) => {
    const http = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(text));
    const sockets = new WebSocketServer({ server: http });
    sockets.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('message', () => socket.send(text));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    for (const scheme of ['opc.http', 'opc.ws']) {
      const limits = { maxMessageSize: 10_000 };
      await expect(getEndpoints({ endpointUrl: `${scheme}://127.0.0.1:${port}`, encoding, limits }), scheme).rejects.toMatchObject({
        statusCode,
      });
    }
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => http.close(resolve));
  });

  it('CL-02 is told when to try again by a server that has no room for a WebSocket', async () => {
    const http = createServer();
    http.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const refused = await getEndpoints({ endpointUrl: `opc.ws://127.0.0.1:${port}`, encoding }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ statusCode: StatusCodes.BadTcpServerTooBusy });
    expect(retryAfterMsOf(refused)).toBe(7000);
    await new Promise((resolve) => http.close(resolve));
  });
});

function texts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value;
}
