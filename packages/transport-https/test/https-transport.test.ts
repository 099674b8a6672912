import { Stage } from '@bulkhead/resource-isolation';
import { ReadResponse, ServiceFault, StatusCodes } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, decodeResponse, HttpsTestServer, readRequest } from './https-server.ts';

let server: HttpsTestServer;

afterEach(async () => {
  await server.stop();
  expect(server.transport.connectionCount).toBe(0);
  expect(server.transport.channelCount).toBe(0);
  for (const stage of [Stage.Connection, Stage.Handshake, Stage.ReassemblyBytes]) expect(server.provider.getUsage(stage)).toBe(0);
});

describe('HttpsTransport', () => {
  it('answers a request in OPC UA Binary with a response in OPC UA Binary', async () => {
    server = await HttpsTestServer.start();
    const { statusCode, headers, body } = await server.post(readRequest(42));
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(decodeResponse(ReadResponse, body).responseHeader.requestHandle).toBe(42);
  });

  it('takes the media type of older clients, and requests at a path of its own', async () => {
    server = await HttpsTestServer.start({ paths: ['/UA/Server'] });
    expect((await server.post(readRequest(), { 'content-type': 'application/opcua+uabinary' }, '/UA/Server')).statusCode).toBe(200);
  });

  it('RI-37 serves several requests on one connection with one Connection slot and without a Handshake', async () => {
    server = await HttpsTestServer.start();
    const peer = server.connect();
    for (let count = 1; count <= 3; count++) {
      peer.post(readRequest(count));
      await peer.statuses(count);
      expect(server.provider.getUsage(Stage.Connection)).toBe(1);
      expect(server.provider.getUsage(Stage.Handshake)).toBe(0);
    }
    expect(await peer.statuses(3)).toEqual([200, 200, 200]);
    expect(new Set(server.sink.channels).size).toBe(1);
  });

  it('RI-40 refuses a body for which there is no room with 503 before a byte of it was read', async () => {
    server = await HttpsTestServer.start();
    server.provider.refuse(Stage.ReassemblyBytes, 'Capacity');
    const peer = server.connect();
    peer.post(undefined, { 'content-length': '1000000' });
    expect(await peer.statuses(1)).toEqual([503]);
    await peer.closed;
    expect(peer.received).toMatch(/retry-after: 1\r\n/iu);
    expect(peer.received).toMatch(/connection: close\r\n/iu);
    expect(server.sink.channels).toEqual([]);
  });

  it('RI-43 charges what a request announces before its body comes, and gives it back when it was queued', async () => {
    server = await HttpsTestServer.start();
    server.sink.answersAtOnce = false;
    const body = readRequest();
    const peer = server.connect();
    peer.post(undefined, { 'content-length': String(body.length), expect: '100-continue' });
    expect(await peer.statuses(1)).toEqual([100]);
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(body.length);
    peer.write(body);
    await server.sink.until(() => server.sink.waiting.length === 1);
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(0);
    answer(server.sink.waiting[0] as never);
    expect(await peer.statuses(2)).toEqual([100, 200]);
  });

  it('RI-43 charges the largest message when a request announces no length', async () => {
    server = await HttpsTestServer.start({ limits: { maxMessageSize: 100_000 } });
    const peer = server.connect();
    peer.post(undefined, { 'transfer-encoding': 'chunked', expect: '100-continue' });
    expect(await peer.statuses(1)).toEqual([100]);
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(100_000);
    const body = readRequest();
    peer.write(Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]));
    expect(await peer.statuses(2)).toEqual([100, 200]);
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(0);
  });

  it('gives back what was charged when the peer goes in the middle of a body', async () => {
    server = await HttpsTestServer.start();
    const peer = server.connect();
    peer.post(undefined, { 'content-length': '1000', expect: '100-continue' });
    await peer.statuses(1);
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(1000);
    peer.socket.destroy();
    await server.stop();
    expect(server.provider.getUsage(Stage.ReassemblyBytes)).toBe(0);
  });

  it('refuses what is no request of OPC UA by a status of HTTP', async () => {
    server = await HttpsTestServer.start({ limits: { maxMessageSize: 10_000 } });
    expect((await server.post(readRequest(), {}, '/elsewhere')).statusCode).toBe(404);
    expect((await server.post(readRequest(), { 'content-type': 'text/xml' })).statusCode).toBe(415);
    expect((await server.post(readRequest(), { 'content-encoding': 'gzip' })).statusCode).toBe(415);
    const peer = server.connect();
    peer.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await peer.statuses(1)).toEqual([405]);
    expect(peer.received).toMatch(/allow: POST\r\n/iu);
    const large = server.connect();
    large.post(undefined, { 'content-length': '10001' });
    expect(await large.statuses(1)).toEqual([413]);
    await large.closed;
    const endless = server.connect();
    endless.post(undefined, { 'transfer-encoding': 'chunked' });
    endless.write(`4e20\r\n${'x'.repeat(20_000)}\r\n`);
    expect(await endless.statuses(1)).toEqual([413]);
    await endless.closed;
  });

  it('answers a body that can not be read with a ServiceFault', async () => {
    server = await HttpsTestServer.start();
    const { statusCode, body } = await server.post(Buffer.from('nothing of OPC UA'));
    expect(statusCode).toBe(200);
    expect(decodeResponse(ServiceFault, body).responseHeader.serviceResult).toBe(StatusCodes.BadDecodingError);
  });

  it('bounds what is on its way on one connection, and answers what was within the bound', async () => {
    server = await HttpsTestServer.start({ limits: { maxRequestsPerConnection: 3 } });
    server.sink.answersAtOnce = false;
    const peer = server.connect();
    const all = Buffer.concat([1, 2, 3, 4, 5].map((handle) => postOf(readRequest(handle))));
    peer.write(all);
    await server.sink.until(() => server.sink.waiting.length === 3);
    for (const request of server.sink.waiting) answer(request);
    expect(await peer.statuses(4)).toEqual([200, 200, 200, 503]);
    await peer.closed;
    expect(server.sink.waiting).toHaveLength(3);
  });

  it('gives up the requests of a peer that closes its connection', async () => {
    server = await HttpsTestServer.start();
    server.sink.answersAtOnce = false;
    const peer = server.connect();
    peer.post(readRequest(1));
    peer.post(readRequest(2));
    await server.sink.until(() => server.sink.waiting.length === 2);
    peer.socket.destroy();
    await server.sink.until(() => server.sink.abandoned.length === 2 && server.sink.closedChannels.length === 1);
    answer(server.sink.waiting[0] as never);
    expect(server.sink.waiting[0]?.channel.isOpen).toBe(false);
  });

  it('answers what is open with 503 when it stops', async () => {
    server = await HttpsTestServer.start();
    server.sink.answersAtOnce = false;
    const peer = server.connect();
    peer.post(readRequest());
    await server.sink.until(() => server.sink.waiting.length === 1);
    await server.transport.stop();
    expect(await peer.statuses(1)).toEqual([503]);
    await peer.closed;
  });

  it('cuts off a peer that takes nothing of its answers', async () => {
    server = await HttpsTestServer.start({ limits: { slowReaderTimeoutMs: 200, maxMessageSize: 16 * 1024 * 1024 } });
    const peer = server.connect();
    peer.socket.pause();
    server.sink.answersAtOnce = false;
    peer.post(readRequest());
    await server.sink.until(() => server.sink.waiting.length === 1);
    answer(server.sink.waiting[0] as never, ReadResponse as never, { results: [], diagnosticInfos: largeDiagnostics });
    await server.sink.until(() => server.sink.closedChannels.length === 1);
    expect(server.transport.connectionCount).toBe(0);
  });
});

const largeDiagnostics = Array.from({ length: 100 }, () => ({
  symbolicId: -1,
  namespaceUri: -1,
  locale: -1,
  localizedText: -1,
  additionalInfo: 'x'.repeat(100_000),
  innerStatusCode: undefined,
  innerDiagnosticInfo: undefined,
}));

function postOf(body: Buffer): Buffer {
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
