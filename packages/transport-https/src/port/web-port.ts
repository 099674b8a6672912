import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, Server as TlsServer } from 'node:tls';
import type { Logger, RemoteAddress } from '@bulkhead/contracts';
import { type ConnectionGate, type ProxyHeaders, remoteAddressOf, type SocketAddress, type UpgradeHandler } from '@bulkhead/transport';
import { type HandshakePace, HandshakePacer } from './handshake-pacer.ts';
import { Upgrades } from './upgrades.ts';
import { WebConnection } from './web-connection.ts';

/** What the server shows in TLS. */
export interface TlsIdentity {
  /** PEM, the server's own certificate first. */
  readonly cert: string | Buffer;
  /** PEM of the private key. */
  readonly key: string | Buffer;
}

export interface WebPortOptions {
  readonly gate: ConnectionGate;
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** undefined: plain HTTP, for a proxy in front that ends TLS. */
  readonly tls: TlsIdentity | undefined;
  /** Asks clients for a certificate; whether it is trusted is for others to say. Default false. */
  readonly requestClientCertificate?: boolean;
  /** How fast TLS handshakes may begin. Default: as fast as connections are admitted. */
  readonly handshakePace?: HandshakePace;
  /** Connections that the operating system keeps until they are accepted; default 512. */
  readonly backlog?: number;
  /** Reads the headers of trusted proxies. Default: every peer speaks for itself. */
  readonly proxyHeaders?: ProxyHeaders | undefined;
  /** Outer bound of sockets: beyond it they are dropped before the gate hears of them. Default: none but the gate's. */
  readonly maxConnections?: number;
  /** From accepting a connection until the head of its first request is there, TLS included, ms; default 10,000. */
  readonly startUpTimeoutMs?: number;
  /** For the head of each later request, ms; default 10,000. */
  readonly headersTimeoutMs?: number;
  /** For a whole request, body included, ms; default 30,000. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may wait for its next request, ms; default 30,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Most bytes of a request's head; default 16 KiB. */
  readonly maxHeaderBytes?: number;
  /** Origins of browsers' pages that may upgrade; default none. */
  readonly allowedOrigins?: readonly string[];
  readonly log: Logger;
}

/** How often late requests are looked for, ms. */
const CHECK_INTERVAL_MS = 1_000;

/** Listens for HTTP and WebSocket connections, each admitted before TLS. OPC 10000-6 §7.4, §7.5. */
export class WebPort {
  /** Its 'request' and 'checkContinue' events are for whoever answers requests. */
  readonly server: HttpServer;
  readonly #options: WebPortOptions;
  readonly #upgrades: Upgrades;
  readonly #pacer: HandshakePacer | undefined;
  /** By the peer's address and port: how a TLS socket and the TCP socket below it are known to be one. */
  readonly #connections: Map<string, WebConnection> = new Map();
  #nextId = 1;
  /** Connections dropped at `maxConnections`. */
  droppedConnections = 0;

