import type { UpgradeHandler, UpgradeRequest } from '@bulkhead/transport';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import type { HttpsEnvironment } from '../https-environment.ts';
import type { MessageFormat } from '../message-format.ts';
import type { ServiceRequests } from '../service-requests.ts';
import { JsonSocket } from './json-socket.ts';

export interface JsonUpgradeOptions {
  readonly environment: HttpsEnvironment;
  readonly requests: ServiceRequests;
  /** By subprotocol, such as `opcua+uajson`. */
  readonly formats: ReadonlyMap<string, MessageFormat>;
}

/** How long a peer may take to answer a close frame, ms. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Of one message: pieces that came apart, and fragments. */
const MAX_BUFFERED_CHUNKS = 16_384;
const MAX_FRAGMENTS = 1_024;

/**
 * Turns connections to the web port into WebSockets whose messages are requests in JSON. A browser can't send headers with them: it may
 * put an access token behind the subprotocol's name, `opcua+openapi+<token>`. OPC 10000-6 §7.5.2.
 */
export class JsonUpgradeHandler implements UpgradeHandler {
  readonly #options: JsonUpgradeOptions;
  readonly #server: WebSocketServer;
  readonly #sockets: Set<JsonSocket> = new Set();
  readonly #emptied: (() => void)[] = [];
  #isStopping = false;

  private constructor(options: JsonUpgradeOptions, server: WebSocketServer) {
    this.#options = options;
    this.#server = server;
  }

  static async create(options: JsonUpgradeOptions): Promise<JsonUpgradeHandler> {
    // Loaded where it is needed: servers without WebSockets start sooner.
    const { WebSocketServer } = await import('ws');
    const serverOptions: ServerOptions & Record<'closeTimeout' | 'maxBufferedChunks' | 'maxFragments', number> = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.environment.limits.maxJsonBodyBytes,
      handleProtocols: (protocols) => [...protocols].find((protocol) => formatFor(options.formats, protocol) !== undefined) ?? false,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxBufferedChunks: MAX_BUFFERED_CHUNKS,
      maxFragments: MAX_FRAGMENTS,
    };
    return new JsonUpgradeHandler(options, new WebSocketServer(serverOptions));
  }

  get socketCount(): number {
    return this.#sockets.size;
  }

  takes(protocol: string): boolean {
    return formatFor(this.#options.formats, protocol) !== undefined;
  }

  upgrade({ request, socket, head, connection, protocol }: UpgradeRequest): number | undefined {
    const found = formatFor(this.#options.formats, protocol);
    if (found === undefined) return 400;
    if (this.#isStopping) return 503;
    this.#server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
      connection.upgraded();
      connection.admission.endHandshake();
      const { environment, requests } = this.#options;
      const { format, accessToken } = found;
      const jsonSocket = new JsonSocket({ environment, requests, format, webSocket, request, connection, accessToken });
      this.#sockets.add(jsonSocket);
      webSocket.once('close', () => this.#closed(jsonSocket));
    });
    return undefined;
  }

  /** Gives up what is not answered, closes all with 1001, and resolves once none is left. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { connection } of [...this.#sockets]) connection.closeSoon();
    if (this.#sockets.size > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }

  /** Cuts those that are left. */
  destroy(): void {
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  #closed(socket: JsonSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    for (const resolve of this.#emptied.splice(0)) resolve();
  }
}

/** The one subprotocol that an access token may follow. */
const TOKEN_PROTOCOL = 'opcua+openapi';

/** @returns how messages of a subprotocol are written, and the access token in its name. */
function formatFor(
  formats: ReadonlyMap<string, MessageFormat>,
  protocol: string,
): { readonly format: MessageFormat; readonly accessToken: string | undefined } | undefined {
  for (const [name, format] of formats) {
    if (protocol === name) return { format, accessToken: undefined };
    if (name === TOKEN_PROTOCOL && protocol.startsWith(`${name}+`)) return { format, accessToken: protocol.slice(name.length + 1) };
  }
  return undefined;
}
