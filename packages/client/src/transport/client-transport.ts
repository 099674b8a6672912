import type { ByteTransport, ByteTransportEvents } from '@bulkhead/contracts';

/** Bytes of one connection to a server: TCP now, other carriers by other connectors. */
export interface ClientTransport extends ByteTransport {
  /** Begins to read; may be called once. `events.onClosed` is called exactly once, after an error too. */
  start(events: ByteTransportEvents): void;
}

/**
 * Connects to the host of an endpoint URL.
 * @throws UaStatusError (as a rejection) BadConnectionRejected, BadCommunicationError, BadTcpEndpointUrlInvalid, or what the signal
 * was aborted with. Nothing stays open then.
 */
export type TransportConnector = (endpointUrl: string, signal: AbortSignal) => Promise<ClientTransport>;
