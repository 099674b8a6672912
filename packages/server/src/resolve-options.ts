import { hostname } from 'node:os';
import { ChunkReassemblyBudget, MAX_HANDSHAKE_TIMEOUT_MS } from '@bulkhead/resource-isolation';
import type { SecurityPolicyName } from '@bulkhead/security';
import { planConnectionLimits } from '@bulkhead/transport';
import { checkBandwidth } from './bandwidth/bandwidth-options.ts';
import { checkLimits } from './check-limits.ts';
import { resolveRateLimits } from './rate-limits/rate-limit-options.ts';
import { resolveReverseConnect } from './reverse-connect.ts';
import { KiB, MiB, OptionsError, type ResolvedServerOptions, type ServerOptions } from './server-options.ts';
import { resolveTrustedProxies } from './trusted-proxies.ts';
import { createHttpsRateLimiter, resolveHttps } from './web/https-options.ts';
import { resolveWebPort, resolveWebSocket } from './web/web-options.ts';

const MIN_BUFFER_BYTES = 8192;
const MAX_INT32 = 0x7fffffff;
const securePolicies: readonly SecurityPolicyName[] = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'];

/**
 * Fills in defaults and checks every option once.
 * @throws OptionsError naming the option's path.
 */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  const { applicationName } = options;
  if (typeof applicationName !== 'string' || applicationName === '') {
    throw new OptionsError('applicationName', 'a name', applicationName);
  }
  checkLimits(options);
  checkBandwidth(options.bandwidth);
  if (options.httpsRateLimits !== undefined) createHttpsRateLimiter(options.httpsRateLimits);
  const host = options.host ?? '127.0.0.1';
  const maxSessionCount = integer('maxSessionCount', options.maxSessionCount ?? 100, 1);
  const reverseConnect = resolveReverseConnect(options.reverseConnect ?? []);
  const maxMessageSize = integer('maxMessageSize', options.maxMessageSize ?? 4 * MiB, MIN_BUFFER_BYTES);
  const maxQueuedRequestCount = integer('maxQueuedRequestCount', options.maxQueuedRequestCount ?? 1000, 1);
  const timeouts = resolveTimeouts(options);
  return {
    applicationName,
    applicationUri: options.applicationUri ?? `urn:${hostname()}:${applicationName.replaceAll(/\s+/gu, '')}`,
    productUri: options.productUri ?? 'urn:bulkhead:server',
    host,
    port: integer('port', options.port ?? 4840, 0, 65_535),
    hostNames: options.hostNames ?? [advertisedHost(host)],
    security: resolveSecurity(options),
    pki: {
      folder: options.pki?.folder ?? './pki',
      autoAcceptUntrustedCertificates: options.pki?.autoAcceptUntrustedCertificates ?? false,
    },
    maxMessageSize,
    maxBufferSize: integer('maxBufferSize', options.maxBufferSize ?? 64 * KiB, MIN_BUFFER_BYTES),
    maxSessionCount,
    reverseConnect,
    // A server must always have one channel more than sessions (OPC 10000-4 §5.6.2); those that wait for clients come on top.
    maxChannelCount: integer(
      'maxChannelCount',
      options.maxChannelCount ?? maxSessionCount + 100 + reverseConnect.length,
      maxSessionCount + 1 + reverseConnect.length,
    ),
    maxQueuedRequestCount,
    maxConcurrentRequests: integer('maxConcurrentRequests', options.maxConcurrentRequests ?? 100, 1),
    maxParkedRequestCount: integer(
      'maxParkedRequestCount',
      options.maxParkedRequestCount ?? Math.max(10 * maxSessionCount, maxQueuedRequestCount),
      1,
    ),
    maxReassemblyBytes: reassemblyBytes(options, maxMessageSize),
    rateLimits: resolveRateLimits(options.rateLimits),
    ...timeouts,
    ...resolveTrustedProxies(options, timeouts.helloTimeoutMs),
    webPort: resolveWebPort(options.webPort, host),
    webSocket: options.webSocket === undefined ? undefined : resolveWebSocket(options.webSocket),
    https: options.https === undefined ? undefined : resolveHttps(options.https, maxMessageSize),
    requestScheduling: resolveScheduling(options),
    decoupleHeldPublishRequests: options.decoupleHeldPublishRequests ?? true,
    ...resolveRetainedBytes(options, maxMessageSize),
  };
}

type Timeouts = Pick<
  ResolvedServerOptions,
  'minSessionTimeoutMs' | 'maxSessionTimeoutMs' | 'handshakeTimeoutMs' | 'helloTimeoutMs' | 'slowReaderTimeoutMs' | 'sourceTimeoutMs'
>;

function resolveTimeouts(options: ServerOptions): Timeouts {
  const minSessionTimeoutMs = integer('minSessionTimeoutMs', options.minSessionTimeoutMs ?? 10_000, 1);
  return {
    minSessionTimeoutMs,
    maxSessionTimeoutMs: integer('maxSessionTimeoutMs', options.maxSessionTimeoutMs ?? 3_600_000, minSessionTimeoutMs),
    handshakeTimeoutMs: handshakeTimeoutMs(options),
    helloTimeoutMs: integer('helloTimeoutMs', options.helloTimeoutMs ?? 10_000, 1),
    slowReaderTimeoutMs: integer('slowReaderTimeoutMs', options.slowReaderTimeoutMs ?? 30_000, 1),
    sourceTimeoutMs: integer('sourceTimeoutMs', options.sourceTimeoutMs ?? 10_000, 1),
  };
}

