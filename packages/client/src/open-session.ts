import { type EndpointDescription, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { ClientApplication } from './client-application.ts';
import type { ClientConnectionOptions } from './connection/connection-options.ts';
import { openServiceConnection, type ServiceConnection } from './connection/service-connection.ts';
import { getEndpoints } from './discovery.ts';
import { type EndpointCriteria, selectEndpoint } from './select-endpoint.ts';
import { ClientSession } from './session/client-session.ts';
import type { SessionSeed } from './session/session-handshake.ts';
import { ANONYMOUS, type ClientUser, needsServerCertificate, userTokenTypeOf } from './session/user-identity.ts';

/** Where a Session is opened, how it is secured and for whom. */
export interface OpenSessionOptions extends Omit<ClientConnectionOptions, 'security' | 'runtime'> {
  /** Default: the strongest security that both sides know; `{ mode: 'None' }` for none. */
  readonly security?: Omit<EndpointCriteria, 'userTokenType' | 'encoding'>;
  /** Default: anonymous. */
  readonly user?: ClientUser;
  /** Default: the application's name. */
  readonly sessionName?: string;
  /** ms without requests after which the server closes the Session. Default 60 s. */
  readonly requestedSessionTimeoutMs?: number;
  readonly localeIds?: readonly string[];
}

/** An endpoint with the list it was chosen from. */
export interface DiscoveredEndpoint {
  readonly endpoint: EndpointDescription;
  readonly endpoints: readonly EndpointDescription[];
}

/** Asks the server for its endpoints and chooses one. @throws as `getEndpoints` and `selectEndpoint` */
export async function discoverEndpoint(
  application: ClientApplication,
  options: OpenSessionOptions,
  signal?: AbortSignal,
): Promise<DiscoveredEndpoint> {
  const discovery = { tlsTrust: application, ...connectionOptionsOf(options), runtime: application.runtime };
  // Others may trust another TLS certificate: nothing is shared with them.
  const isShared = discovery.tlsTrust === application;
  const endpoints = await (isShared ? application.discovery.endpointsOf(discovery, signal) : getEndpoints(discovery, signal));
  const criteria = { ...options.security, encoding: options.encoding, userTokenType: userTokenTypeOf(options.user ?? ANONYMOUS) };
  return { endpoint: selectEndpoint(endpoints, criteria, options.endpointUrl), endpoints };
}

/** Opens a connection to a discovered endpoint, after the server's certificate was found to be trusted. */
export async function openConnection(
  application: ClientApplication,
  options: OpenSessionOptions,
  { endpoint }: DiscoveredEndpoint,
  signal?: AbortSignal,
): Promise<ServiceConnection> {
  const security = await application.securityFor(endpoint, needsServerCertificate(options.user ?? ANONYMOUS, endpoint));
  const endpointUrl = endpoint.endpointUrl ?? options.endpointUrl;
  return openServiceConnection(
    { tlsTrust: application, ...connectionOptionsOf(options), endpointUrl, security, runtime: application.runtime },
    signal,
  );
}

/** What a Session at a discovered endpoint is made of. */
export function sessionSeed(application: ClientApplication, options: OpenSessionOptions, discovered: DiscoveredEndpoint): SessionSeed {
  return {
    application: application.description,
    endpoint: discovered.endpoint,
    discoveredEndpoints: discovered.endpoints,
    user: options.user ?? ANONYMOUS,
    sessionName: options.sessionName ?? application.description.applicationName.text ?? '',
    requestedSessionTimeoutMs: options.requestedSessionTimeoutMs ?? 60_000,
    localeIds: options.localeIds ?? [],
  };
}

/**
 * Discovers, connects, and opens a Session that lives as long as its connection. For one that outlives it: `ManagedSession`.
 * @throws UaStatusError (as a rejection); nothing stays open then.
 */
export async function openSession(
  application: ClientApplication,
  options: OpenSessionOptions,
  signal?: AbortSignal,
): Promise<ClientSession> {
  const discovered = await discoverEndpoint(application, options, signal);
  const connection = await openConnection(application, options, discovered, signal);
  try {
    return await ClientSession.create(connection, sessionSeed(application, options, discovered), { signal });
  } catch (error) {
    await connection.close();
    throw error instanceof UaStatusError ? error : new UaStatusError(StatusCodes.BadInternalError, 'opening failed', { cause: error });
  }
}

function connectionOptionsOf(options: OpenSessionOptions): Omit<ClientConnectionOptions, 'security' | 'runtime'> {
  const {
    security: _security,
    user: _user,
    sessionName: _name,
    requestedSessionTimeoutMs: _timeout,
    localeIds: _ids,
    ...connection
  } = options;
  return connection;
}
