import type { WebSocket } from 'ws';
import { CloseCode } from './close-code.ts';
import { type OpenWebSocketOptions, openWebSocket } from './open-websocket.ts';

/** What a WebSocket that carries text tells its owner. */
export interface TextWebSocketEvents {
  onMessage(message: Buffer): void;
  /** Exactly once. @param code of the close frame; 1006 when there was none. @param error why this side gave up, if it did. */
  onClosed(code: number, error: Error | undefined): void;
}

/** A client's WebSocket whose messages are text, such as JSON. A frame with anything else ends it. OPC 10000-6 §7.5.2. */
export class TextWebSocket {
  readonly #webSocket: WebSocket;
  #error: Error | undefined;

  private constructor(webSocket: WebSocket, events: TextWebSocketEvents) {
    this.#webSocket = webSocket;
    webSocket.on('message', (data, isBinary) => {
      if (isBinary) webSocket.close(CloseCode.UnsupportedData);
      else events.onMessage(data as Buffer);
    });
    webSocket.on('error', (error) => (this.#error = error));
    webSocket.on('close', (code) => events.onClosed(code, this.#error));
  }

  /** @throws as `openWebSocket` */
  static async open(options: OpenWebSocketOptions, events: TextWebSocketEvents): Promise<TextWebSocket> {
    return new TextWebSocket(await openWebSocket(options), events);
  }

  /** What the server hasn't taken yet. */
  get unsentBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  send(message: Buffer): void {
    this.#webSocket.send(message, { binary: false, compress: false });
  }

  /** Idempotent. */
  close(): void {
    this.#webSocket.close(CloseCode.Normal);
  }

  /** Cuts it without a word. Idempotent. */
  destroy(): void {
    this.#webSocket.terminate();
  }
}
