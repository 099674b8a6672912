export { ClientApplication, type ClientApplicationOptions, type ClientPkiOptions } from './client-application.ts';
export { createClientRuntime } from './client-runtime.ts';
export { type ChannelSecurity, UNSECURED } from './connection/channel-security.ts';
export { ClientConnection, type RequestOptions } from './connection/client-connection.ts';
export type { ClientConnectionOptions } from './connection/connection-options.ts';
export { HttpsConnection } from './connection/https-connection.ts';
export { openServiceConnection, type ServiceConnection } from './connection/service-connection.ts';
export type { AnyRequest, AnyResponse, RequestFields } from './connection/service-message.ts';
export { type DiscoveryOptions, findServers, getEndpoints } from './discovery.ts';
export { ManagedSession } from './managed/managed-session.ts';
export { ManagedSessionBuilder } from './managed/managed-session-builder.ts';
export type { ManagedSessionEvent, ManagedSessionOptions } from './managed/managed-session-options.ts';
export { type OpenSessionOptions, openSession } from './open-session.ts';
export { ConcurrencyConnectGate, type ConnectGate } from './reconnect/connect-gate.ts';
export { type ConnectionState, ConnectionStateMachine, type ConnectionStep } from './reconnect/connection-state-machine.ts';
export { type AttemptFailure, type ReconnectDelays, ReconnectPolicy, type ReconnectPolicyOptions } from './reconnect/reconnect-policy.ts';
export {
  MAX_RETRY_AFTER_MS,
  retryAfterOfAdditionalHeader,
  retryAfterOfDiagnostics,
  retryAfterOfHttpHeader,
  retryAfterOfReason,
  retryAfterOfResponse,
} from './retry-after.ts';
export { type EndpointCriteria, selectEndpoint } from './select-endpoint.ts';
export { retryAfterMsOf, ServiceResultError } from './service-result-error.ts';
export { ClientSession } from './session/client-session.ts';
export type { SessionSeed } from './session/session-handshake.ts';
export { type BrowseOptions, type NodeIdLike, SessionOperations } from './session/session-operations.ts';
export type { Service, ServiceCaller, SessionServices } from './session/session-services.ts';
export { ANONYMOUS, type ClientUser } from './session/user-identity.ts';
export type { MonitoredItem, MonitorOptions, NotificationValue } from './subscription/monitored-item.ts';
export { Subscription } from './subscription/subscription.ts';
export type { RevisedParameters, SubscriptionOptions, SubscriptionState } from './subscription/subscription-options.ts';
export type { SubscriptionSet } from './subscription/subscription-set.ts';
export type { ClientTransport, TransportConnector } from './transport/client-transport.ts';
export type { TlsTrust } from './transport/connect-socket.ts';
export { type TcpConnectorOptions, tcpConnector } from './transport/connect-tcp.ts';
export { type WssConnectorOptions, wssConnector } from './transport/connect-wss.ts';
export { ThrottledTransport } from './transport/throttled-transport.ts';
