import { ManagedSession, openSession, ReconnectPolicy } from '@bulkhead/client';
import { MiB } from '@bulkhead/opcua';
import { BuiltInType, type NodeId, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClient, introduce, type TestClient } from '../client/support.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { startTestServer, type TestServer, usageOf } from '../support/test-server.ts';

const VALUE = 'ns=1;s=Speed';
const BLOB = 'ns=1;s=Blob';
const BLOBS = Array.from({ length: 30 }, (_, index) => `ns=1;s=Blob.${index}`);
const MAX_MESSAGE_SIZE = 1 * MiB;

/** Every way to a server. */
const transports = [
  ['opc.tcp', 'binary'],
  ['opc.wss', 'binary'],
  ['opc.https', 'binary'],
  ['opc.https', 'json'],
  ['opc.wss', 'json'],
] as const;

let test: TestServer;
let client: TestClient;
let stopsWaiting: (() => void)[] = [];

beforeEach(async () => {
  const blob = Buffer.alloc(100_000, 'x');
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 0, writable: true });
      space.addVariable({ nodeId: 's=Blob', browseName: 'Blob', dataType: 'ByteString', value: null, writable: true });
      for (const nodeId of BLOBS)
        space.addVariable({ nodeId: nodeId.slice(5), browseName: nodeId.slice(7), dataType: 'ByteString', value: blob });
      space.addVariable({
        nodeId: 's=Slow',
        browseName: 'Slow',
        dataType: 'Double',
        read: ({ signal }) =>
          new Promise((resolve) => {
            stopsWaiting.push(() => resolve(1));
            signal.addEventListener('abort', () => resolve(1));
          }),
      });
      space.addMethod({
        nodeId: 's=Double',
        browseName: 'Double',
        inputArguments: [{ name: 'x', dataType: 'Double' }],
        outputArguments: [{ name: 'y', dataType: 'Double' }],
        call: ([x]) => [2 * Number(x)],
      });
    },
    { webSocket: {}, https: {}, webPort: { port: 0 }, maxMessageSize: MAX_MESSAGE_SIZE, minSessionTimeoutMs: 100 },
  );
  client = createTestClient();
  await introduce(client, test);
});

afterEach(async () => {
  for (const stop of stopsWaiting.splice(0)) stop();
  stopsWaiting = [];
  await client.end();
  await test.end();
});

describe.each(transports)('over %s in %s', (scheme, encoding) => {
  const security = { mode: 'None' } as const;
  const endpointUrl = (): string => test.server.endpointUrls.find((url) => url.startsWith(`${scheme}:`)) ?? '';
  const open = (more = {}): ReturnType<typeof openSession> =>
    openSession(client.application, { endpointUrl: endpointUrl(), encoding, security, ...more });

  it('a Session reads, writes, browses and calls, and leaves nothing', async () => {
    const session = await open();
    expect(await session.writeValue(VALUE, Variant.double(2.5))).toBe(StatusCodes.Good);
    expect((await session.readValue(VALUE)).value).toEqual(Variant.double(2.5));
    expect((await session.browseAll('i=85')).map(({ browseName }) => browseName.name)).toContain('Speed');
    expect(await session.callMethod('i=85', 'ns=1;s=Double', [Variant.double(21)])).toEqual([Variant.double(42)]);
    await session.close();
    await expect.poll(() => Object.entries(usageOf(test.server)).filter(([, count]) => count !== 0)).toEqual([]);
  });

  it('a request that is larger than the server takes fails for its sender alone', async () => {
    await using other = await open();
    // It may lose its connection, and then ends by its time-out.
    const sender = await open({ requestedSessionTimeoutMs: 2000 });
    const tooLarge = Variant.scalar(BuiltInType.ByteString, Buffer.alloc(2 * MAX_MESSAGE_SIZE));
    const refused = await sender.writeValue(BLOB, tooLarge).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UaStatusError);
    await sender.close().catch(() => undefined);
    expect((await other.readValue(VALUE)).value).toEqual(Variant.double(0));
  });

  it('a response that is larger than the server sends is BadResponseTooLarge, and the Session goes on', async () => {
    await using session = await open();
    await expect(session.readValues(BLOBS)).rejects.toMatchObject({ statusCode: StatusCodes.BadResponseTooLarge });
    expect(await session.readValues(BLOBS.slice(0, 3))).toHaveLength(3);
  });

  it('a request that nobody waits for any more is given up, and others are answered', async () => {
    await using session = await open();
    const abort = new AbortController();
    const given = session.readValue('ns=1;s=Slow', { signal: abort.signal }).catch((error: unknown) => error);
    await expect.poll(() => stopsWaiting.length).toBe(1);
    abort.abort();
    expect(await given).toMatchObject({ statusCode: StatusCodes.BadRequestCancelledByClient });
    expect((await session.readValue(VALUE)).value).toEqual(Variant.double(0));
  });

  it('a Subscription has every value in its order, also after its connection was cut', async () => {
    const proxy = await CuttableProxy.start(Number(new URL(endpointUrl()).port));
    const url = proxy.endpointUrl.replace('opc.tcp', scheme);
    const reconnectPolicy = new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 100 });
    {
      const options = { application: client.application, endpointUrl: url, encoding, security, reconnectPolicy };
      await using session = await ManagedSession.connect(options);
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

  it('a server that stops tells whoever waits', async () => {
    const session = await open();
    const waiting = session.readValue('ns=1;s=Slow').catch((error: unknown) => error);
    await expect.poll(() => stopsWaiting.length).toBe(1);
    await test.server.stop();
    expect(await waiting).toBeInstanceOf(UaStatusError);
    await session.close().catch(() => undefined);
  });
});