  constructor(options: WebPortOptions) {
    this.#options = options;
    this.#upgrades = new Upgrades((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
    const { handshakePace, tls } = options;
    this.#pacer = handshakePace === undefined || tls === undefined ? undefined : new HandshakePacer(handshakePace);
    this.server = createServer(options);
    // With a listener of its own, bytes come by the stream and heed its pauses. Otherwise Node's parser takes them off the handle, also
    // while it is paused for answers on their way, and then fails: "Parse Error: Paused".
    this.server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => socket.on('data', () => undefined));
    if (options.maxConnections !== undefined) this.server.maxConnections = options.maxConnections;
    this.#admitConnections();
    this.server.on('drop', () => this.droppedConnections++);
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#onUpgrade(request, socket, head));
    // Before all other listeners: the connection's start-up ends with the head of its first request.
    this.server.on('request', ({ socket }: IncomingMessage) => this.connectionOf(socket)?.requestBegins());
  }

  /** Connections that are admitted and not closed yet. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Whose connection this is; undefined when it is closed already. */
  connectionOf(socket: SocketAddress): WebConnection | undefined {
    return this.#connections.get(keyOf(socket));
  }

  /** From now on WebSockets of the handler's subprotocols are its own. */
  addUpgradeHandler(handler: UpgradeHandler): void {
    this.#upgrades.add(handler);
  }

  /** @throws Error of node:net, such as EADDRINUSE; nothing listens then. */
  listen(): Promise<{ readonly address: string; readonly port: number }> {
    const { host, port, backlog = 512, log } = this.#options;
    const { server } = this;
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

  /** New connections get this certificate; those that exist keep theirs. @throws Error of node:tls when it can't be used. */
  reloadIdentity(tls: TlsIdentity): void {
    if (this.#options.tls === undefined) return;
    (this.server as unknown as TlsServer).setSecureContext({ ...TLS_OPTIONS, ...tls });
  }

  /** Takes no new connection; those that exist go on, but for idle ones. Idempotent. */
  stopAccepting(): void {
    if (this.server.listening) this.server.close();
  }

  /** Stops accepting, cuts what is still connected, and resolves once no handle is left. Idempotent. */
  async close(): Promise<void> {
    this.#pacer?.close();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    for (const connection of [...this.#connections.values()]) connection.destroy();
    await closed;
  }

  /** Puts the gate before the server's own listener, which is where TLS begins and time-outs are armed. */
  #admitConnections(): void {
    const own = this.server.listeners('connection') as ((socket: Socket) => void)[];
    this.server.removeAllListeners('connection');
    const admit = (socket: Socket, remote: RemoteAddress): void => {
      const connection = this.#tryAdmit(socket, remote);
      if (connection === undefined) return void socket.resetAndDestroy();
      const start = (): void => {
        if (!socket.destroyed) for (const listener of own) listener.call(this.server, socket);
      };
      if (this.#pacer === undefined) start();
      else if (!this.#pacer.begin(connection.owner.key, start)) socket.resetAndDestroy();
    };
    const { proxyHeaders } = this.#options;
    this.server.on('connection', (socket: Socket) => {
      // 'close' follows each error and says all that matters.
      socket.on('error', () => {});
      const peer = remoteAddressOf(socket);
      if (peer === undefined) return void socket.destroy();
      if (!proxyHeaders?.isProxy(peer.address)) return admit(socket, peer);
      proxyHeaders.read(socket, peer, (client) => {
        admit(socket, client);
        socket.resume();
      });
    });
  }

  #tryAdmit(socket: Socket, remote: RemoteAddress): WebConnection | undefined {
    const admission = this.#options.gate.admitIncoming(remote.address);
    if (typeof admission === 'string') return undefined;
    const connection = new WebConnection(this.#nextId++, socket, remote, admission, this.#options.startUpTimeoutMs ?? 10_000);
    const key = keyOf(socket);
    this.#connections.set(key, connection);
    socket.once('close', () => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    });
    return connection;
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {});
    const connection = this.connectionOf(request.socket);
    if (connection === undefined) return void socket.destroy();
    this.#upgrades.handle(request, socket, head, connection);
  }
}

const TLS_OPTIONS: SecureContextOptions = { minVersion: 'TLSv1.2' };

function createServer(options: WebPortOptions): HttpServer {
  const { tls, requestClientCertificate = false, startUpTimeoutMs = 10_000 } = options;
  const common: ServerOptions = {
    noDelay: true,
    keepAlive: true,
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 30_000,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    maxHeaderSize: options.maxHeaderBytes ?? 16 * 1024,
  };
  if (tls === undefined) return createHttpServer(common);
  return createHttpsServer({
    ...common,
    ...TLS_OPTIONS,
    ...tls,
    handshakeTimeout: startUpTimeoutMs,
    requestCert: requestClientCertificate,
    rejectUnauthorized: false,
  });
}

function keyOf({ remoteAddress, remotePort }: SocketAddress): string {
  return `${remoteAddress}|${remotePort}`;
}
