import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server on 127.0.0.1, to be cut like a cable. */
export class CuttableProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  #isDown = false;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  static async start(targetPort: number): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpointUrl(): string {
    return `opc.tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets every connection, on both sides; new ones are reset too until `mend`. */
  cut(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** What comes from the server stays in the proxy from now on; the next cut loses it. */
  holdBack(): void {
    for (const socket of this.#sockets) if (socket.remotePort === this.#targetPort) socket.unpipe();
  }

  mend(): void {
    this.#isDown = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#isDown) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true });
    this.#join(client, upstream);
    this.#join(upstream, client);
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    // The other side learns of an end by the 'close' that follows.
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
