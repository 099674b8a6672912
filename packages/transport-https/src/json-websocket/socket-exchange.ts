import type { Lease } from '@bulkhead/resource-isolation';
import type { HttpRefusal } from '../http-refusal.ts';
import type { HttpsConnection } from '../https-connection.ts';
import type { HttpsRequest } from '../https-request.ts';
import type { ServiceExchange } from '../service-exchange.ts';
import type { SessionlessEvidence } from '../sessionless/sessionless-callers.ts';

/** What an exchange needs of the WebSocket that it came over. */
export interface MessageSocket {
  readonly endpointUrl: string;
  readonly evidence: SessionlessEvidence;
  /** @param sent the operating system has it, or the WebSocket is gone. */
  sendText(body: Buffer, sent: () => void): void;
  /** Closes with the code for an answer of HTTP's. */
  closeFor(refusal: HttpRefusal): void;
}

/**
 * One WebSocket message with a request, and its answer. Others come and are answered meanwhile, as many as the connection may have, each
 * charged to stage ReassemblyBytes until its answer is out.
 */
export class SocketExchange implements ServiceExchange {
  readonly connection: HttpsConnection;
  readonly #socket: MessageSocket;
  readonly #bytes: Lease;
  #place: Disposable | undefined = undefined;
  #request: HttpsRequest | undefined = undefined;
  #unsentBytes = 0;
  #isEnded = false;

  constructor(connection: HttpsConnection, socket: MessageSocket, bytes: Lease) {
    this.connection = connection;
    this.#socket = socket;
    this.#bytes = bytes;
    connection.begin(this);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get endpointUrl(): string {
    return this.#socket.endpointUrl;
  }

  get evidence(): SessionlessEvidence {
    return this.#socket.evidence;
  }

  releaseBody(): void {
    // Kept: what waits on a WebSocket has nothing else that holds its peer back.
  }

  holdPlace(place: Disposable): void {
    this.#place = place;
  }

  submitted(request: HttpsRequest): void {
    this.#request = request;
  }

  send(_contentType: string, body: Buffer): void {
    if (this.#isEnded) return;
    this.#unsentBytes += body.length;
    this.connection.addUnsent(body.length);
    this.connection.pace.beforeWriting(body.length, () => {
      if (!this.#isEnded) this.#socket.sendText(body, () => this.end());
    });
  }

  refuse(refusal: HttpRefusal): void {
    if (this.#isEnded) return;
    this.#socket.closeFor(refusal);
    this.end();
  }

  giveUp(): void {
    this.end();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#bytes[Symbol.dispose]();
    this.#place?.[Symbol.dispose]();
    this.#place = undefined;
    const request = this.#request;
    this.#request = undefined;
    if (this.#unsentBytes > 0) this.connection.addUnsent(-this.#unsentBytes);
    this.connection.end(this);
    request?.end();
  }
}
