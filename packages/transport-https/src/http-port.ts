import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { RemoteAddress } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';

/** A socket that was admitted, as its port knows it. */
export interface AcceptedConnection {
  readonly remote: RemoteAddress;
  /** Who is charged for it; nothing but its address is known of him. */
  readonly owner: Owner;
  /** DER of the certificate that the client showed in the TLS handshake, if it is one that this server trusts. */
  readonly clientCertificate?: Buffer | undefined;
}

/** What HTTP needs of the port that it shares with others: each request comes over a connection that was admitted. */
export interface HttpPort {
  readonly server: HttpServer | HttpsServer;
  /** @returns undefined when the connection is gone, or was handed over to another protocol. */
  connectionOf(socket: IncomingMessage['socket']): AcceptedConnection | undefined;
}
