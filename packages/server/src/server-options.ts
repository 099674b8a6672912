import type { Logger, RequestParkingPolicy, UserIdentity } from '@bulkhead/contracts';
import type { SchedulingCost } from '@bulkhead/dispatcher';
import type {
  ChunkReassemblyBudget,
  ResourceIsolationClassifier,
  ResourceIsolationOptions,
  ResourceIsolationProvider,
} from '@bulkhead/resource-isolation';
import type { SecurityPolicyName } from '@bulkhead/security';
import type { OperationLimits } from '@bulkhead/services';
import type { SubscriptionLimits } from '@bulkhead/subscription';
import type { HttpsRateLimiterOptions } from '@bulkhead/transport-https';
import type { MeterProvider } from '@opentelemetry/api';
import type { BandwidthOptions } from './bandwidth/bandwidth-options.ts';
import type { ServerRateLimiterProvider, ServerRateLimitOptions } from './rate-limits/rate-limit-options.ts';
import type { HttpsSettings, ResolvedHttps } from './web/https-options.ts';
import type { ResolvedWebPort, ResolvedWebSocket, WebPortSettings, WebSocketSettings } from './web/web-options.ts';

export { OptionsError } from './options-error.ts';

/** Bytes in a mebibyte. */
export const MiB: number = 1024 * 1024;
/** Bytes in a kibibyte. */
export const KiB = 1024;

/** Who may log in with a name and a password. */
export type UserValidator = (
  userName: string,
  password: string,
) => UserIdentity | boolean | undefined | Promise<UserIdentity | boolean | undefined>;

/** Which security a server offers. */
export interface SecurityOptions {
  /** Default: the three RSA policies, without `None`. Discovery works without security in any case (OPC 10000-4 §5.5.1). */
  readonly policies?: readonly SecurityPolicyName[];
  /** For the policies other than `None`. Default: both. */
  readonly modes?: readonly ('Sign' | 'SignAndEncrypt')[];
  /** Default: true when no `validateUser` is given, else false. */
  readonly allowAnonymous?: boolean;
  /** Checks a user name and password. True means a user without roles beyond AuthenticatedUser. */
  readonly validateUser?: UserValidator;
}

/** Where the certificates are. */
export interface PkiOptions {
  /** Folder with own, trusted, issuers and rejected certificates; made at the first start. Default `./pki`. */
  readonly folder?: string;
  /** Trust every client certificate: for laboratories only. Default false. */
  readonly autoAcceptUntrustedCertificates?: boolean;
}

/** In which order waiting requests run. */
export interface RequestSchedulingOptions {
  /**
   * False: one queue in arrival order, where nothing overtakes the front. All limits hold either way. Default true, but in mode
   * SharedOnly, where requests run in arrival order.
   */
  readonly useFairScheduling?: boolean;
  /**
   * What weights are shares of: `turn`, each request counts the same; `time`, the measured time that an owner's requests hold the
   * event loop. Default `turn`.
   */
  readonly schedulingCost?: SchedulingCost;
}

/** A client that listens for connections of servers: the way through a firewall that lets nothing in. OPC 10000-6 §7.1.3. */
export interface ReverseConnectOptions {
  /** Where the client listens: `opc.tcp://host:port`; port 4840 when it is left out. */
  readonly clientUrl: string;
  /** First delay after a failure, doubled with each further one, ms. Default 5 s. */
  readonly retryMs?: number;
  /** Longest delay, ms. Default 60 s, or `retryMs` if that is longer. */
  readonly maxRetryMs?: number;
}

/** How long and how many connections of proxies may wait for the header that says whom they speak for. */
export interface ProxyProtocolOptions {
  /** From the accepted socket to the complete header; at most `helloTimeoutMs`. Default 2 s, or `helloTimeoutMs` if that is less. */
  readonly headerTimeoutMs?: number;
  /** Connections that may wait for their header at a time; for one more, the one that has waited longest is cut. Default 256. */
  readonly maxWaitingConnections?: number;
}

