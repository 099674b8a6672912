import { checkHandshakeTimeout } from '@bulkhead/resource-isolation';
import { TcpListener } from '@bulkhead/transport-tcp';
import type { ResolvedServerOptions } from './server-options.ts';
import { createProxyHeaderGate } from './trusted-proxies.ts';
import type { ServerParts } from './wiring.ts';

/** Sockets above the Connection stage that may exist while others close. */
const SPARE_SOCKETS = 64;

/**
 * Makes the listener for opc.tcp; it doesn't listen yet.
 * @throws ResourceIsolationOptionsError naming `handshakeTimeoutMs` if it was changed to something wrong since the start.
 */
export function createTcpListener(options: ResolvedServerOptions, { connections, runtime }: ServerParts): TcpListener {
  checkHandshakeTimeout(options);
  return new TcpListener({
    acceptor: connections,
    port: options.port,
    hosts: [options.host],
    backlog: options.rateLimits.listenBacklog,
    maxConnections: options.maxChannelCount + SPARE_SOCKETS + (options.proxyProtocol?.maxWaitingConnections ?? 0),
    proxyHeaders: createProxyHeaderGate(options, runtime),
    log: runtime.log,
  });
}
