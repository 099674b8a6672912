import { ReverseConnector, type ReverseConnectTarget } from '@bulkhead/transport-tcp';
import type { NodeRuntime } from './node-runtime.ts';
import { OptionsError, type ResolvedServerOptions, type ReverseConnectOptions } from './server-options.ts';
import type { ServerParts } from './wiring.ts';

const DEFAULT_PORT = 4840;
const DEFAULT_RETRY_MS = 5000;
const DEFAULT_MAX_RETRY_MS = 60_000;
const MAX_RETRY_MS = 0x7fffffff;

/**
 * Fills in defaults and checks where clients are said to listen.
 * @throws OptionsError naming the option's path.
 */
export function resolveReverseConnect(options: readonly ReverseConnectOptions[]): readonly Required<ReverseConnectOptions>[] {
  return options.map(({ clientUrl, retryMs = DEFAULT_RETRY_MS, maxRetryMs = Math.max(retryMs, DEFAULT_MAX_RETRY_MS) }, at) => {
    const path = `reverseConnect[${at}]`;
    if (targetOf(clientUrl) === undefined) throw new OptionsError(`${path}.clientUrl`, 'opc.tcp://host:port', clientUrl);
    checkDelay(`${path}.retryMs`, retryMs, 1);
    checkDelay(`${path}.maxRetryMs`, maxRetryMs, retryMs);
    return { clientUrl, retryMs, maxRetryMs };
  });
}

/** Opens nothing before it is started. */
export function createReverseConnector(options: ResolvedServerOptions, parts: ServerParts<NodeRuntime>): ReverseConnector {
  const targets = options.reverseConnect.map(({ clientUrl, retryMs, maxRetryMs }): ReverseConnectTarget => {
    const target = targetOf(clientUrl);
    if (target === undefined) throw new OptionsError('reverseConnect', 'opc.tcp://host:port', clientUrl);
    return { ...target, retryMs, maxRetryMs };
  });
  return new ReverseConnector({
    initiator: parts.connections,
    targets,
    reverseHello: () => ({ serverUri: options.applicationUri, endpointUrl: parts.endpoints.urls[0] ?? '' }),
    runtime: parts.runtime,
  });
}

function targetOf(clientUrl: string): { readonly host: string; readonly port: number } | undefined {
  if (typeof clientUrl !== 'string' || !URL.canParse(clientUrl)) return undefined;
  const { protocol, hostname, port } = new URL(clientUrl);
  if (protocol !== 'opc.tcp:' || hostname === '') return undefined;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { host, port: port === '' ? DEFAULT_PORT : Number(port) };
}

function checkDelay(path: string, value: number, min: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > MAX_RETRY_MS) {
    throw new OptionsError(path, `an integer from ${min} to ${MAX_RETRY_MS}`, value);
  }
}
