import { once } from 'node:events';
import type { OpcUaServer } from '@bulkhead/opcua';
import { WebSocket } from 'ws';

export type Json = Record<string, unknown>;

/** The text of the header, or of the answer that came instead of a WebSocket. */
export class UpgradeRefused extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`HTTP ${statusCode}`);
    this.statusCode = statusCode;
  }
}

/** Speaks JSON over a WebSocket, message by message as a test wants them. */
export class JsonWebSocketPeer {
  readonly webSocket: WebSocket;
  /** The status of the close frame, once it is closed. */
  readonly closed: Promise<number>;
  authenticationToken: unknown;
  readonly #waiting: ((message: Json) => void)[] = [];
  readonly #messages: Json[] = [];
  #lastHandle = 0;

  private constructor(webSocket: WebSocket) {
    this.webSocket = webSocket;
    this.closed = new Promise((resolve) => webSocket.on('close', resolve));
    webSocket.on('error', () => {});
    webSocket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Json;
      const next = this.#waiting.shift();
      if (next === undefined) this.#messages.push(message);
      else next(message);
    });
  }

  /** @throws UpgradeRefused when the server answers with something else than a WebSocket. */
  static async connect(server: OpcUaServer, protocol = 'opcua+uajson', localAddress = '127.0.0.1'): Promise<JsonWebSocketPeer> {
    const { port } = new URL(server.endpointUrls.find((url) => url.startsWith('opc.https:')) ?? '');
    const webSocket = new WebSocket(`wss://127.0.0.1:${port}/`, protocol, { rejectUnauthorized: false, localAddress });
    const refused = new Promise<never>((_resolve, reject) => {
      webSocket.on('unexpected-response', (_request, response) => {
        response.resume();
        reject(new UpgradeRefused(response.statusCode ?? 0));
        webSocket.terminate();
      });
      webSocket.on('error', reject);
    });
    refused.catch(() => undefined);
    const peer = new JsonWebSocketPeer(webSocket);
    await Promise.race([once(webSocket, 'open'), refused]);
    return peer;
  }

  static async withSession(server: OpcUaServer): Promise<JsonWebSocketPeer> {
    const peer = await JsonWebSocketPeer.connect(server);
    const created = await peer.request('i=459', { SessionName: 'json', RequestedSessionTimeout: 60_000 });
    peer.authenticationToken = created['AuthenticationToken'];
    await peer.request('i=465', {});
    return peer;
  }

  send(typeId: string, request: Json): void {
    const RequestHeader = { AuthenticationToken: this.authenticationToken, RequestHandle: ++this.#lastHandle };
    this.webSocket.send(JSON.stringify({ UaTypeId: typeId, RequestHeader, ...request }));
  }

  /** The next message that comes, whatever it answers. @throws Error when the WebSocket closes before. */
  receive(): Promise<Json> {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      void this.closed.then((code) => reject(new Error(`closed with ${code}`)));
    });
  }

  request(typeId: string, request: Json): Promise<Json> {
    this.send(typeId, request);
    return this.receive();
  }

  async end(): Promise<void> {
    if (this.authenticationToken !== undefined && this.webSocket.readyState === WebSocket.OPEN) {
      await this.request('i=471', { DeleteSubscriptions: true });
    }
    this.webSocket.close();
    await this.closed;
  }
}

/** The RequestHandle that a response answers. */
export function handleOf({ ResponseHeader }: Json): unknown {
  return (ResponseHeader as Json | undefined)?.['RequestHandle'];
}

/** The ServiceResult of a response, Good when it is left out. */
export function resultOf({ ResponseHeader }: Json): number {
  const { ServiceResult } = (ResponseHeader ?? {}) as { ServiceResult?: { Code?: number } };
  return ServiceResult?.Code ?? 0;
}
