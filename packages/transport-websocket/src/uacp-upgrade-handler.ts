import type { Socket } from 'node:net';
import type { PingTimers, UpgradeHandler, UpgradeRequest } from '@bulkhead/transport';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import { UACP_SUBPROTOCOL, WebSocketByteTransport } from './websocket-byte-transport.ts';

export interface UacpUpgradeOptions {
  /** Largest MessageChunk, and so the largest frame, that is received, bytes. What is larger is closed with 1009 on its header. */
  readonly maxChunkBytes: number;
  readonly idle: PingTimers;
}

/** How long a peer may take to answer a close frame, ms. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Of one frame: pieces that came apart, and fragments. */
const MAX_BUFFERED_CHUNKS = 4_096;
const MAX_FRAGMENTS = 1_024;

/** Turns connections to a web port into WebSockets that carry SecureChannels. OPC 10000-6 §7.5.2. */
export class UacpUpgradeHandler implements UpgradeHandler {
  readonly #idle: PingTimers;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, idle: PingTimers) {
    this.#server = server;
    this.#idle = idle;
  }

  static async create({ maxChunkBytes, idle }: UacpUpgradeOptions): Promise<UacpUpgradeHandler> {
    // Loaded where it is needed: servers without WebSockets start sooner.
    const { WebSocketServer } = await import('ws');
    const options: ServerOptions & Record<'closeTimeout' | 'maxBufferedChunks' | 'maxFragments', number> = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxChunkBytes,
      handleProtocols: () => UACP_SUBPROTOCOL,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxBufferedChunks: MAX_BUFFERED_CHUNKS,
      maxFragments: MAX_FRAGMENTS,
    };
    return new UacpUpgradeHandler(new WebSocketServer(options), idle);
  }

  takes(protocol: string): boolean {
    return protocol === UACP_SUBPROTOCOL;
  }

  upgrade({ request, socket, head, connection }: UpgradeRequest): undefined {
    this.#server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
      connection.upgraded();
      const transport = new WebSocketByteTransport(webSocket, request.socket as Socket, connection.remote, this.#idle);
      transport.start(connection.admission.open(transport));
    });
  }
}
