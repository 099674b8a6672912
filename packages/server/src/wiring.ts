import { AddressSpace } from '@bulkhead/address-space';
import type { CallerOwners, RequestSink, Runtime, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { RequestDispatcher, type RequestDispatcherOptions, type ServiceHandlers } from '@bulkhead/dispatcher';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { CertificateStore } from '@bulkhead/security';
import { createServiceHandlers, defaultOperationLimits, type OperationLimits } from '@bulkhead/services';
import { SessionManager } from '@bulkhead/session';
import { SubscriptionManager, type SubscriptionManagerOptions } from '@bulkhead/subscription';
import { UacpConnectionFactory, type UacpConnectionFactoryOptions } from '@bulkhead/transport';
import { defaultEncodingLimits, type EncodingLimits } from '@bulkhead/types';
import { createConnectionThrottles } from './bandwidth/connection-throttles.ts';
import { ProviderCallerOwners } from './caller-owners.ts';
import type { ServerIsolation } from './isolation/server-isolation.ts';
import { createIsolation } from './isolation.ts';
import { createConnectionRate } from './rate-limits/connection-rate.ts';
import { ServerEndpoints } from './server-endpoints.ts';
import type { ResolvedServerOptions, ServerOptions } from './server-options.ts';
import { createUserValidator } from './user-validation.ts';
import { SessionlessEnds } from './web/sessionless-ends.ts';
import { SessionlessResolver } from './web/sessionless-resolver.ts';

/** The parts of one server, connected. */
export interface ServerParts<ServerRuntime extends Runtime = Runtime> {
  readonly runtime: ServerRuntime;
  readonly provider: ResourceIsolationProvider;
  readonly isolation: ServerIsolation;
  readonly owners: CallerOwners;
  readonly space: AddressSpace;
  readonly endpoints: ServerEndpoints;
  readonly sessions: SessionManager;
  readonly subscriptions: SubscriptionManager;
  readonly dispatcher: RequestDispatcher;
  readonly connections: UacpConnectionFactory;
  /** Services that there are, by name. */
  readonly serviceNames: readonly string[];
  /** Of callers without a Session. */
  readonly sessionless: SessionlessEnds;
  /** Where transports deliver requests. */
  readonly sink: RequestSink;
  readonly operationLimits: OperationLimits;
  readonly encodingLimits: EncodingLimits;
}

/** What may stand between two parts, to see what passes. */
export interface WiringTaps {
  /** Between connections and the dispatcher. */
  readonly sink?: (sink: RequestSink) => RequestSink;
  /** Between the dispatcher and the services. */
  readonly handlers?: (handlers: ServiceHandlers) => ServiceHandlers;
}

/** Makes the parts of a server and connects them; nothing listens yet. */
export function wireServer<ServerRuntime extends Runtime>(
  options: ResolvedServerOptions,
  given: ServerOptions,
  store: CertificateStore,
  runtime: ServerRuntime,
  taps: WiringTaps = {},
): ServerParts<ServerRuntime> {
  const isolation = createIsolation(options, given, runtime, () => dispatcher.owners());
  const { provider, retained } = isolation;
  const operationLimits: OperationLimits = { ...defaultOperationLimits, ...given.operationLimits };
  const encodingLimits = encodingLimitsFor(options);
  const space = new AddressSpace({ runtime, applicationUri: options.applicationUri, sourceTimeoutMs: options.sourceTimeoutMs });
  const endpoints = new ServerEndpoints(options, store, runtime);
  const owners = new ProviderCallerOwners(provider, (chain) => endpoints.thumbprintOf(chain));
  const sessions = createSessions(options, runtime, provider, owners, endpoints);
  const accounts = { accounts: retained, ownerKeyOf: (session: SessionContext) => owners.ownerOf(session.channel, session).key };
  const subscriptions = createSubscriptions(options, given, operationLimits, { runtime, source: space.monitoredSource, ...accounts });
  const sessionless = new SessionlessEnds();
  const handlers = createServiceHandlers({
    space,
    sessions,
    subscriptions,
    discovery: endpoints,
    limits: operationLimits,
    random: runtime.random,
    cancelRequests: (session, requestHandle) => dispatcher.cancel(session, requestHandle),
    retained: accounts,
    onSessionlessEnded: (listener) => sessionless.onEnded(listener),
  });
  const dispatcher: RequestDispatcher = createDispatcher(options, given, {
    runtime,
    provider,
    owners,
    sessions,
    handlers: taps.handlers?.(handlers) ?? handlers,
    encodingLimits,
  });
  const ownSink = requestSink(dispatcher, sessions, subscriptions, owners);
  const sink = taps.sink?.(ownSink) ?? ownSink;
  const connections = createConnections(options, given, { runtime, provider, owners, endpoints, sink, retainedBytes: retained });
  return followSessions({
    runtime,
    provider,
    isolation,
    owners,
    space,
    endpoints,
    sessions,
    subscriptions,
    dispatcher,
    connections,
    sink,
    sessionless,
    serviceNames: Object.keys(handlers),
    operationLimits,
    encodingLimits,
  });
}

function createSubscriptions(
  { maxMessageSize }: ResolvedServerOptions,
  { subscriptionLimits }: ServerOptions,
  { maxMonitoredItemsPerCall }: OperationLimits,
  parts: Omit<SubscriptionManagerOptions, 'limits'>,
): SubscriptionManager {
  const maxNotificationBytesPerPublish = Math.ceil(maxMessageSize / 2);
  return new SubscriptionManager({ ...parts, limits: { maxMonitoredItemsPerCall, maxNotificationBytesPerPublish, ...subscriptionLimits } });
}

function createDispatcher(
  options: ResolvedServerOptions,
  given: ServerOptions,
  parts: Pick<RequestDispatcherOptions, 'runtime' | 'provider' | 'owners' | 'handlers' | 'encodingLimits'> & {
    readonly sessions: SessionManager;
  },
): RequestDispatcher {
  return new RequestDispatcher({
    ...parts,
    sessions: options.https?.sessionless === undefined ? parts.sessions : new SessionlessResolver(parts.sessions),
    maxMessageBytes: options.maxMessageSize,
    ...options.requestScheduling,
    decoupleHeldPublishRequests: options.decoupleHeldPublishRequests,
    sessionGate: parts.sessions.gate,
    sessionQueueLimit: options.rateLimits.sessionEstablishmentQueueLimit,
    parkingPolicy: given.requestParking,
  });
}

/** What doesn't fit into a message needn't be decoded either. */
function encodingLimitsFor({ maxMessageSize }: ResolvedServerOptions): EncodingLimits {
  return { ...defaultEncodingLimits, maxStringBytes: maxMessageSize, maxByteStringBytes: maxMessageSize };
}

/** Answers what is open with BadServerHalted and resolves once every connection is closed. New ones are refused. */
export function stopParts({ dispatcher, subscriptions, sessions, connections }: ServerParts): Promise<void> {
  dispatcher.stop();
  subscriptions.dispose();
  sessions.dispose();
  return connections.close();
}

function createSessions(
  options: ResolvedServerOptions,
  runtime: Runtime,
  provider: ResourceIsolationProvider,
  owners: CallerOwners,
  endpoints: ServerEndpoints,
): SessionManager {
  const userValidator = createUserValidator(options.security.validateUser);
  return new SessionManager({
    runtime,
    provider,
    owners,
    endpoints,
    limits: {
      maxSessionCount: options.maxSessionCount,
      minTimeoutMs: options.minSessionTimeoutMs,
      maxTimeoutMs: options.maxSessionTimeoutMs,
      maxRequestMessageBytes: options.maxMessageSize,
    },
    ...(userValidator === undefined ? {} : { userValidator }),
  });
}

/** The dispatcher, with the Sessions told of closed channels too, and the Subscriptions of those that take nothing. */
function requestSink(
  dispatcher: RequestDispatcher,
  sessions: SessionManager,
  subscriptions: SubscriptionManager,
  owners: CallerOwners,
): RequestSink {
  return {
    submit: (request) => dispatcher.submit(request),
    refuse: (request, error) => dispatcher.refuse(request, error),
    requestAbandoned: (request) => dispatcher.requestAbandoned(request),
    onTurnEnd: (flush) => dispatcher.onTurnEnd(flush),
    channelHeldBack: (channel, isHeldBack) => {
      dispatcher.channelHeldBack(channel, isHeldBack);
      subscriptions.channelHeldBack(channel, isHeldBack);
    },
    channelClosed: (channel) => {
      dispatcher.channelClosed(channel);
      sessions.channelClosed(channel);
      owners.channelClosed(channel);
    },
  };
}

function createConnections(
  options: ResolvedServerOptions,
  given: ServerOptions,
  parts: Omit<UacpConnectionFactoryOptions, 'limits' | 'rateGate' | 'throttles'>,
): UacpConnectionFactory {
  const plan = given.resourceIsolationProvider === undefined ? parts.provider.plan : undefined;
  const rateGate = createConnectionRate(options.rateLimits, plan, given.serverRateLimiterProvider);
  return new UacpConnectionFactory({
    ...parts,
    ...(rateGate === undefined ? {} : { rateGate }),
    throttles: given.bandwidth === undefined ? undefined : createConnectionThrottles(given.bandwidth),
    limits: {
      receiveBufferSize: options.maxBufferSize,
      sendBufferSize: options.maxBufferSize,
      maxMessageSize: options.maxMessageSize,
      handshakeTimeoutMs: options.handshakeTimeoutMs,
      helloTimeoutMs: options.helloTimeoutMs,
      slowReaderTimeoutMs: options.slowReaderTimeoutMs,
      maxUnsentBytesPerOwner: options.maxUnsentBytesPerOwner,
    },
  });
}

/** What the rest of the server does when a Session starts on a channel or ends. */
function followSessions<Parts extends ServerParts>(parts: Parts): Parts {
  const { sessions, subscriptions, dispatcher, connections } = parts;
  const { registry } = connections;
  /** Another activated Session of the channel. */
  const boundTo = (channel: SecureChannelContext): SessionContext | undefined => {
    for (const session of sessions.sessions()) if (session.channel === channel && session.isActivated) return session;
    return undefined;
  };
  sessions.onBound((session, channel, previous) => {
    if (previous !== undefined) dispatcher.sessionMoved(session, previous);
    registry.setSession(channel.channelId, session);
    if (previous !== undefined) registry.setSession(previous.channelId, boundTo(previous));
  });
  sessions.onActivated((session) => subscriptions.sessionActivated(session));
  sessions.onClosed((session: SessionContext, deleteSubscriptions) => {
    subscriptions.sessionClosed(session, deleteSubscriptions);
    dispatcher.sessionClosed(session);
    registry.setSession(session.channel.channelId, boundTo(session.channel));
  });
  return parts;
}
