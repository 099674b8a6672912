export type { ReverseHello } from '@bulkhead/uacp';
export { type CloseReason, closeReasons } from './close-reason.ts';
export type { ConnectionRateGate } from './connection-admission.ts';
export { type ConnectionLimits, planConnectionLimits } from './connection-limits.ts';
export { ConnectionRegistry } from './connection-registry.ts';
export type { ConnectionInitiator, OutgoingConnection, OutgoingConnectionEvents } from './outgoing-connection.ts';
export { type ConnectionRefusal, TransportDiagnostics } from './transport-diagnostics.ts';
export { UacpConnection } from './uacp-connection.ts';
export { type ConnectionAcceptor, UacpConnectionFactory, type UacpConnectionFactoryOptions } from './uacp-connection-factory.ts';
