import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { startPair, trackLeaks, transportChecks } from '@bulkhead/testkit';
import { remoteAddressOf } from '@bulkhead/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SocketByteTransport } from '../src/index.ts';

function transportOf(socket: Socket): SocketByteTransport {
  socket.on('error', () => {});
  return new SocketByteTransport(socket, remoteAddressOf(socket) ?? { address: '', port: 0 });
}

describe('a TCP transport', () => {
  const expectNoLeaks = trackLeaks();
  let server: Server;

  beforeAll(async () => {
    server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await expectNoLeaks();
  });

  it.each(transportChecks)('$name', async ({ run }) => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    await once(socket, 'connect');
    const [other] = await accepted;
    const pair = startPair({ server: transportOf(other), client: transportOf(socket) });
    other.resume();
    try {
      await run(pair);
    } finally {
      pair.client.destroy();
      pair.server.destroy();
    }
    expect(pair.atServer.closes).toBeLessThanOrEqual(1);
  });
});
