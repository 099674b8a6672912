import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Stage } from '@bulkhead/resource-isolation';
import { createManualRuntime, RecordingLogger, RecordingOwners, RecordingProvider, trackLeaks } from '@bulkhead/testkit';
import { type ConnectionRateGate, UacpConnectionFactory, type UpgradeRequest } from '@bulkhead/transport';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TlsIdentity, WebPort, type WebPortOptions } from '../src/index.ts';
import { makeTlsIdentity } from './tls-identity.ts';

let tls: TlsIdentity;
let provider: RecordingProvider;
let rateGate: ConnectionRateGate | undefined;
let port: WebPort;
let factory: UacpConnectionFactory;
let expectNoLeaks: () => Promise<void>;

async function listen(options: Partial<WebPortOptions> = {}): Promise<number> {
  const runtime = createManualRuntime();
  factory = new UacpConnectionFactory({
    runtime,
    provider,
    owners: new RecordingOwners(provider),
    sink: {
      submit: () => {},
      refuse: () => {},
      requestAbandoned: () => {},
      channelClosed: () => {},
      channelHeldBack: () => {},
      onTurnEnd: () => {},
    },
    endpoints: { securityModes: () => [], identity: () => undefined, validateClientCertificate: () => Promise.resolve() },
    ...(rateGate === undefined ? {} : { rateGate }),
  });
  port = new WebPort({ gate: factory, port: 0, host: '127.0.0.1', tls, log: new RecordingLogger(), ...options });
  return (await port.listen()).port;
}

/** @returns everything that came until the other side closed. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  // `once` would throw for the error that comes before.
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** One HTTPS request; @returns status and body. */
async function get(portNumber: number, agent: Agent): Promise<[number | undefined, string]> {
  const outgoing = request({ host: '127.0.0.1', port: portNumber, agent, rejectUnauthorized: false });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  let body = '';
  for await (const bytes of response) body += String(bytes);
  return [response.statusCode, body];
}

describe('WebPort', () => {
  beforeAll(async () => {
    tls = await makeTlsIdentity();
  });

  beforeEach(() => {
    provider = new RecordingProvider();
    rateGate = undefined;
    expectNoLeaks = trackLeaks({ provider });
  });

  afterEach(async () => {
    await port.close();
    await factory.close();
    await expectNoLeaks();
  });

  it('RI-37 refuses before TLS: the peer gets no byte, and nothing is kept for it', async () => {
    provider = new RecordingProvider({ Connection: { total: 1 } });
    expectNoLeaks = trackLeaks({ provider });
    const number = await listen();
    const first = connectTls({ host: '127.0.0.1', port: number, rejectUnauthorized: false });
    await once(first, 'secureConnect');
    const refused = createConnection({ host: '127.0.0.1', port: number });
    refused.write(Buffer.from('160301', 'hex'));
    expect(await received(refused)).toBe('');
    expect(factory.diagnostics.refused.Capacity).toBe(1);
    expect(port.connectionCount).toBe(1);
    first.destroy();
  });

  it('RL-03 the rate gate lets no more connections in than it has tokens, before any TLS', async () => {
    let tokens = 2;
    rateGate = { tryAdmit: () => tokens-- > 0 };
    const number = await listen();
    let handshakes = 0;
    port.server.on('secureConnection', () => handshakes++);
    const peers = Array.from({ length: 6 }, () => connectTls({ host: '127.0.0.1', port: number, rejectUnauthorized: false }));
    const outcomes = await Promise.all(
      peers.map((peer) =>
        Promise.race([once(peer, 'secureConnect').then(() => 'in'), once(peer, 'close').then(() => 'out')]).catch(() => 'out'),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(2);
    expect([handshakes, factory.diagnostics.refused.RateLimit]).toEqual([2, 4]);
    for (const peer of peers) peer.destroy();
  });

  it('RI-37 several requests on one connection take one slot, and its handshake ends with the first of them', async () => {
    const number = await listen();
    const seen: (number | undefined)[] = [];
    port.server.on('request', (incoming, response) => {
      seen.push(port.connectionOf(incoming.socket)?.id);
      response.end(`${provider.getUsage(Stage.Connection)} ${provider.getUsage(Stage.Handshake)}`);
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await get(number, agent)).toEqual([200, '1 0']);
    expect(await get(number, agent)).toEqual([200, '1 0']);
    expect(seen).toEqual([1, 1]);
    agent.destroy();
  });

  it('RI-38 cuts off who connects and says nothing, or never ends a head', async () => {
    const number = await listen({ startUpTimeoutMs: 100 });
    const silent = createConnection({ host: '127.0.0.1', port: number });
    const slow = connectTls({ host: '127.0.0.1', port: number, rejectUnauthorized: false });
    slow.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await Promise.all([received(silent), received(slow)]);
    await vi.waitFor(() => expect(port.connectionCount).toBe(0));
  });

  it.each([
    ['no protocol', {}, 400],
    ['a foreign protocol', { 'Sec-WebSocket-Protocol': 'chat, mqtt' }, 400],
    ['a page of another origin', { 'Sec-WebSocket-Protocol': 'opcua+uacp', Origin: 'https://elsewhere.example' }, 403],
    ['a server without room', { 'Sec-WebSocket-Protocol': 'mqtt, opcua+uacp', Origin: 'https://Plant.example' }, 503],
  ])('refuses an upgrade by %s before anything is upgraded', async (_name, headers, status) => {
    const number = await listen({ allowedOrigins: ['https://plant.example'] });
    const asked: UpgradeRequest[] = [];
    port.addUpgradeHandler({
      takes: (protocol) => protocol === 'opcua+uacp',
      upgrade: (upgrade) => {
        asked.push(upgrade);
        return 503;
      },
    });
    const peer = connectTls({ host: '127.0.0.1', port: number, rejectUnauthorized: false });
    const lines = Object.entries({ Host: 'x', Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', ...headers });
    peer.write(`GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    expect(await received(peer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `, 'u'));
    expect(asked.map(({ protocol }) => protocol)).toEqual(status === 503 ? ['opcua+uacp'] : []);
  });

  it('shows new connections the certificate that it was told to reload', async () => {
    const number = await listen();
    const shown = async (): Promise<string> => {
      const peer = connectTls({ host: '127.0.0.1', port: number, rejectUnauthorized: false });
      await once(peer, 'secureConnect');
      const { fingerprint256 } = peer.getPeerCertificate();
      peer.destroy();
      return fingerprint256;
    };
    const before = await shown();
    port.reloadIdentity(await makeTlsIdentity('renewed'));
    expect(await shown()).not.toBe(before);
  });

  it('serves plain HTTP where a proxy ends TLS', async () => {
    const number = await listen({ tls: undefined });
    port.server.on('request', (_incoming, response) => response.end('plain'));
    const peer = createConnection({ host: '127.0.0.1', port: number });
    peer.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await received(peer)).toContain('plain');
  });
});
