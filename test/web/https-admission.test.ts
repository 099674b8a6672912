import { connect, type TLSSocket } from 'node:tls';
import { addOpcUa, MiB } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { GetEndpointsRequest, GetEndpointsResponse, ReadRequest, ReadResponse } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { HttpsPeer } from './https-peer.ts';

let test: TestServer;
let sockets: TLSSocket[] = [];
let peers: HttpsPeer[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const peer of peers) peer.close();
  sockets = [];
  peers = [];
  await test.end();
});

function httpsPort(): number {
  return Number(new URL(test.server.endpointUrls.find((each) => each.startsWith('opc.https:')) ?? '').port);
}

/** Sends the head of a request, and waits until `found` is in what comes back. */
function begin(contentLength: number, found: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: httpsPort(), host: '127.0.0.1', rejectUnauthorized: false });
    sockets.push(socket);
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (found.test(text)) resolve(text);
    });
    socket.on('error', reject);
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${contentLength}\r\nExpect: 100-continue\r\n\r\n`,
    );
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('what HTTPS bodies may take', () => {
  it.each(['SharedOnly', 'Balanced'] as const)(
    'RI-40 RI-43 in mode %s a body is refused with 503 before it is sent while others fill the memory for bodies, and served afterwards',
    async (mode) => {
      const limits = { maxMessageSize: 1 * MiB, maxReassemblyBytes: 16 * MiB };
      test = await startTestServer(() => undefined, { https: {}, webPort: { port: 0 }, resourceIsolation: { mode }, ...limits });
      let refused: string | undefined;
      let admitted = 0;
      while (refused === undefined) {
        const answer = await begin(1 * MiB, /HTTP\/1\.1 (?:100|503) /u);
        if (answer.includes(' 503 ')) refused = answer;
        else admitted++;
      }
      expect(test.server.resourceIsolation.getUsage(Stage.ReassemblyBytes)).toBe(admitted * MiB);
      expect(admitted).toBeGreaterThan(0);
      expect(admitted).toBeLessThanOrEqual(16);
      expect(refused).not.toContain(' 100 ');
      expect(refused).toMatch(/Retry-After: 1/iu);
      for (const socket of sockets) socket.destroy();
      await until(() => test.server.resourceIsolation.getUsage(Stage.ReassemblyBytes) === 0);
      const peer = new HttpsPeer(test);
      peers.push(peer);
      expect((await peer.request(GetEndpointsRequest, {}, GetEndpointsResponse)).endpoints).not.toHaveLength(0);
    },
  );

  it('RI-46 a server that is described step by step serves HTTPS, limited as it was told', async () => {
    test = await startTestServer();
    const server = await addOpcUa()
      .addServer({
        applicationName: 'Fluent',
        port: 0,
        security: { policies: ['None'] },
        pki: { folder: test.server.options.pki.folder },
      })
      .withChunkReassemblyBudget(64 * MiB)
      .configureResourceIsolation({ mode: 'Balanced' })
      .addHttpsTransport({ port: 0, sessionless: {} })
      .addHttpsRateLimiter({ requestsPerWindow: 2, windowMs: 3_600_000 })
      .start();
    const peer = new HttpsPeer({ ...test, server });
    peers.push(peer);
    expect((await peer.request(ReadRequest, readOf(['i=2258']), ReadResponse)).results).toHaveLength(1);
    expect((await peer.send(ReadRequest, readOf(['i=2258']))).statusCode).toBe(200);
    expect((await peer.send(ReadRequest, readOf(['i=2258']))).statusCode).toBe(429);
    peer.close();
    await server.stop();
  });
});
