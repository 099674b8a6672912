import type { AddressSpace } from '@bulkhead/address-space';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { CertificateStore } from '@bulkhead/security';
import type { HttpsTransport, TlsIdentity, WebPort } from '@bulkhead/transport-https';
import type { ReverseConnector, TcpListener } from '@bulkhead/transport-tcp';
import { ServerState } from '@bulkhead/types';
import type { IsolationReport } from './isolation/server-isolation.ts';
import { createNodeRuntime, type NodeRuntime } from './node-runtime.ts';
import { resolveServerOptions } from './resolve-options.ts';
import { createReverseConnector } from './reverse-connect.ts';
import { bindServerObject, type LiveServerState } from './server-object.ts';
import type { ResolvedServerOptions, ServerOptions } from './server-options.ts';
import { createTcpListener } from './tcp-endpoint.ts';
import { observeIsolation } from './telemetry/isolation-metrics.ts';
import { createHttpsTransport } from './web/https-endpoint.ts';
import { createWebPort, webUrls } from './web/web-listener.ts';
import { type ServerParts, stopParts, wireServer } from './wiring.ts';

/** Adds nodes before the server listens. */
export type AddNodes = (space: AddressSpace) => void | Promise<void>;

/** Names by which a server on a loopback address is reached. */
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1'];

/** Figures of a running server. */
export interface ServerCounts {
  readonly connections: number;
  readonly openChannels: number;
  readonly sessions: number;
  readonly subscriptions: number;
  readonly monitoredItems: number;
  readonly queuedRequests: number;
  readonly executingRequests: number;
  readonly parkedRequests: number;
  readonly timers: number;
}

/** A running OPC UA server. Made by `OpcUaServer.start`; ends with `stop`. */
export class OpcUaServer implements AsyncDisposable {
  readonly options: ResolvedServerOptions;
  /** The certificate store; its folders may be changed while the server runs. */
  readonly certificateStore: CertificateStore;
  readonly #parts: ServerParts<NodeRuntime>;
  readonly #listener: TcpListener;
  readonly #webPort: WebPort | undefined;
  readonly #https: HttpsTransport | undefined;
  readonly #reverseConnector: ReverseConnector;
  readonly #live: LiveServerState;
  readonly #metrics: Disposable;
  #stopped: Promise<void> | undefined;

  private constructor(
    options: ResolvedServerOptions,
    store: CertificateStore,
    parts: ServerParts<NodeRuntime>,
    listener: TcpListener,
    webPort: WebPort | undefined,
    https: HttpsTransport | undefined,
    live: LiveServerState,
    metrics: Disposable,
  ) {
    this.options = options;
    this.certificateStore = store;
    this.#parts = parts;
    this.#listener = listener;
    this.#webPort = webPort;
    this.#https = https;
    this.#reverseConnector = createReverseConnector(options, parts);
    this.#live = live;
    this.#metrics = metrics;
  }

  /**
   * Opens the certificates, loads the address space and listens.
   * @throws OptionsError for a wrong option, UaStatusError BadConfigurationError for certificates that can't be used, Error of
   * node:net (such as EADDRINUSE) when it can't listen. Nothing is left behind then.
   */
  static async start(given: ServerOptions, addNodes: readonly AddNodes[] = []): Promise<OpcUaServer> {
    const options = resolveServerOptions(given);
    const runtime = createNodeRuntime(given.log);
    const store = await openStore(options, runtime);
    let parts: ServerParts<NodeRuntime>;
    let listener: TcpListener;
    let webPort: WebPort | undefined;
    let https: HttpsTransport | undefined;
    try {
      parts = wireServer(options, given, store, runtime);
      listener = createTcpListener(options, parts);
      webPort = await createWebPort(options, parts, store);
      https = webPort && createHttpsTransport(options, given, parts, webPort);
    } catch (error) {
      runtime.timers.clear();
      await store.close();
      throw error;
    }
    const live: LiveServerState = { state: ServerState.Running };
    const server = new OpcUaServer(
      options,
      store,
      parts,
      listener,
      webPort,
      https,
      live,
      observeIsolation(parts.isolation, given.meterProvider),
    );
    try {
      parts.space.loadCoreNamespace();
      bindServerObject(parts, options, live);
      for (const add of addNodes) await add(parts.space);
      const [listening] = await listener.listen();
      await https?.start();
      const web = await webPort?.listen();
      parts.endpoints.urls = [
        ...options.hostNames.map((name) => `opc.tcp://${urlHost(name)}:${listening?.port}`),
        ...(web === undefined ? [] : webUrls(options, web.port)),
      ];
      server.#reverseConnector.start();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Where clients reach the server. */
  get endpointUrls(): readonly string[] {
    return this.#parts.endpoints.urls;
  }

  /**
   * Shows another TLS certificate to those that connect to the web port from now on.
   * @throws Error of node:tls when certificate and key can't be used; the one before stays then.
   */
  reloadWebCertificate(tls: TlsIdentity): void {
    this.#webPort?.reloadIdentity(tls);
  }

  get space(): AddressSpace {
    return this.#parts.space;
  }

  /** How callers are kept apart: limits, usage, callers and refusals, for operators. */
  get isolation(): IsolationReport {
    return this.#parts.isolation;
  }

  /** Usage of each stage. */
  get resourceIsolation(): ResourceIsolationProvider {
    return this.#parts.provider;
  }

  get counts(): ServerCounts {
    const { connections, sessions, subscriptions, dispatcher, runtime } = this.#parts;
    return {
      connections: connections.registry.connectionCount + (this.#https?.connectionCount ?? 0),
      openChannels: connections.registry.openChannelCount + (this.#https?.channelCount ?? 0),
      sessions: sessions.sessionCount,
      subscriptions: subscriptions.totals.subscriptions,
      monitoredItems: subscriptions.totals.monitoredItems,
      queuedRequests: dispatcher.queuedCount,
      executingRequests: dispatcher.executingCount,
      parkedRequests: dispatcher.parkedCount,
      timers: runtime.timers.size,
    };
  }

  /**
   * Answers what is open with BadServerHalted, closes every connection and leaves no handle behind. Idempotent: every call
   * gets the same promise.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#live.state = ServerState.Shutdown;
    this.#listener.stopAccepting();
    this.#webPort?.stopAccepting();
    this.#reverseConnector.stopDialling();
    await stopParts(this.#parts);
    await this.#listener.close();
    await this.#https?.stop();
    await this.#webPort?.close();
    await this.#reverseConnector.close();
    this.#metrics[Symbol.dispose]();
    this.#parts.isolation[Symbol.dispose]();
    this.#parts.runtime.timers.clear();
    await this.certificateStore.close();
  }
}

async function openStore(options: ResolvedServerOptions, runtime: NodeRuntime): Promise<CertificateStore> {
  const store = await CertificateStore.open({
    folder: options.pki.folder,
    applicationUri: options.applicationUri,
    applicationName: options.applicationName,
    hostNames: [...new Set([...options.hostNames, ...LOOPBACK_NAMES])],
  });
  for (const warning of store.warnings) runtime.log.log('warn', 'certificate.warning', { warning });
  if (store.isNew) runtime.log.log('info', 'certificate.created', { thumbprint: store.certificate.thumbprint });
  return store;
}

function urlHost(name: string): string {
  return name.includes(':') ? `[${name}]` : name;
}
