import { generateKeyPairSync } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { createApplicationCertificate } from '@bulkhead/security';
import { createManualRuntime, type ManualRuntime } from '@bulkhead/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { ProxyHeaderGate, type ProxyHeaderGateOptions } from '../src/index.ts';

const HEADER = 'PROXY TCP4 192.0.2.7 10.0.0.1 49152 4840\r\n';
const CLIENT = { address: '192.0.2.7', port: 49_152 };
const PROXY = { address: '10.0.0.5', port: 1234 };

interface Accepted {
  readonly remote: { readonly address: string; readonly port: number };
  readonly socket: Socket;
}

let server: Server;
let gate: ProxyHeaderGate;
let runtime: ManualRuntime;
let accepted: Accepted[];
let sockets: Socket[];

async function start(options: Partial<ProxyHeaderGateOptions> = {}, onClient?: (socket: Socket) => void): Promise<void> {
  runtime = createManualRuntime();
  accepted = [];
  sockets = [];
  gate = new ProxyHeaderGate({
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    headerTimeoutMs: 2000,
    maxWaitingConnections: 256,
    runtime,
    ...options,
  });
  server = createServer((socket) => {
    gate.read(socket, PROXY, (remote) => {
      accepted.push({ remote, socket });
      onClient?.(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

const port = (): number => (server.address() as AddressInfo).port;

function open(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port: port(), host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', () => {});
    sockets.push(socket);
  });
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));
const reasons = (): unknown[] => runtime.log.of('proxyHeader.refused').map(({ fields }) => fields['reason']);

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(gate.waitingCount).toBe(0);
  expect(runtime.clock.pendingTimers).toBe(0);
});

describe('ProxyHeaderGate', () => {
  it('knows its proxies by address, mapped or not, and nobody else', async () => {
    await start();
    for (const address of ['10.0.0.1', '::ffff:10.1.2.3', 'fd00::1']) expect(gate.isProxy(address), address).toBe(true);
    for (const address of ['11.0.0.1', '::ffff:11.0.0.1', 'fe80::1', '', 'proxy']) expect(gate.isProxy(address), address).toBe(false);
    expect(() => new ProxyHeaderGate({ trustedProxies: ['10.0.0.1/8'], headerTimeoutMs: 1, maxWaitingConnections: 1, runtime })).toThrow(
      RangeError,
    );
  });

  it('hands a socket over paused, with the client’s address and with what followed the header', async () => {
    await start();
    const socket = await open();
    socket.write(`${HEADER}HELF`);
    await expect.poll(() => accepted.length).toBe(1);
    const [{ remote, socket: taken } = { remote: undefined, socket: undefined }] = accepted;
    expect(remote).toEqual(CLIENT);
    expect(taken?.isPaused()).toBe(true);
    const first = new Promise((resolve) => taken?.once('data', (bytes) => resolve(bytes.toString())));
    taken?.resume();
    expect(await first).toBe('HELF');
    const next = new Promise((resolve) => taken?.once('data', (bytes) => resolve(bytes.toString())));
    socket.write('rest');
    expect(await next).toBe('rest');
    // The listener's own business from now on.
    expect(taken?.listenerCount('error')).toBe(0);
  });

  it('reads a header that comes byte by byte', async () => {
    await start();
    const socket = await open();
    for (const character of `${HEADER}HELF`) {
      socket.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => accepted.length).toBe(1);
    expect(accepted[0]?.remote).toEqual(CLIENT);
    let text = '';
    accepted[0]?.socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    accepted[0]?.socket.resume();
    await expect.poll(() => text).toBe('HELF');
  });

  it('takes a proxy that speaks for itself as the peer that it is', async () => {
    await start();
    (await open()).write('PROXY UNKNOWN\r\n');
    await expect.poll(() => accepted.length).toBe(1);
    expect(accepted[0]?.remote).toEqual(PROXY);
  });

  it('cuts what is no header at once, and says so to the log only', async () => {
    await start();
    const socket = await open();
    const answered: Buffer[] = [];
    socket.on('data', (bytes) => answered.push(bytes));
    socket.write('HELF');
    await closed(socket);
    expect(answered).toEqual([]);
    expect(accepted).toEqual([]);
    expect(runtime.log.of('proxyHeader.refused').map(({ fields }) => fields)).toEqual([{ proxy: '10.0.0.5', reason: 'noSignature' }]);
  });

  it('cuts a header that isn’t complete in time, however steadily it comes', async () => {
    await start({ headerTimeoutMs: 2000 });
    const socket = await open();
    await expect.poll(() => gate.waitingCount).toBe(1);
    socket.write('PROXY TCP4 ');
    runtime.clock.advance(1999);
    expect(gate.waitingCount).toBe(1);
    runtime.clock.advance(1);
    await closed(socket);
    expect(reasons()).toEqual(['late']);
  });

  it('cuts the one that has waited longest for one too many', async () => {
    await start({ maxWaitingConnections: 2 });
    const first = await open();
    await expect.poll(() => gate.waitingCount).toBe(1);
    const second = await open();
    await expect.poll(() => gate.waitingCount).toBe(2);
    const third = await open();
    await closed(first);
    expect(reasons()).toEqual(['crowdedOut']);
    expect(gate.waitingCount).toBe(2);
    second.write(HEADER);
    third.write(HEADER);
    await expect.poll(() => accepted.length).toBe(2);
    expect(gate.waitingCount).toBe(0);
  });

  it('forgets a socket that ends before its header does', async () => {
    await start();
    const ended = await open();
    const cut = await open();
    await expect.poll(() => gate.waitingCount).toBe(2);
    ended.end('PROXY');
    cut.resetAndDestroy();
    await expect.poll(() => gate.waitingCount).toBe(0);
    expect(reasons()).toEqual([]);
    expect(accepted).toEqual([]);
  });

  it('serves an HTTP server as well, with the request in the segment of the header', async () => {
    const http = createHttpServer((request, response) => response.end(`${request.method} ${request.url}`));
    await start({}, (socket) => {
      http.emit('connection', socket);
      socket.resume();
    });
    const socket = await open();
    socket.write(`${HEADER}GET /path HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`);
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*GET \/path$/su);
    http.close();
  });

  it('serves a TLS server as well, with the ClientHello in the segment of the header', async () => {
    const https = createHttpsServer(await makeTlsIdentity(), (request, response) => response.end(request.url));
    await start({}, (socket) => https.emit('connection', socket));
    const secured = connectTls({ socket: behindHeader(await open()), rejectUnauthorized: false });
    secured.write('GET /path HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    expect(await textOf(secured)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\/path$/su);
    https.close();
  });
});

async function textOf(socket: Duplex): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  await new Promise((resolve) => socket.once('end', resolve));
  return text;
}

async function makeTlsIdentity(): Promise<{ key: string; cert: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = await createApplicationCertificate(privateKey, publicKey, {
    applicationUri: 'urn:localhost:tls',
    applicationName: 'tls',
    hostNames: ['localhost'],
    notBeforeMs: Date.now() - 60_000,
  });
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}

/** A socket whose first segment begins with the header. */
function behindHeader(socket: Socket): Duplex {
  let header = Buffer.from(HEADER);
  const stream = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, callback) => {
      socket.write(Buffer.concat([header, bytes]), callback);
      header = Buffer.alloc(0);
    },
  });
  socket.on('data', (bytes) => stream.push(bytes));
  socket.on('end', () => stream.push(null));
  return stream;
}
