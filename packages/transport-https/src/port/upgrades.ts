import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { UpgradableConnection, UpgradeHandler } from '@bulkhead/transport';
import { isOriginAllowed } from './origin.ts';

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

  handle(request: IncomingMessage, socket: Duplex, head: Buffer, connection: UpgradableConnection): void {
    const status = this.#dispatch(request, socket, head, connection);
    if (status !== undefined) refuseUpgrade(socket, status);
  }

  #dispatch(request: IncomingMessage, socket: Duplex, head: Buffer, connection: UpgradableConnection): number | undefined {
    if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return 400;
    if (!isOriginAllowed(request, this.#allowedOrigins)) return 403;
    for (const protocol of offeredProtocols(request)) {
      const handler = this.#handlers.find((each) => each.takes(protocol));
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
