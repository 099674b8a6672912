import type { ConfigurationJson } from './file-schema.ts';
import { ConfigurationError } from './problems.ts';

/** Limits that the command line sets in one go; undefined where nothing was given, 0 to take a limit away. */
export interface LimitFlags {
  /** `--rate`: connections per second, and HTTPS requests per second. */
  readonly rate?: number | undefined;
  /** `--throttle`: bytes per second of a connection, each way. */
  readonly throttle?: number | undefined;
  /** `--concurrent`: connections at a time. */
  readonly concurrent?: number | undefined;
  /** `--timeout`: seconds for a connection to say who it is, and for a web request to arrive. */
  readonly timeout?: number | undefined;
}

/** The reserves of a mode need some tokens of the bucket. */
const MIN_BURST = 16;
const MAX_HANDSHAKE_SECONDS = 120;
const DEFAULT_SESSIONS = 100;

/**
 * Puts the limits of the command line into a configuration.
 * @param placesKept at the stage Connection for reserves; asked for when connections are limited.
 * @throws ConfigurationError for a flag that makes no sense with the configuration.
 */
export function applyLimitFlags(configuration: ConfigurationJson, flags: LimitFlags, placesKept: () => number): ConfigurationJson {
  let applied = configuration;
  if (flags.rate !== undefined) applied = withRate(applied, flags.rate);
  if (flags.throttle !== undefined) applied = withThrottle(applied, flags.throttle);
  if (flags.concurrent !== undefined) applied = withConcurrent(applied, flags.concurrent, placesKept);
  if (flags.timeout !== undefined) applied = withTimeout(applied, flags.timeout);
  return applied;
}

function withRate(configuration: ConfigurationJson, rate: number): ConfigurationJson {
  const { rateLimits, https, noWeb } = configuration;
  if (rate === 0) {
    const { rateLimits: _unlimited, ...others } = https ?? {};
    return { ...configuration, rateLimits: { ...rateLimits, connectionRateLimitEnabled: false }, ...(https && { https: others }) };
  }
  if (rateLimits?.enabled === false) throw senseless('rate', 'rateLimits.enabled is false, so that nothing would keep to it');
  return {
    ...configuration,
    rateLimits: {
      ...rateLimits,
      connectionRateLimitEnabled: true,
      connectionsPerSecond: rate,
      connectionBurst: Math.max(rate, MIN_BURST),
    },
    ...(noWeb === true ? {} : { https: { ...https, rateLimits: { ...https?.rateLimits, requestsPerWindow: rate, windowMs: 1000 } } }),
  };
}

function withThrottle(configuration: ConfigurationJson, bytesPerSecond: number): ConfigurationJson {
  const { perConnection: _unlimited, ...others } = configuration.bandwidth ?? {};
  if (bytesPerSecond === 0) return { ...configuration, bandwidth: others };
  const rate = { bytesPerSecond };
  return { ...configuration, bandwidth: { ...others, perConnection: { read: rate, write: rate } } };
}

/** Each Session needs a channel, and there has to be one more. OPC 10000-4 §5.6.2. */
function withConcurrent(configuration: ConfigurationJson, connections: number, placesKept: () => number): ConfigurationJson {
  const { limits = {}, reverseConnect = [] } = configuration;
  if (connections === 0) {
    const { maxChannelCount: _unlimited, ...others } = limits;
    return { ...configuration, limits: others };
  }
  const places = connections - placesKept() - reverseConnect.length - 1;
  if (places < 1) {
    throw senseless(
      'concurrent',
      `${connections} leave no place for a Session beside what is kept; at least ${connections - places + 1} are wanted`,
    );
  }
  const maxSessionCount = Math.min(limits.maxSessionCount ?? DEFAULT_SESSIONS, places);
  return { ...configuration, limits: { ...limits, maxChannelCount: connections, maxSessionCount } };
}

function withTimeout(configuration: ConfigurationJson, seconds: number): ConfigurationJson {
  const { limits, web, resourceIsolation } = configuration;
  if (seconds > MAX_HANDSHAKE_SECONDS) {
    throw senseless(
      'timeout',
      `${seconds} s are longer than a connection may take to open its channel in any mode, ${MAX_HANDSHAKE_SECONDS} s`,
    );
  }
  if (resourceIsolation?.handshakeTimeout !== undefined || resourceIsolation?.handshakeTimeoutMs !== undefined) {
    throw senseless('timeout', 'resourceIsolation has a handshakeTimeout of its own: leave out one of the two');
  }
  const timeoutMs = seconds === 0 ? undefined : seconds * 1000;
  return {
    ...configuration,
    limits: { ...limits, handshakeTimeoutMs: timeoutMs, helloTimeoutMs: timeoutMs },
    web: { ...web, startUpTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, requestTimeoutMs: timeoutMs },
  };
}

function senseless(flag: keyof LimitFlags, reason: string): ConfigurationError {
  return new ConfigurationError(`--${flag}: ${reason}`);
}
