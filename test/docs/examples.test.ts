import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientApplication, ManagedSession } from '@bulkhead/client';
import { OpcUaServer } from '@bulkhead/opcua';
import { RawUacpPeer } from '@bulkhead/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileExamples, type ExampleProgram, writeExamples } from './examples.ts';
import { startPressServer } from './press-server.ts';

const examples = writeExamples();
const ofClients = examples.filter(isOfClient);

/** What the running example has started, and what it has printed. */
let started: { stop(): Promise<void> }[];
let printed: unknown[];
let folder: string;
const home = process.cwd();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulkhead-docs-'));
  process.chdir(folder);
  started = [];
  printed = [];
  vi.stubGlobal('plc', { read: async () => 2.5 });
  vi.stubEnv('GATEWAY_ADDRESS', '127.0.0.9');
  vi.spyOn(console, 'log').mockImplementation((value) => void printed.push(value));
  vi.spyOn(console, 'table').mockImplementation((value) => void printed.push(value));
  const start = OpcUaServer.start.bind(OpcUaServer);
  vi.spyOn(OpcUaServer, 'start').mockImplementation(async (options, addNodes) => {
    const webPort = options.webPort === undefined ? {} : { webPort: { ...options.webPort, port: 0 } };
    const server = await start({ ...options, port: 0, ...webPort }, addNodes);
    started.push(server);
    return server;
  });
  const connect = ManagedSession.connect.bind(ManagedSession);
  vi.spyOn(ManagedSession, 'connect').mockImplementation(async (options, signal) => {
    const session = await connect(options, signal);
    started.push({ stop: () => session.close() });
    return session;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('the examples of the documents', () => {
  it('RI-47 compile', () => {
    expect(examples.length).toBeGreaterThan(5);
    expect(compileExamples()).toBe('');
  });

  it.each(examples.filter((example) => !isOfClient(example)))('RI-47 $name runs', async ({ file }) => {
    await import(file);
    expect(started.length + printed.length).toBeGreaterThan(0);
    await Promise.all(started.map((server) => server.stop()));
  });

  it.each(ofClients)('RI-47 $name gets its answers', async (example) => {
    const server = await startPressServer();
    await introduce(server);
    const run = import(connectedTo(server.endpointUrls[0] as string, example));
    // Some go on for ever.
    await Promise.race([run, vi.waitUntil(() => printed.length >= 2, { timeout: 20_000, interval: 5 })]);
    expect(printed.length).toBeGreaterThan(0);
    await Promise.all(started.map((one) => one.stop()));
    await run;
    await server.stop();
  });

  it('RI-47 name the clients of a dedicated gateway, and nobody else, a trusted owner', async () => {
    const [example] = examples.filter(({ file }) => readFileSync(file, 'utf8').includes('GATEWAY_ADDRESS'));
    await import(copyOf(example as ExampleProgram, 'gateway'));
    const [server] = started as OpcUaServer[];
    const port = Number(new URL(server?.endpointUrls[0] ?? '').port);
    const peers = await Promise.all(['127.0.0.9', '127.0.0.8'].map((localAddress) => RawUacpPeer.connect({ port, localAddress })));
    for (const peer of peers) {
      await peer.hello();
      await peer.openNone();
    }
    const owners = server?.isolation.owners().map(({ key, ownerClass }) => ({ key, ownerClass }));
    expect(owners).toEqual([
      { key: 'plant-control', ownerClass: 'Trusted' },
      { key: 'address:127.0.0.8', ownerClass: 'Shared' },
    ]);
    for (const peer of peers) await peer.closeChannel();
    await server?.stop();
  });
});

function isOfClient({ file }: ExampleProgram): boolean {
  return readFileSync(file, 'utf8').includes("from '@bulkhead/client'");
}

/** The same program with another server's address. */
function connectedTo(url: string, example: ExampleProgram): string {
  return copyOf(example, 'connected', (text) => text.replaceAll(/opc\.tcp:\/\/[\w:.-]+/gu, url));
}

/** A module of its own, to be run once more. */
function copyOf({ file }: ExampleProgram, name: string, change: (text: string) => string = (text) => text): string {
  const path = file.replace(/\.ts$/u, `.${name}.ts`);
  writeFileSync(path, change(readFileSync(file, 'utf8')));
  return path;
}

/** Has the example's client trust the server, as its administrator would. */
async function introduce({ certificateStore }: OpcUaServer): Promise<void> {
  await using client = new ClientApplication({ applicationName: 'Dashboard', pki: { folder: './pki' } });
  await client.certificateStore();
  const { thumbprint, der } = certificateStore.certificate;
  writeFileSync(join('pki/trusted/certs', `${thumbprint}.der`), der);
}
