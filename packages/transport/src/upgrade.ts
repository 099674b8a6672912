import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RemoteAddress } from '@bulkhead/contracts';
import type { IncomingConnection } from './incoming-connection.ts';

/** A physical connection that is about to be something else than HTTP. */
export interface UpgradableConnection {
  readonly remote: RemoteAddress;
  /** What it holds; whoever takes the connection over opens it. */
  readonly admission: IncomingConnection;
  /** The start-up goes on in the hands of whoever took `admission`. Idempotent. */
  upgraded(): void;
}

/** A connection that is to become a WebSocket of a protocol that its handler knows. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that came behind the request's head. */
  readonly head: Buffer;
  readonly connection: UpgradableConnection;
  /** Subprotocol: the first one that the client offers and the handler has. */
  readonly protocol: string;
}

/** Takes WebSockets of some subprotocols. */
export interface UpgradeHandler {
  /** Whether a subprotocol is its own. */
  takes(protocol: string): boolean;
  /**
   * Asked before anything is upgraded.
   * @returns an HTTP status to refuse with, such as 503; undefined when the handler takes the connection.
   */
  upgrade(upgrade: UpgradeRequest): number | undefined;
}
