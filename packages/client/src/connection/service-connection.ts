import type { Runtime } from '@bulkhead/contracts';
import type { NodeId, RequestType, ResponseType, UaStatusError } from '@bulkhead/types';
import type { ChannelSecurity } from './channel-security.ts';
import { ClientConnection, type RequestOptions } from './client-connection.ts';
import type { ClientConnectionOptions } from './connection-options.ts';
import { HttpsConnection, isHttpsUrl } from './https-connection.ts';
import { JsonWebSocketConnection } from './json-websocket-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from './service-message.ts';

/** What Sessions need of a connection, whatever its protocol. */
export interface ServiceConnection extends AsyncDisposable {
  readonly endpointUrl: string;
  readonly security: ChannelSecurity;
  readonly runtime: Runtime;
  /** Resolves once, with the reason, when the connection is gone; BadConnectionClosed after `close`. */
  readonly closed: Promise<UaStatusError>;
  readonly isOpen: boolean;
  /** SecureChannelId; 0 where there is no SecureChannel. */
  readonly channelId: number;
  /** How often the channel's token was renewed. */
  readonly renewals: number;
  readonly inFlightRequests: number;
  /** @throws as `ClientConnection.request` */
  request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    authenticationToken?: NodeId,
    options?: RequestOptions,
  ): Promise<Response>;
  /** A Session was activated on it: the connection asks for what it needs of the server. @throws as `request` */
  sessionActivated?(authenticationToken: NodeId, options?: RequestOptions): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
  /** Cuts the connection without a word. Idempotent. */
  destroy(reason?: UaStatusError): void;
}

/** Opens a connection by the scheme of its URL. @throws as `open` of the connections there are; BadTcpEndpointUrlInvalid for JSON over opc.tcp */
export function openServiceConnection(options: ClientConnectionOptions, signal?: AbortSignal): Promise<ServiceConnection> {
  if (isHttpsUrl(options.endpointUrl)) return HttpsConnection.open(options, signal);
  return options.encoding === 'json' ? JsonWebSocketConnection.open(options, signal) : ClientConnection.open(options, signal);
}
