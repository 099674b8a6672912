import { type AddressInfo, createServer, type Server } from 'node:net';
import { decodeReverseHello, type ReverseHello } from '@bulkhead/uacp';
import { chunkTypeOf } from './raw-messages.ts';
import { RawUacpPeer } from './raw-uacp-peer.ts';

const DEFAULT_TIMEOUT_MS = 5000;

/** A client that listens for servers: each connection that comes in is a peer whose server speaks first. */
export class RawReverseListener {
  readonly port: number;
  /** Connections that came so far. */
  connectionCount = 0;
  readonly #server: Server;
  readonly #peers: RawUacpPeer[] = [];
  readonly #all: RawUacpPeer[] = [];
  #wake: (() => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      const peer = RawUacpPeer.over(socket);
      this.connectionCount++;
      this.#peers.push(peer);
      this.#all.push(peer);
      this.#wake?.();
    });
  }

  /** @param port 0: any free one. */
  static listen(port = 0, host = '127.0.0.1'): Promise<RawReverseListener> {
    const server = createServer();
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host }, () => resolve(new RawReverseListener(server)));
    });
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${this.port}`;
  }

  /** The oldest connection that nobody took yet, with what the server said of itself. @throws Error when none comes in time. */
  async next(timeoutMs: number = DEFAULT_TIMEOUT_MS): Promise<{ readonly peer: RawUacpPeer; readonly reverseHello: ReverseHello }> {
    const peer = await this.#nextPeer(timeoutMs);
    const chunk = await peer.nextChunk(timeoutMs);
    if (chunkTypeOf(chunk) !== 'RHE') throw new Error(`${chunkTypeOf(chunk)} instead of RHE`);
    return { peer, reverseHello: decodeReverseHello(chunk) };
  }

  /** Stops listening and closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await Promise.all(this.#all.map((peer) => peer.destroy()));
    await closed;
  }

  async #nextPeer(timeoutMs: number): Promise<RawUacpPeer> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const peer = this.#peers.shift();
      if (peer !== undefined) return peer;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`no connection within ${timeoutMs} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          this.#wake = undefined;
          resolve();
        };
      });
    }
  }
}