type RetainedBytes = Pick<ResolvedServerOptions, 'maxUnsentBytesPerOwner' | 'maxRetainedBytes' | 'maxRetainedBytesPerOwner'>;

function resolveRetainedBytes(options: ServerOptions, maxMessageSize: number): RetainedBytes {
  // What one connection may have unsent, as the transport plans it.
  const { maxUnsentBytes } = planConnectionLimits({ maxMessageSize });
  const bytes = (path: keyof RetainedBytes, standard: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number =>
    integer(path, options[path] ?? standard, min, max);
  const maxUnsentBytesPerOwner = bytes('maxUnsentBytesPerOwner', 4 * maxUnsentBytes, maxUnsentBytes);
  const maxRetainedBytes = bytes('maxRetainedBytes', Math.max(256 * MiB, 4 * maxUnsentBytesPerOwner), 2 * maxMessageSize);
  const maxRetainedBytesPerOwner = bytes(
    'maxRetainedBytesPerOwner',
    Math.max(2 * maxMessageSize, Math.floor(maxRetainedBytes / 4)),
    // A response of the largest size has to fit beside another.
    2 * maxMessageSize,
    maxRetainedBytes,
  );
  return { maxUnsentBytesPerOwner, maxRetainedBytes, maxRetainedBytesPerOwner };
}

/** Without owners that are told apart nobody takes turns: then requests run as they come. */
function resolveScheduling(options: ServerOptions): ResolvedServerOptions['requestScheduling'] {
  const { resourceIsolation, resourceIsolationProvider, requestScheduling = {} } = options;
  const isSharedOnly = resourceIsolationProvider === undefined && resourceIsolation?.mode === 'SharedOnly';
  const { useFairScheduling = !isSharedOnly, schedulingCost = 'turn' } = requestScheduling;
  if (useFairScheduling && isSharedOnly) {
    throw new OptionsError('requestScheduling.useFairScheduling', 'false, as mode SharedOnly runs requests in arrival order,', true);
  }
  if (schedulingCost !== 'turn' && schedulingCost !== 'time') {
    throw new OptionsError('requestScheduling.schedulingCost', 'turn or time', schedulingCost);
  }
  if (schedulingCost === 'time' && !useFairScheduling) {
    throw new OptionsError('requestScheduling.schedulingCost', 'turn, as requests run in arrival order,', schedulingCost);
  }
  return { useFairScheduling, schedulingCost };
}

function resolveSecurity(options: ServerOptions): ResolvedServerOptions['security'] {
  const { policies = securePolicies, modes = ['Sign', 'SignAndEncrypt'], validateUser } = options.security ?? {};
  if (policies.length === 0) throw new OptionsError('security.policies', 'at least one policy', policies);
  if (modes.length === 0) throw new OptionsError('security.modes', 'at least one mode', modes);
  const allowAnonymous = options.security?.allowAnonymous ?? validateUser === undefined;
  if (!allowAnonymous && validateUser === undefined) {
    throw new OptionsError('security.validateUser', 'a function, as anonymous users are not allowed', validateUser);
  }
  return { policies, modes, allowAnonymous, validateUser };
}

/** The budget that is given says it, if there is one. */
function reassemblyBytes({ maxReassemblyBytes, chunkReassemblyBudget }: ServerOptions, maxMessageSize: number): number {
  const bytes = maxReassemblyBytes ?? chunkReassemblyBudget?.maxBytes ?? ChunkReassemblyBudget.defaultMaxBytes(maxMessageSize);
  return integer('maxReassemblyBytes', bytes, maxMessageSize, Number.MAX_SAFE_INTEGER);
}

/** Checked in every mode; both places where it may stand have to be right. */
function handshakeTimeoutMs({ handshakeTimeoutMs: own, resourceIsolation }: ServerOptions): number {
  const isolations = resourceIsolation?.handshakeTimeoutMs;
  for (const [path, value] of [
    ['handshakeTimeoutMs', own],
    ['resourceIsolation.handshakeTimeoutMs', isolations],
  ] as const) {
    if (value !== undefined) integer(path, value, 1, MAX_HANDSHAKE_TIMEOUT_MS);
  }
  if (own !== undefined && isolations !== undefined && own !== isolations) {
    throw new OptionsError('resourceIsolation.handshakeTimeoutMs', `${own}, as in handshakeTimeoutMs, or nothing`, isolations);
  }
  return own ?? isolations ?? MAX_HANDSHAKE_TIMEOUT_MS;
}

function integer(path: string, value: number, min: number, max: number = MAX_INT32): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) throw new OptionsError(path, `an integer from ${min} to ${max}`, value);
  return value;
}

function advertisedHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? hostname() : host;
}
