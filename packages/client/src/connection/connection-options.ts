import type { Runtime } from '@bulkhead/contracts';
import type { Throttle } from '@bulkhead/limits';
import type { UacpLimits } from '@bulkhead/uacp';
import { createClientRuntime } from '../client-runtime.ts';
import type { TransportConnector } from '../transport/client-transport.ts';
import type { TlsTrust } from '../transport/connect-socket.ts';
import { connectorFor } from '../transport/connector-for.ts';
import { type ChannelSecurity, UNSECURED } from './channel-security.ts';

/** How a connection is made; only the URL has no default. */
export interface ClientConnectionOptions {
  readonly endpointUrl: string;
  /** How messages are written to an opc.https or opc.wss server; nothing else than TLS secures JSON. Default `binary`. */
  readonly encoding?: 'binary' | 'json';
  /** Default: none. */
  readonly security?: ChannelSecurity;
  /** Source address of TCP connections; default: the system's choice. */
  readonly localAddress?: string;
  /**
   * For the TLS certificate of opc.wss servers that no authority of the operating system vouches for. Default: that of the client
   * application; without one, no such server is trusted.
   */
  readonly tlsTrust?: TlsTrust;
  /** Default: what the URL's scheme says, from `localAddress`. */
  readonly connector?: TransportConnector;
  /** Limits on bytes per second. Default: none. */
  readonly throttle?: Throttle;
  /** Buffers and message sizes; default 64 KiB chunks and messages of 16 MiB, each way. */
  readonly limits?: Partial<UacpLimits>;
  /** Lifetime asked for the channel's tokens, ms; renewed after 75 % of what the server grants. Default 1 h. */
  readonly requestedLifetimeMs?: number;
  /** From the first packet to the open channel, ms. Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** For a request that names none, ms. Default 15 s. */
  readonly requestTimeoutMs?: number;
  /** Requests on their way; one more is refused with BadResourceUnavailable. Default 1,000. */
  readonly maxInFlightRequests?: number;
  /** Bytes that the server hasn't taken yet; a request above is refused with BadResourceUnavailable. Default 16 MiB. */
  readonly maxUnsentBytes?: number;
  readonly runtime?: Runtime;
}

export type ResolvedConnectionOptions = Required<Omit<ClientConnectionOptions, 'localAddress' | 'tlsTrust' | 'throttle' | 'limits'>> & {
  readonly throttle: Throttle | undefined;
  readonly limits: UacpLimits;
};

const DEFAULT_LIMITS: UacpLimits = {
  receiveBufferSize: 65_536,
  sendBufferSize: 65_536,
  maxMessageSize: 16 * 1024 * 1024,
  maxChunkCount: 4096,
};

/** @throws RangeError naming the option that is no integer >= 1. */
export function resolveConnectionOptions(options: ClientConnectionOptions): ResolvedConnectionOptions {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const resolved = {
    endpointUrl: options.endpointUrl,
    encoding: options.encoding ?? 'binary',
    security: options.security ?? UNSECURED,
    connector: options.connector ?? connectorFor(options, limits.receiveBufferSize),
    throttle: options.throttle,
    limits,
    requestedLifetimeMs: options.requestedLifetimeMs ?? 3_600_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 15_000,
    maxInFlightRequests: options.maxInFlightRequests ?? 1000,
    maxUnsentBytes: options.maxUnsentBytes ?? 16 * 1024 * 1024,
    runtime: options.runtime ?? createClientRuntime(),
  };
  for (const name of ['requestedLifetimeMs', 'connectTimeoutMs', 'requestTimeoutMs', 'maxInFlightRequests', 'maxUnsentBytes'] as const) {
    const value = resolved[name];
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name}: an integer >= 1 is wanted, not ${value}`);
  }
  return resolved;
}
