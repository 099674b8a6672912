import { connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SocketByteTransport } from '../src/index.ts';

const remote = { address: '127.0.0.1', port: 1 };
const silent = { onBytes: () => {}, onDrain: () => {}, onClosed: () => {} };

describe('SocketByteTransport over a socket', () => {
  let server: Server;
  let client: Socket;
  let transport: SocketByteTransport;
  let drains = 0;
  let closes = 0;

  beforeEach(async () => {
    drains = 0;
    closes = 0;
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    client = connect((server.address() as { port: number }).port, '127.0.0.1');
    client.pause();
    const socket = await accepted;
    socket.on('error', () => {});
    transport = new SocketByteTransport(socket, remote);
    transport.start({ onBytes: () => {}, onDrain: () => drains++, onClosed: () => closes++ });
  });

  afterEach(() => {
    client.destroy();
    transport.destroy();
    server.close();
  });

  const receiveAll = (): Promise<Buffer> =>
    new Promise((resolve) => {
      const pieces: Buffer[] = [];
      client.on('data', (bytes) => pieces.push(bytes));
      client.on('close', () => resolve(Buffer.concat(pieces)));
      client.resume();
    });

  it('counts what the peer’s side has not taken, and sends all of it before it closes', async () => {
    const buffers = Array.from({ length: 256 }, (_, i) => Buffer.alloc(65_536, i));
    transport.write(buffers);
    transport.end();
    transport.write([Buffer.from('too late')]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const unsent = transport.unsentBytes;
    expect(unsent).toBeGreaterThan(1_000_000);
    expect(unsent).toBeLessThan(256 * 65_536);
    expect(drains).toBe(0);
    const received = await receiveAll();
    expect(received.equals(Buffer.concat(buffers))).toBe(true);
    expect(transport.unsentBytes).toBe(0);
    expect(drains).toBeGreaterThan(0);
    await expect.poll(() => closes).toBe(1);
  });

  it('forgets what is unsent when destroyed, and closes once', async () => {
    transport.write([Buffer.alloc(16_000_000)]);
    transport.write([Buffer.alloc(1000)]);
    transport.destroy();
    transport.destroy();
    await expect.poll(() => closes).toBe(1);
    transport.write([Buffer.alloc(10)]);
    expect(transport.unsentBytes).toBe(0);
  });

  it('closes once when the peer resets', async () => {
    client.resetAndDestroy();
    await expect.poll(() => closes).toBe(1);
  });
});

describe('SocketByteTransport', () => {
  it('gives buffers written together to the socket in one call', () => {
    const calls: number[] = [];
    const socket = new Duplex({
      read: () => {},
      write: (_chunk, _encoding, done) => {
        calls.push(1);
        done();
      },
      writev: (chunks, done) => {
        calls.push(chunks.length);
        done();
      },
    }) as Socket;
    const transport = new SocketByteTransport(socket, remote);
    transport.start(silent);
    transport.write(Array.from({ length: 50 }, () => Buffer.alloc(100)));
    transport.write([Buffer.alloc(100)]);
    expect(calls).toEqual([50, 1]);
    socket.destroy();
  });

  it('keeps no large memory alive for small buffers that have to wait', () => {
    const written: Buffer[] = [];
    const done: (() => void)[] = [];
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, callback) => {
        written.push(chunk);
        done.push(callback);
      },
      writev: (chunks, callback) => {
        written.push(...chunks.map(({ chunk }) => chunk as Buffer));
        done.push(callback);
      },
    }) as Socket;
    const transport = new SocketByteTransport(socket, remote);
    transport.start(silent);
    const contents = Array.from({ length: 100 }, (_, i) => Buffer.alloc(100, i));
    for (const content of contents) {
      const slab = Buffer.allocUnsafeSlow(65_536);
      transport.write([slab.subarray(content.copy(slab, 500, 0) + 400, 600)]);
    }
    expect(transport.unsentBytes).toBe(10_000);
    while (done.length > 0) done.shift()?.();
    expect(Buffer.concat(written).equals(Buffer.concat(contents))).toBe(true);
    const memory = new Set(written.slice(1).map((buffer) => buffer.buffer));
    expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(65_536);
    socket.destroy();
  });
});
