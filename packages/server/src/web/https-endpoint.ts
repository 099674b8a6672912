import { HttpsTransport, type JsonOptions, type WebPort } from '@bulkhead/transport-https';
import type { ResolvedServerOptions, ServerOptions } from '../server-options.ts';
import type { ServerParts } from '../wiring.ts';
import { createHttpsRateLimiter } from './https-options.ts';
import { HttpsUsers } from './sessionless-users.ts';

/**
 * Serves OPC UA over HTTPS on the web port, once it is started; undefined when that isn't wanted.
 * @throws OptionsError naming the option that is wrong.
 */
export function createHttpsTransport(
  options: ResolvedServerOptions,
  given: ServerOptions,
  parts: ServerParts,
  port: WebPort,
): HttpsTransport | undefined {
  const { https, maxMessageSize, slowReaderTimeoutMs } = options;
  if (https === undefined) return undefined;
  const { connections, provider, runtime, sessions, sink } = parts;
  const { maxJsonBodyBytes, maxRequestsPerConnection, maxRequestsPerWebSocket, sessionless } = https;
  const { allowAnonymous } = options.security;
  const users = sessionless && new HttpsUsers(sessionless, allowAnonymous, sessions, (session) => parts.sessionless.ended(session));
  const transport = new HttpsTransport({
    runtime,
    provider,
    sink,
    port,
    shared: connections.shared,
    paths: https.paths,
    allowedOrigins: options.webPort.allowedOrigins,
    limits: {
      maxMessageSize,
      slowReaderTimeoutMs,
      maxRequestsPerConnection,
      maxRequestsPerWebSocket,
      maxJsonBodyBytes,
      ...(options.webSocket && { pingIntervalMs: options.webSocket.pingIntervalMs }),
    },
    sessionless: users && { users, limits: sessionless ?? {} },
    json: https.json ? jsonOptions(options, parts) : undefined,
    rateLimiter: given.httpsRateLimits === undefined ? undefined : createHttpsRateLimiter(given.httpsRateLimits),
  });
  // A channel is its Session's own: it goes with it, or when the Session moves away.
  sessions.onClosed(({ channel }) => transport.sessionClosed(channel));
  sessions.onBound((_session, _channel, previous) => {
    if (previous !== undefined) transport.sessionClosed(previous);
  });
  return transport;
}

function jsonOptions(
  { applicationName, applicationUri }: ResolvedServerOptions,
  { encodingLimits, serviceNames, space }: ServerParts,
): JsonOptions {
  const serverUris = [applicationUri];
  return {
    context: () => ({ namespaceUris: space.namespaces.uris, serverUris, structures: space.structures, limits: encodingLimits }),
    services: serviceNames,
    info: { title: applicationName, version: OPENAPI_VERSION },
  };
}

/** Version of the specification whose types are described. */
const OPENAPI_VERSION = '1.05';
