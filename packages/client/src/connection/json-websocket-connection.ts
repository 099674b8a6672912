import { TextWebSocket } from '@bulkhead/transport-websocket';
import { DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import { connectWss, WSS_PROTOCOLS } from '../transport/connect-wss.ts';
import { trustsNobody } from '../transport/connector-for.ts';
import { parseEndpointUrl } from '../transport/endpoint-url.ts';
import { type ClientConnectionOptions, type ResolvedConnectionOptions, resolveConnectionOptions } from './connection-options.ts';
import { JsonFormat } from './json-format.ts';
import { MessageConnection } from './message-connection.ts';

const SUBPROTOCOL = 'opcua+uajson';
/** OPC 10000-6 §7.5.1. */
const DEFAULT_PORT = 443;

/** Sends requests as JSON over one WebSocket. Ends for good when that is closed. OPC 10000-6 §7.5.2. */
export class JsonWebSocketConnection extends MessageConnection<unknown> {
  #webSocket: TextWebSocket | undefined;

  private constructor(options: ResolvedConnectionOptions, isEncrypted: boolean) {
    super(options, new JsonFormat(), isEncrypted);
  }

  /** @throws UaStatusError (as a rejection) as `connectWss`, BadTcpEndpointUrlInvalid; what `signal` was aborted with. */
  static async open(options: ClientConnectionOptions, signal?: AbortSignal): Promise<JsonWebSocketConnection> {
    const resolved = resolveConnectionOptions(options);
    const { protocol } = parseEndpointUrl(options.endpointUrl, WSS_PROTOCOLS, DEFAULT_PORT);
    const connection = new JsonWebSocketConnection(resolved, protocol.endsWith('wss:'));
    const timeout = AbortSignal.timeout(resolved.connectTimeoutMs);
    await connection.#connect(options, signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    return connection;
  }

  async #connect(
    { endpointUrl, localAddress, tlsTrust: trust = trustsNobody }: ClientConnectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { maxMessageSize: maxMessageBytes } = this.options.limits;
    this.#webSocket = await connectWss({ endpointUrl, localAddress, trust, signal }, ({ socket, url }) =>
      TextWebSocket.open(
        { socket, url, protocol: SUBPROTOCOL, maxMessageBytes, signal },
        { onMessage: (message) => this.#onMessage(message), onClosed: (code, error) => this.#onClosed(code, error) },
      ),
    );
  }

  protected override checkRoom(messageBytes: number): void {
    const { maxUnsentBytes } = this.options;
    if ((this.#webSocket?.unsentBytes ?? 0) + messageBytes <= maxUnsentBytes) return;
    throw new UaStatusError(StatusCodes.BadResourceUnavailable, `the server takes too little of ${maxUnsentBytes} bytes`);
  }

  protected override send(_requestId: number, message: Buffer): undefined {
    this.#webSocket?.send(message);
  }

  protected override release(): void {
    this.#webSocket?.close();
  }

  override destroy(reason?: UaStatusError): void {
    super.destroy(reason);
    this.#webSocket?.destroy();
  }

  /** Whom a message answers is said in its header alone: one that can't be read ends the connection. */
  #onMessage(message: Buffer): void {
    try {
      const json = this.format.parse(message);
      this.pending.settle(requestHandleOf(json), json);
    } catch (error) {
      this.destroy(error instanceof UaStatusError ? error : DecodingError.malformed('no message'));
    }
  }

  #onClosed(code: number, error: Error | undefined): void {
    const isTooLong = (error as NodeJS.ErrnoException | undefined)?.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    const statusCode = isTooLong ? StatusCodes.BadResponseTooLarge : (reasons[code] ?? StatusCodes.BadConnectionClosed);
    const text = error === undefined ? `closed with ${code}` : error.message;
    this.end(new UaStatusError(statusCode, `${this.endpointUrl}: ${text}`, { cause: error }));
  }
}

/** What close codes mean. RFC 6455 §7.4.1; 1013 is the registry's own. */
const reasons: Readonly<Record<number, number>> = {
  1008: StatusCodes.BadUserAccessDenied,
  1009: StatusCodes.BadRequestTooLarge,
  1013: StatusCodes.BadServerTooBusy,
};

function requestHandleOf(json: unknown): number {
  const header = (json as { ResponseHeader?: { RequestHandle?: unknown } } | null)?.ResponseHeader;
  if (typeof header?.RequestHandle === 'number') return header.RequestHandle;
  throw DecodingError.malformed('$.ResponseHeader.RequestHandle: no number');
}
