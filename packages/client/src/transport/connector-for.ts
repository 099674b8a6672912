import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { TransportConnector } from './client-transport.ts';
import type { TlsTrust } from './connect-socket.ts';
import { tcpConnector } from './connect-tcp.ts';
import { WSS_PROTOCOLS, wssConnector } from './connect-wss.ts';
import { protocolOf } from './endpoint-url.ts';

/** What a connector is chosen by. */
export interface ConnectorOptions {
  readonly endpointUrl: string;
  readonly localAddress?: string | undefined;
  readonly tlsTrust?: TlsTrust | undefined;
}

/** Without somebody to ask, the authorities of the operating system decide alone. */
export const trustsNobody: TlsTrust = {
  checkTlsCertificate: () => {
    throw new UaStatusError(StatusCodes.BadCertificateUntrusted, 'no authority vouches for the TLS certificate of the server');
  },
};

/** The connector for the scheme of the URL; for opc.tcp, which says what is wrong, when it is none that is known. */
export function connectorFor({ endpointUrl, localAddress, tlsTrust }: ConnectorOptions, maxChunkBytes: number): TransportConnector {
  if (!WSS_PROTOCOLS.includes(protocolOf(endpointUrl))) return tcpConnector({ localAddress });
  return wssConnector({ localAddress, maxChunkBytes, trust: tlsTrust ?? trustsNobody });
}
