import type { RemoteAddress } from '@bulkhead/contracts';
import type { PingTimers } from '@bulkhead/transport';
import { type OpenWebSocketOptions, openWebSocket } from './open-websocket.ts';
import { UACP_SUBPROTOCOL, WebSocketByteTransport } from './websocket-byte-transport.ts';

export interface ConnectWebSocketOptions extends Omit<OpenWebSocketOptions, 'protocol' | 'maxMessageBytes'> {
  readonly remote: RemoteAddress;
  /** Largest MessageChunk that is received, bytes. */
  readonly maxChunkBytes: number;
  readonly idle?: PingTimers | undefined;
}

/**
 * Makes a connected socket a WebSocket of MessageChunks. OPC 10000-6 §7.5.2.
 * @throws WebSocketRefusedError (as a rejection), or what the signal was aborted with; the socket is closed then.
 */
export async function connectWebSocket(options: ConnectWebSocketOptions): Promise<WebSocketByteTransport> {
  const { remote, maxChunkBytes, idle, ...open } = options;
  const webSocket = await openWebSocket({ ...open, protocol: UACP_SUBPROTOCOL, maxMessageBytes: maxChunkBytes });
  return new WebSocketByteTransport(webSocket, options.socket, remote, idle);
}
