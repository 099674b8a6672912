import { afterEach, describe, expect, it } from 'vitest';
import { HttpsTestServer, readRequest } from './https-server.ts';

let server: HttpsTestServer;

afterEach(() => server.stop());

const PREFLIGHT = 'OPTIONS / HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: POST\r\nOrigin: ';

describe('pages of other origins', () => {
  it('are refused before their body is read unless they are allowed', async () => {
    server = await HttpsTestServer.start();
    expect((await server.post(readRequest(), { origin: 'https://evil.example' })).statusCode).toBe(403);
    expect((await server.post(readRequest())).statusCode).toBe(200);
    const peer = server.connect();
    peer.write(`${PREFLIGHT}https://evil.example\r\n\r\n`);
    expect(await peer.statuses(1)).toEqual([403]);
    expect(peer.received).not.toMatch(/access-control/iu);
  });

  it('may send requests when they are allowed, and are told so before', async () => {
    server = await HttpsTestServer.start({ allowedOrigins: ['https://Plant.example'] });
    const answer = await server.post(readRequest(), { origin: 'https://plant.example' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe('https://plant.example');
    expect(answer.headers.vary).toBe('Origin');
    const peer = server.connect();
    peer.write(`${PREFLIGHT}https://plant.example\r\n\r\n`);
    expect(await peer.statuses(1)).toEqual([204]);
    expect(peer.received).toMatch(/access-control-allow-headers: .*content-type/iu);
    expect((await server.post(readRequest(), { origin: 'https://plant.example.evil' })).statusCode).toBe(403);
  });
});
