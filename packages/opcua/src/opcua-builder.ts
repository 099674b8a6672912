import { ChunkReassemblyBudget, type ResourceIsolationClassifier, type ResourceIsolationOptions } from '@bulkhead/resource-isolation';
import {
  type AddNodes,
  type BandwidthOptions,
  type HttpsRateLimiterOptions,
  type HttpsSettings,
  OpcUaServer,
  type ProxyProtocolOptions,
  type RequestParkingPolicy,
  type ReverseConnectOptions,
  type ServerOptions,
  type ServerRateLimitOptions,
  type WebPortSettings,
  type WebSocketSettings,
} from '@bulkhead/server';

/** Starts a description of what an application offers over OPC UA. */
export function addOpcUa(): OpcUaBuilder {
  return new OpcUaBuilder();
}

/** First step: says that a server is wanted. */
export class OpcUaBuilder {
  /** @param options only `applicationName` has no default. */
  addServer(options: ServerOptions): OpcUaServerBuilder {
    return new OpcUaServerBuilder(options, []);
  }
}

/** Proxies in front of a server. */
export interface TrustedProxyOptions extends ProxyProtocolOptions {
  /** Their addresses and networks, at least one: `10.0.0.0/8`. */
  readonly trusted: readonly string[];
}

/** Describes a server step by step; each step gives a new builder, so that a common beginning can be used twice. */
export class OpcUaServerBuilder {
  readonly #options: ServerOptions;
  readonly #addNodes: readonly AddNodes[];

  constructor(options: ServerOptions, addNodes: readonly AddNodes[]) {
    this.#options = options;
    this.#addNodes = addNodes;
  }

  /**
   * Bounds what unfinished messages of all connections may hold together.
   * @param budget bytes, or a budget that several servers share.
   * @param maxBytesWithoutSession how far channels without an activated Session may fill it, in mode SharedOnly. Default half.
   * @throws RangeError at once for sizes that make no sense.
   */
  withChunkReassemblyBudget(budget: number | ChunkReassemblyBudget, maxBytesWithoutSession?: number): OpcUaServerBuilder {
    const chunkReassemblyBudget = typeof budget === 'number' ? new ChunkReassemblyBudget(budget, maxBytesWithoutSession) : budget;
    return this.#with({ chunkReassemblyBudget, maxReassemblyBytes: chunkReassemblyBudget.maxBytes });
  }

  /** Says how callers are kept apart; checked when the server starts. */
  configureResourceIsolation(resourceIsolation: ResourceIsolationOptions): OpcUaServerBuilder {
    return this.#with({ resourceIsolation });
  }

  /** Says which callers are protected or trusted: by verified evidence, never by what they claim. */
  addResourceIsolationClassifier(resourceIsolationClassifier: ResourceIsolationClassifier): OpcUaServerBuilder {
    return this.#with({ resourceIsolationClassifier });
  }

  /** Says how fast callers may connect, and how many Sessions may be established at a time; checked when the server starts. */
  configureRateLimits(rateLimits: ServerRateLimitOptions): OpcUaServerBuilder {
    return this.#with({ rateLimits });
  }

  /** Holds back who sends or takes more bytes per second: a connection, a caller, or all together. */
  withBandwidth(bandwidth: BandwidthOptions): OpcUaServerBuilder {
    return this.#with({ bandwidth });
  }

  /** Connects to a client that listens, for servers that nobody can reach; may be called several times. */
  addReverseConnect(client: ReverseConnectOptions): OpcUaServerBuilder {
    return this.#with({ reverseConnect: [...(this.#options.reverseConnect ?? []), client] });
  }

  /**
   * Says which proxies and load balancers stand before the server's ports. Their connections begin with a header of the PROXY protocol,
   * so that the callers behind them are told apart; everybody else is taken as the peer that it is.
   */
  behindProxy({ trusted, ...proxyProtocol }: TrustedProxyOptions): OpcUaServerBuilder {
    return this.#with({ trustedProxies: trusted, proxyProtocol });
  }

  /** Serves SecureChannels over WebSockets (opc.wss) on the web port, which all web transports share. */
  addWebSocketTransport({ pingIntervalMs, ...webPort }: WebPortSettings & WebSocketSettings = {}): OpcUaServerBuilder {
    const webSocket = pingIntervalMs === undefined ? {} : { pingIntervalMs };
    return this.#with({ webPort: { ...this.#options.webPort, ...webPort }, webSocket });
  }

  /** Serves OPC UA over HTTPS (opc.https) on the web port, which all web transports share. */
  addHttpsTransport(options: WebPortSettings & HttpsSettings = {}): OpcUaServerBuilder {
    const { path, json, maxRequestsPerConnection, maxRequestsPerWebSocket, maxJsonBodyBytes, sessionless, ...webPort } = options;
    const https = {
      ...(path === undefined ? {} : { path }),
      ...(json === undefined ? {} : { json }),
      ...(maxRequestsPerConnection === undefined ? {} : { maxRequestsPerConnection }),
      ...(maxRequestsPerWebSocket === undefined ? {} : { maxRequestsPerWebSocket }),
      ...(maxJsonBodyBytes === undefined ? {} : { maxJsonBodyBytes }),
      ...(sessionless === undefined ? {} : { sessionless }),
    };
    return this.#with({ webPort: { ...this.#options.webPort, ...webPort }, https });
  }

  /** Bounds the rate of HTTPS requests: 100 per second of everybody together, unless `options` say something else. */
  addHttpsRateLimiter(httpsRateLimits: HttpsRateLimiterOptions = {}): OpcUaServerBuilder {
    return this.#with({ httpsRateLimits });
  }

  /** Selects requests of the host's own whose handlers may wait without an execution slot; Publish may in any case. */
  withRequestParking(requestParking: RequestParkingPolicy): OpcUaServerBuilder {
    return this.#with({ requestParking });
  }

  /** Adds nodes before the server listens; may be called several times, and may be asynchronous. */
  addNodes(add: AddNodes): OpcUaServerBuilder {
    return new OpcUaServerBuilder(this.#options, [...this.#addNodes, add]);
  }

  #with(options: Partial<ServerOptions>): OpcUaServerBuilder {
    return new OpcUaServerBuilder({ ...this.#options, ...options }, this.#addNodes);
  }

  /**
   * Starts the server.
   * @throws OptionsError for a wrong option, UaStatusError BadConfigurationError for certificates that can't be used, Error of
   * node:net (such as EADDRINUSE) when it can't listen.
   */
  start(): Promise<OpcUaServer> {
    return OpcUaServer.start(this.#options, this.#addNodes);
  }
}