/** Everything that can be said about a server; only the name has no default. */
export interface ServerOptions {
  readonly applicationName: string;
  /** Globally unique URI of this instance. Default `urn:<host name>:<applicationName>`. */
  readonly applicationUri?: string;
  readonly productUri?: string;
  /** The port of `webSocket` and `https`; nothing listens on it without one of them. */
  readonly webPort?: WebPortSettings;
  /** Serves opc.wss on `webPort`. Default: not served. */
  readonly webSocket?: WebSocketSettings;
  /** Serves opc.https on `webPort`. Default: not served. */
  readonly https?: HttpsSettings;
  /** Bounds the rate of HTTPS requests. Default: any rate that isolation has room for. */
  readonly httpsRateLimits?: HttpsRateLimiterOptions;
  /** Address to listen on. Default `127.0.0.1`: nobody else reaches the server unless it is told so. */
  readonly host?: string;
  /** TCP port; 0 takes any free one. Default 4840. */
  readonly port?: number;
  /** Host names in endpoint URLs and in the certificate. Default: the address listened on, or the machine's name for a wildcard. */
  readonly hostNames?: readonly string[];
  readonly security?: SecurityOptions;
  readonly pki?: PkiOptions;
  /** Largest message in bytes, each way. Default 4 MiB. */
  readonly maxMessageSize?: number;
  /** Largest MessageChunk in bytes, each way; at least 8,192. Default 65,536. */
  readonly maxBufferSize?: number;
  /** Default 100. */
  readonly maxSessionCount?: number;
  /** Connections and so SecureChannels. Default `maxSessionCount` + 100. */
  readonly maxChannelCount?: number;
  /**
   * Decoded requests that ordinary callers may have waiting for execution, in all; modes other than SharedOnly use at least 100.
   * Default 1,000.
   */
  readonly maxQueuedRequestCount?: number;
  /** Requests that run at a time; modes other than SharedOnly use at least 100. Default 100. */
  readonly maxConcurrentRequests?: number;
  /** Publish requests that wait for notifications, in all. Default: 10 per Session, and as many as may be queued at least. */
  readonly maxParkedRequestCount?: number;
  /**
   * Bytes that unfinished messages of all connections may hold. Default: 16 messages of maximum size, within 64 MiB and 1 GiB, and
   * 4 of them in any case.
   */
  readonly maxReassemblyBytes?: number;
  /**
   * Clients to connect to. For each of them one connection waits all the time and counts towards `maxChannelCount`; another is
   * opened once it is used.
   */
  readonly reverseConnect?: readonly ReverseConnectOptions[];
  /**
   * Proxies and load balancers, as addresses and networks (`10.0.0.0/8`, `fd00::1`), whose word about a client's address is taken:
   * callers behind them are told apart. Nobody else's word is. Default: none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Connections of `trustedProxies` to the opc.tcp port begin with a header of the PROXY protocol, version 1 or 2; without one they
   * are closed. Default false.
   */
  readonly proxyProtocol?: boolean | ProxyProtocolOptions;
  /**
   * Bytes kept for callers when their requests are done: queued values, sent Notifications that are not acknowledged, continuation
   * points, unsent responses. Default 256 MiB, or four times `maxUnsentBytesPerOwner` if that is more.
   */
  readonly maxRetainedBytes?: number;
  /** Of one caller. Beyond it its own queues overflow. Default: a quarter of `maxRetainedBytes`. */
  readonly maxRetainedBytesPerOwner?: number;
  readonly minSessionTimeoutMs?: number;
  readonly maxSessionTimeoutMs?: number;
  /** From the accepted socket to the open channel. Default: that of `resourceIsolation`, else 2 min, which is also the most. */
  readonly handshakeTimeoutMs?: number;
  /** From the accepted socket to the Hello. Default 10 s. */
  readonly helloTimeoutMs?: number;
  /** A peer that takes nothing of what is unsent for this long is closed. Default 30 s. */
  readonly slowReaderTimeoutMs?: number;
  /**
   * Bytes that the connections of one caller may have unsent together; above it the one with the most is closed. At least, and by
   * default four times, what a single one may have: 4 × `maxMessageSize`, at least 8 MiB.
   */
  readonly maxUnsentBytesPerOwner?: number;
  /** Deadline of asynchronous read and write callbacks. Default 10 s. */
  readonly sourceTimeoutMs?: number;
  readonly operationLimits?: Partial<OperationLimits>;
  readonly subscriptionLimits?: Partial<SubscriptionLimits>;
  /** How callers are kept apart. Default: `{ mode: 'Balanced' }`. */
  readonly resourceIsolation?: ResourceIsolationOptions;
  /** Says which callers are protected or trusted. Not disposed by the server. */
  readonly resourceIsolationClassifier?: ResourceIsolationClassifier;
  /** Takes the place of `resourceIsolation`. Not disposed by the server. */
  readonly resourceIsolationProvider?: ResourceIsolationProvider;
  readonly requestScheduling?: RequestSchedulingOptions;
  /** Selects requests beside Publish whose handlers may wait without an execution slot. */
  readonly requestParking?: RequestParkingPolicy;
  /** False: a Publish request that waits keeps its execution slot. Default true. */
  readonly decoupleHeldPublishRequests?: boolean;
  /** Counts the unfinished messages of several servers together. Default: one of `maxReassemblyBytes` for this server. */
  readonly chunkReassemblyBudget?: ChunkReassemblyBudget;
  /** How fast callers may connect, and how many Sessions may be established at a time. On by default. */
  readonly rateLimits?: ServerRateLimitOptions;
  /** Takes the place of the connection rates of `rateLimits`; asked as it is. Not disposed by the server. */
  readonly serverRateLimiterProvider?: ServerRateLimiterProvider;
  /** Bytes per second of connections, callers and the whole server. Default: not limited. */
  readonly bandwidth?: BandwidthOptions;
  /** Where metrics go. Default: the provider that is registered globally when the server starts; without one, nowhere. */
  readonly meterProvider?: MeterProvider;
  /** Default: silent. */
  readonly log?: Logger;
}

/** Options with all defaults filled in. */
export type ResolvedServerOptions = Required<
  Omit<
    ServerOptions,
    | 'resourceIsolation'
    | 'resourceIsolationClassifier'
    | 'resourceIsolationProvider'
    | 'requestScheduling'
    | 'requestParking'
    | 'chunkReassemblyBudget'
    | 'rateLimits'
    | 'serverRateLimiterProvider'
    | 'meterProvider'
    | 'bandwidth'
    | 'log'
    | 'security'
    | 'pki'
    | 'operationLimits'
    | 'subscriptionLimits'
    | 'reverseConnect'
    | 'proxyProtocol'
    | 'webPort'
    | 'webSocket'
    | 'https'
    | 'httpsRateLimits'
  >
> & {
  /** Undefined: no connection begins with a header. */
  readonly proxyProtocol: Required<ProxyProtocolOptions> | undefined;
  readonly webPort: ResolvedWebPort;
  readonly webSocket: ResolvedWebSocket | undefined;
  readonly https: ResolvedHttps | undefined;
  readonly reverseConnect: readonly Required<ReverseConnectOptions>[];
  readonly security: Required<Omit<SecurityOptions, 'validateUser'>> & { readonly validateUser: UserValidator | undefined };
  readonly pki: Required<PkiOptions>;
  readonly requestScheduling: Required<RequestSchedulingOptions>;
  readonly rateLimits: Required<ServerRateLimitOptions>;
};
