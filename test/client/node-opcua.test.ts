import { createServer } from 'node:net';
import { ManagedSession, type ManagedSessionEvent, ReconnectPolicy } from '@bulkhead/client';
import { StatusCodes, Variant } from '@bulkhead/types';
import { DataType, OPCUACertificateManager, OPCUAServer, type UAVariable } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClient, type TestClient, urlOf } from './support.ts';

const VALUE = 'ns=1;s=Value';

interface ForeignServer {
  readonly server: OPCUAServer;
  readonly variable: UAVariable;
}

async function startForeignServer(port: number, rootFolder: string): Promise<ForeignServer> {
  const serverCertificateManager = new OPCUACertificateManager({ rootFolder, automaticallyAcceptUnknownCertificate: true });
  await serverCertificateManager.initialize();
  const server = new OPCUAServer({ host: '127.0.0.1', hostname: '127.0.0.1', port, serverCertificateManager });
  await server.initialize();
  const { addressSpace } = server.engine;
  if (!addressSpace) throw new Error('no address space');
  const variable = addressSpace.getOwnNamespace().addVariable({
    organizedBy: addressSpace.rootFolder.objects,
    browseName: 'Value',
    nodeId: 's=Value',
    dataType: DataType.Double,
    minimumSamplingInterval: 10,
    value: { dataType: DataType.Double, value: 0 },
  });
  await server.start();
  return { server, variable };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

describe("a managed session and another stack's server", () => {
  let client: TestClient;
  let port: number;

  beforeAll(async () => {
    client = createTestClient({ autoAcceptUntrustedCertificates: true, checkHostName: false });
    port = await freePort();
  });

  afterAll(() => client.end());

  it('connects secured, browses, reads, writes, subscribes, and survives a restart of the server', async () => {
    const rootFolder = `${client.folder}/foreign`;
    const first = await startForeignServer(port, rootFolder);
    const events: ManagedSessionEvent[] = [];
    let onRecreated: () => void = () => undefined;
    const recreated = new Promise<void>((resolve) => {
      onRecreated = resolve;
    });
    await using session = await ManagedSession.connect({
      application: client.application,
      endpointUrl: urlOf({ port }),
      security: { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' },
      reconnectPolicy: new ReconnectPolicy({ initialDelayMs: 50, maxDelayMs: 500 }),
      onEvent: (event) => {
        events.push(event);
        if (event.kind === 'subscriptionRecreated') onRecreated();
      },
    });
    const names = (await session.browseAll('i=85')).map(({ browseName }) => browseName.name);
    expect(names).toEqual(expect.arrayContaining(['Server', 'Value']));
    expect(await session.writeValue(VALUE, Variant.double(1))).toBe(StatusCodes.Good);
    expect((await session.readValue(VALUE)).value?.value).toBe(1);
    const subscription = await session.subscribe({ publishingIntervalMs: 100 });
    const item = await subscription.monitor(VALUE, { samplingIntervalMs: 10 });
    const values = item[Symbol.asyncIterator]();
    expect((await values.next()).value.value.value).toBe(1);

    await first.server.shutdown(0);
    const second = await startForeignServer(port, rootFolder);
    await recreated;
    expect((await values.next()).value.value.value).toBe(0);
    second.variable.setValueFromSource({ dataType: DataType.Double, value: 5 });
    expect((await values.next()).value.value.value).toBe(5);
    expect(events.filter(({ kind }) => kind === 'established').at(-1)).toEqual({ kind: 'established', isSameSession: false });
    await session.close();
    await second.server.shutdown(0);
  });
});
