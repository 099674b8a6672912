export type { ReverseHello } from '@bulkhead/uacp';
export type { ChannelIds } from './channel-ids.ts';
export { type CloseReason, closeReasons } from './close-reason.ts';
export type { ConnectionRateGate } from './connection-admission.ts';
export { type ConnectionLimits, planConnectionLimits } from './connection-limits.ts';
export { ConnectionRegistry } from './connection-registry.ts';
export type { ConnectionThrottles } from './connection-throttles.ts';
export { detach } from './detach.ts';
export { type ConnectionGate, IncomingConnection, type ProxyHeaders } from './incoming-connection.ts';
export type { ConnectionInitiator, OutgoingConnection, OutgoingConnectionEvents } from './outgoing-connection.ts';
export { type Pace, PacedTurns } from './paced-turns.ts';
export { type PingTimers, PingWatch } from './ping-watch.ts';
export type { PlainMessages } from './plain-messages.ts';
export type { ProxyHeader, ProxyHeaderFault } from './proxy-protocol/proxy-header.ts';
export { MAX_PROXY_HEADER_BYTES, readProxyHeader } from './proxy-protocol/read-proxy-header.ts';
export { foldAddress, remoteAddressOf, type SocketAddress } from './remote-address.ts';
export type { DecodedRequestHead, UndecodableHead } from './request-head.ts';
export { ThrottledByteTransport, type ThrottleRuntime } from './throttled-byte-transport.ts';
export { type ConnectionRefusal, TransportDiagnostics } from './transport-diagnostics.ts';
export { UacpConnection } from './uacp-connection.ts';
export {
  type ConnectionAcceptor,
  type SharedTransportParts,
  UacpConnectionFactory,
  type UacpConnectionFactoryOptions,
} from './uacp-connection-factory.ts';
export type { UnsentBytes, UnsentHolder, UnsentShare } from './unsent-bytes.ts';
export type { UpgradableConnection, UpgradeHandler, UpgradeRequest } from './upgrade.ts';
