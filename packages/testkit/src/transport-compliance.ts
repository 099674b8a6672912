import { strict as assert } from 'node:assert';
import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';

/** A transport that can be started, as listeners and connectors make them. */
export interface StartableTransport extends ByteTransport {
  start(events: ByteTransportEvents): void;
}

/** Two ends of one connection over real sockets, not started yet. */
export interface TransportPair {
  readonly server: StartableTransport;
  readonly client: StartableTransport;
}

/** What one end was told. */
export class TransportRecorder implements ByteTransportEvents {
  readonly received: Buffer[] = [];
  drains = 0;
  closes = 0;

  get receivedBytes(): number {
    return this.received.reduce((sum, { length }) => sum + length, 0);
  }

  onBytes(bytes: Buffer): void {
    this.received.push(Buffer.from(bytes));
  }

  onDrain(): void {
    this.drains++;
  }

  onClosed(): void {
    this.closes++;
  }
}

/** A started pair with what its ends were told. */
export interface RunningPair extends TransportPair {
  readonly atServer: TransportRecorder;
  readonly atClient: TransportRecorder;
}

/** Something that every byte transport promises. */
export interface TransportCheck {
  readonly name: string;
  /** @throws AssertionError */
  readonly run: (pair: RunningPair) => Promise<void>;
}

const WAIT_MS = 10_000;
const KiB = 1024;

/** Bytes in the form of a MessageChunk: a transport may have to find where one ends. */
export function chunkOf(bytes: number, fill = 0): Buffer {
  const chunk = Buffer.alloc(bytes, fill);
  chunk.write('MSGF', 0, 'latin1');
  chunk.writeUInt32LE(bytes, 4);
  return chunk;
}

/** Starts both ends. */
export function startPair({ server, client }: TransportPair): RunningPair {
  const atServer = new TransportRecorder();
  const atClient = new TransportRecorder();
  server.start(atServer);
  client.start(atClient);
  return { server, client, atServer, atClient };
}

/** What TCP, WebSocket and whatever comes later have to do alike; give each check a pair of its own. */
export const transportChecks: readonly TransportCheck[] = [
  {
    name: 'brings bytes over both ways, in order, however they were cut',
    run: async ({ server, client, atServer, atClient }) => {
      const chunks = [8, 9, 100, 8192, 60_000, 65_535].map((bytes, at) => chunkOf(bytes, at));
      const all = Buffer.concat(chunks);
      client.write(chunks);
      for (const chunk of chunks) server.write([chunk.subarray(0, 3), chunk.subarray(3, 8), chunk.subarray(8)]);
      await until(() => atServer.receivedBytes === all.length && atClient.receivedBytes === all.length);
      assert.deepEqual(Buffer.concat(atServer.received), all);
      assert.deepEqual(Buffer.concat(atClient.received), all);
    },
  },
  {
    name: 'knows the other end by a folded address and a port',
    run: async ({ server, client }) => {
      assert.match(server.remote.address, /^127\.0\.0\.\d+$/u);
      assert.ok(server.remote.port > 0);
      assert.equal(client.remote.address, '127.0.0.1');
      assert.match(server.transportProfileUri, /^http:\/\/opcfoundation\.org\/UA-Profile\/Transport\//u);
    },
  },
  {
    name: 'holds back a peer while it is paused, and then brings over all',
    run: async ({ server, client, atServer }) => {
      server.pause();
      const chunks = Array.from({ length: 512 }, (_, at) => chunkOf(64 * KiB - 1, at));
      client.write(chunks);
      await quiet();
      const before = client.unsentBytes;
      assert.ok(before > 1024 * KiB, `${before} bytes unsent`);
      assert.ok(atServer.receivedBytes < 4096 * KiB, `${atServer.receivedBytes} bytes came in spite of the pause`);
      server.resume();
      await until(() => atServer.receivedBytes === 512 * (64 * KiB - 1));
      await until(() => client.unsentBytes === 0);
    },
  },
  {
    name: 'says when everything is handed over, and then has nothing unsent',
    run: async ({ server, client, atServer, atClient }) => {
      client.write([chunkOf(60_000), chunkOf(60_000)]);
      await until(() => atClient.drains > 0);
      assert.equal(client.unsentBytes, 0);
      await until(() => atServer.receivedBytes === 120_000);
      assert.equal(server.unsentBytes, 0);
    },
  },
  {
    name: 'sends what is queued before it ends, and tells each end once that it is closed',
    run: async ({ server, client, atServer, atClient }) => {
      server.write(Array.from({ length: 64 }, () => chunkOf(60_000)));
      server.end();
      server.end();
      server.write([chunkOf(100)]);
      await until(() => atServer.closes > 0 && atClient.closes > 0);
      assert.equal(atClient.receivedBytes, 64 * 60_000);
      client.destroy();
      await quiet();
      assert.deepEqual([atServer.closes, atClient.closes], [1, 1]);
    },
  },
  {
    name: 'closes at once when it is destroyed, forgets what is unsent, and takes nothing any more',
    run: async ({ server, client, atServer, atClient }) => {
      client.pause();
      server.write(Array.from({ length: 256 }, () => chunkOf(60_000)));
      server.destroy();
      server.destroy();
      server.write([chunkOf(100)]);
      client.resume();
      await until(() => atServer.closes > 0 && atClient.closes > 0);
      await quiet();
      assert.deepEqual([atServer.closes, atClient.closes], [1, 1]);
      assert.equal(server.unsentBytes, 0);
      assert.ok(atClient.receivedBytes < 256 * 60_000);
    },
  },
];

async function until(isMet: () => boolean): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!isMet()) {
    assert.ok(performance.now() < endMs, `not met within ${WAIT_MS} ms: ${isMet.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Long enough for what should not happen. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}
