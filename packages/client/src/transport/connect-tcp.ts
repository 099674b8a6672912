import { SocketByteTransport } from '@bulkhead/transport-tcp';
import type { TransportConnector } from './client-transport.ts';
import { connectSocket, remoteOf } from './connect-socket.ts';
import { parseEndpointUrl } from './endpoint-url.ts';

/** Port of opc.tcp URLs that name none. OPC 10000-6 §7.2. */
const DEFAULT_PORT = 4840;

export interface TcpConnectorOptions {
  /** Source address, such as 127.0.0.2; default: the system's choice. */
  readonly localAddress?: string | undefined;
}

/** Connects by opc.tcp. */
export function tcpConnector({ localAddress }: TcpConnectorOptions = {}): TransportConnector {
  return async (endpointUrl, signal) => {
    const { host, port } = parseEndpointUrl(endpointUrl, ['opc.tcp:'], DEFAULT_PORT);
    const socket = await connectSocket({ endpointUrl, host, port, localAddress, trust: undefined }, signal);
    return new SocketByteTransport(socket, remoteOf(socket, host, port));
  };
}
