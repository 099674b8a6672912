import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger, RemoteAddress } from '@bulkhead/contracts';
import { type ConnectionAcceptor, remoteAddressOf } from '@bulkhead/transport';
import type { ProxyHeaderGate } from './proxy-header-gate.ts';
import { SocketByteTransport } from './socket-byte-transport.ts';

export interface TcpListenerOptions {
  readonly acceptor: ConnectionAcceptor;
  /** 0: any free port, the same for all hosts. */
  readonly port: number;
  /** Addresses or names to listen on, at least one: `127.0.0.1`, `::`, `0.0.0.0`. */
  readonly hosts: readonly string[];
  /** Connections that the operating system keeps until they are accepted; default 512. */
  readonly backlog?: number;
  /**
   * Outer bound of sockets per host: beyond it they are dropped before the acceptor hears of them. Has to leave room above the
   * Connection stage, for those that are closing and those that make others be reclaimed. Default: none but the acceptor's.
   */
  readonly maxConnections?: number;
  /** Quiet time after which the operating system probes a peer, ms; default 60,000. */
  readonly keepAliveDelayMs?: number;
  /** Proxies say first whom they speak for. Default: every peer speaks for itself. */
  readonly proxyHeaders?: ProxyHeaderGate | undefined;
  readonly log: Logger;
}

/** Where a listener can be reached. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

/** Listens for opc.tcp connections. */
export class TcpListener {
  readonly #options: TcpListenerOptions;
  readonly #servers: Server[] = [];
  readonly #sockets: Set<Socket> = new Set();
  /** Connections dropped at `maxConnections`. */
  droppedConnections = 0;

  constructor(options: TcpListenerOptions) {
    this.#options = options;
  }

  /** @throws Error of node:net, such as EADDRINUSE; nothing listens then. */
  async listen(): Promise<readonly ListenAddress[]> {
    const addresses: ListenAddress[] = [];
    try {
      for (const host of this.#options.hosts) addresses.push(await this.#listenOn(host, addresses[0]?.port ?? this.#options.port));
    } catch (error) {
      await this.close();
      throw error;
    }
    return addresses;
  }

  /** Takes no new connection; those that exist go on. Idempotent. */
  stopAccepting(): void {
    for (const server of this.#servers) if (server.listening) server.close();
  }

  /** Stops accepting, cuts what is still connected, and resolves once no handle is left. Idempotent. */
  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #listenOn(host: string, port: number): Promise<ListenAddress> {
    const { backlog = 512, keepAliveDelayMs = 60_000, maxConnections, log } = this.#options;
    const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs }, (socket) =>
      this.#onConnection(socket),
    );
    if (maxConnections !== undefined) server.maxConnections = maxConnections;
    server.on('drop', () => this.droppedConnections++);
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog }, () => {
        server.off('error', reject);
        server.on('error', (error) => log.log('error', 'listener.error', { host, error }));
        const { address, port: boundPort } = server.address() as AddressInfo;
        resolve({ address, port: boundPort });
      });
    });
  }

  #onConnection(socket: Socket): void {
    // 'close' follows each error and says all that matters.
    socket.on('error', () => {});
    const remote = remoteAddressOf(socket);
    if (remote === undefined) return void socket.destroy();
    const { proxyHeaders } = this.#options;
    if (!proxyHeaders?.isProxy(remote.address)) return this.#onClient(socket, remote);
    this.#track(socket);
    proxyHeaders.read(socket, remote, (client) => this.#onClient(socket, client));
  }

  #onClient(socket: Socket, remote: RemoteAddress): void {
    const transport = new SocketByteTransport(socket, remote);
    const events = this.#accept(transport);
    if (events === undefined) return void socket.destroy();
    this.#track(socket);
    transport.start(events);
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #accept(transport: SocketByteTransport): ReturnType<ConnectionAcceptor['accept']> {
    try {
      return this.#options.acceptor.accept(transport);
    } catch (error) {
      this.#options.log.log('error', 'listener.acceptFailed', { error });
      return undefined;
    }
  }
}
