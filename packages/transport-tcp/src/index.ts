export { foldAddress } from './remote-address.ts';
export { SocketByteTransport, UA_TCP_PROFILE_URI } from './socket-byte-transport.ts';
export { type ListenAddress, TcpListener, type TcpListenerOptions } from './tcp-listener.ts';
