import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isOriginAllowed } from './origin.ts';
import type { WebConnection } from './web-connection.ts';

/** A connection that is to become a WebSocket of a protocol that its handler knows. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that came behind the request's head. */
  readonly head: Buffer;
  readonly connection: WebConnection;
  /** Subprotocol: the first one that the client offers and the handler has. */
  readonly protocol: string;
}

/** Takes WebSockets of some subprotocols. */
export interface UpgradeHandler {
  readonly protocols: readonly string[];
  /**
   * Asked before anything is upgraded.
   * @returns an HTTP status to refuse with, such as 503; undefined when the handler takes the connection.
   */
  upgrade(upgrade: UpgradeRequest): number | undefined;
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Finds the handler of an upgrade's subprotocol; what nobody takes is refused before anything is upgraded. */
export class Upgrades {
  readonly #allowedOrigins: readonly string[];
  readonly #handlers: UpgradeHandler[] = [];

  /** @param allowedOrigins of browsers' pages. */
  constructor(allowedOrigins: readonly string[]) {
    this.#allowedOrigins = allowedOrigins;
  }

  add(handler: UpgradeHandler): void {
    this.#handlers.push(handler);
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer, connection: WebConnection): void {
    const status = this.#dispatch(request, socket, head, connection);
    if (status !== undefined) refuseUpgrade(socket, status);
  }

  #dispatch(request: IncomingMessage, socket: Duplex, head: Buffer, connection: WebConnection): number | undefined {
    if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return 400;
    if (!isOriginAllowed(request, this.#allowedOrigins)) return 403;
    for (const protocol of offeredProtocols(request)) {
      const handler = this.#handlers.find(({ protocols }) => protocols.includes(protocol));
      if (handler !== undefined) return handler.upgrade({ request, socket, head, connection, protocol });
    }
    return 400;
  }
}

/** Subprotocols in the client's order of preference. RFC 6455 §4.1. */
function offeredProtocols(request: IncomingMessage): string[] {
  const header = request.headers['sec-websocket-protocol'] ?? '';
  return header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}

/** Answers instead of upgrading, and closes. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n${retry}\r\n`);
}
