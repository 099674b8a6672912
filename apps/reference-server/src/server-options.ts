import type { Logger } from '@bulkhead/contracts';
import { type HttpsSettings, planServer, type ServerOptions, type UserValidator } from '@bulkhead/opcua';
import type { ResourceIsolationPlan } from '@bulkhead/resource-isolation';
import { resolveServerOptions } from '@bulkhead/server';
import { defaultSubscriptionLimits } from '@bulkhead/subscription';
import type { Configuration } from './configuration.ts';
import type { MemoryTotals } from './memory/peak-memory.ts';

/** opc.tcp has 4840, the web port 4843 then. */
const WEB_PORT_DISTANCE = 3;

/** What a configuration leaves to whoever starts the server. */
export interface ServerServices {
  readonly log?: Logger | undefined;
  readonly validateUser?: UserValidator | undefined;
  /** PEM of the web port's certificate and key, read from the files that the configuration names. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** The framework's options for a configuration. */
export function serverOptionsOf(configuration: Configuration, services: ServerServices = {}): ServerOptions {
  const { applicationName, applicationUri, host, port, hostNames, pki, autoAccept, limits, classifier, bandwidth } = configuration;
  return withoutUndefined({
    applicationName,
    applicationUri,
    productUri: 'urn:bulkhead:reference-server',
    host,
    port,
    hostNames,
    ...webOptions(configuration, services.tls),
    ...proxyOptions(configuration.proxies),
    reverseConnect: configuration.reverseConnect?.map(withoutUndefined),
    pki: { folder: pki, autoAcceptUntrustedCertificates: autoAccept },
    security: securityOptions(configuration, services.validateUser),
    ...withoutUndefined(limits),
    operationLimits: configuration.operationLimits,
    subscriptionLimits: configuration.subscriptionLimits,
    bandwidth,
    resourceIsolation: configuration.resourceIsolation,
    rateLimits: configuration.rateLimits,
    requestScheduling: configuration.requestScheduling,
    decoupleHeldPublishRequests: configuration.decoupleHeldPublishRequests,
    resourceIsolationClassifier: classifier,
    log: services.log,
  }) as ServerOptions;
}

/**
 * How the server's limits would be divided, without starting it.
 * @throws Error that names the option which doesn't fit.
 */
export function planReferenceServer(configuration: Configuration): ResourceIsolationPlan {
  return planServer(serverOptionsOf(configuration, { validateUser: () => false }));
}

/** The totals that memory goes by. */
export function memoryTotals(configuration: Configuration): MemoryTotals {
  const { maxChannelCount, maxSessionCount, maxRetainedBytes } = resolveServerOptions(
    serverOptionsOf(configuration, { validateUser: () => false }),
  );
  const { maxMonitoredItems = defaultSubscriptionLimits.maxMonitoredItems } = configuration.subscriptionLimits ?? {};
  return { maxChannelCount, maxSessionCount, maxRetainedBytes, maxMonitoredItems };
}

function securityOptions(
  { securityPolicies, securityModes, allowAnonymous, users }: Configuration,
  validateUser: UserValidator | undefined,
): NonNullable<ServerOptions['security']> {
  return {
    policies: securityPolicies,
    allowAnonymous,
    ...(securityModes === undefined ? {} : { modes: securityModes }),
    ...(users.length === 0 || validateUser === undefined ? {} : { validateUser }),
  };
}

function webOptions(configuration: Configuration, tls: ServerServices['tls']): Partial<ServerOptions> {
  const { port, noWeb = false, web = {}, webSocket = {}, https = {} } = configuration;
  if (noWeb) return {};
  const { certificateFile: _certificate, privateKeyFile: _key, ...settings } = web;
  const { enabled: hasWebSocket = true, ...webSocketSettings } = webSocket;
  const { enabled: hasHttps = true, rateLimits, ...httpsSettings } = https;
  const { webPort = port === 0 ? 0 : port + WEB_PORT_DISTANCE } = configuration;
  return {
    webPort: withoutUndefined({ port: webPort, ...settings, tls }) as NonNullable<ServerOptions['webPort']>,
    ...(hasWebSocket ? { webSocket: withoutUndefined(webSocketSettings) } : {}),
    ...(hasHttps ? { https: httpsOptions(httpsSettings) } : {}),
    ...(hasHttps && rateLimits !== undefined
      ? { httpsRateLimits: withTrustedProxies(withoutUndefined(rateLimits), configuration.proxies?.trusted) }
      : {}),
  };
}

function httpsOptions({ sessionless = {}, ...others }: NonNullable<Configuration['https']>): HttpsSettings {
  const { enabled = true, ...sessionlessSettings } = sessionless;
  return { ...withoutUndefined(others), ...(enabled ? { sessionless: withoutUndefined(sessionlessSettings) } : {}) } as HttpsSettings;
}

/** Whose word about a client's address is taken is the same everywhere. */
function withTrustedProxies<T extends object>(rateLimits: T, trustedProxies: readonly string[] | undefined): T {
  return trustedProxies === undefined ? rateLimits : { ...rateLimits, trustedProxies };
}

function proxyOptions({ trusted, proxyProtocol, ...settings }: NonNullable<Configuration['proxies']> = {}): Partial<ServerOptions> {
  return withoutUndefined({
    trustedProxies: trusted,
    proxyProtocol: proxyProtocol === true ? withoutUndefined(settings) : proxyProtocol,
  }) as Partial<ServerOptions>;
}

/** What isn't given is left out, so that its default applies. */
function withoutUndefined<T extends object>(options: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>;
}
