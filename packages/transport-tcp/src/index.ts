export { ProxyHeaderGate, type ProxyHeaderGateOptions } from './proxy-header-gate.ts';
export { ReverseConnector, type ReverseConnectorOptions } from './reverse-connector.ts';
export type { ReverseConnectTarget } from './reverse-dialler.ts';
export { SocketByteTransport, UA_TCP_PROFILE_URI } from './socket-byte-transport.ts';
export { type ListenAddress, TcpListener, type TcpListenerOptions } from './tcp-listener.ts';
export type { ProxyHeaderRefusal } from './waiting-for-header.ts';
