import type { TLSSocket } from 'node:tls';
import type { Lease } from '@bulkhead/resource-isolation';
import type { FastifyReply } from 'fastify';
import { type HttpRefusal, refuse } from './http-refusal.ts';
import type { HttpsConnection } from './https-connection.ts';
import type { HttpsRequest } from './https-request.ts';
import type { ServiceExchange } from './service-exchange.ts';
import type { SessionlessEvidence } from './sessionless/sessionless-callers.ts';

/** One HTTP request with its response, from its head to the last byte out. */
export class HttpsExchange implements ServiceExchange {
  readonly connection: HttpsConnection;
  /** Of the HTTP request. */
  readonly #reply: FastifyReply;
  /** Of stage ReassemblyBytes, while the body is read. */
  #body: Lease | undefined = undefined;
  /** Of the session-less budget. */
  #place: Disposable | undefined = undefined;
  #request: HttpsRequest | undefined = undefined;
  #unsentBytes = 0;
  #isEnded = false;

  constructor(connection: HttpsConnection, reply: FastifyReply) {
    this.connection = connection;
    this.#reply = reply;
    connection.begin(this);
    reply.raw.once('close', () => this.end());
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** URL by which the client came, as endpoint URLs are written. */
  get endpointUrl(): string {
    const { headers, url } = this.#reply.request;
    return `opc.https://${headers.host ?? ''}${url}`;
  }

  /** What says who asks without a Session. */
  get evidence(): SessionlessEvidence {
    const { headers, raw } = this.#reply.request;
    return {
      authorization: headers.authorization,
      acceptLanguage: headers['accept-language'],
      clientCertificate: (raw.socket as Partial<TLSSocket>).getPeerX509Certificate?.()?.raw,
    };
  }

  holdBody(lease: Lease): void {
    this.#body = lease;
  }

  /** The body is read and charged elsewhere, or won't be read. Idempotent. */
  releaseBody(): void {
    this.#body?.[Symbol.dispose]();
    this.#body = undefined;
  }

  /** @param place given back at the end. */
  holdPlace(place: Disposable): void {
    this.#place = place;
  }

  /** @param request is told when nobody is there any more to take its answer. */
  submitted(request: HttpsRequest): void {
    this.#request = request;
  }

  send(contentType: string, body: Buffer): void {
    if (this.#isEnded) return;
    this.#unsentBytes += body.length;
    this.connection.addUnsent(body.length);
    this.connection.pace.beforeWriting(body.length, () => {
      if (!this.#isEnded) void this.#reply.code(200).type(contentType).send(body);
    });
  }

  /** Answers by HTTP alone. */
  refuse(refusal: HttpRefusal): void {
    if (this.#isEnded || this.#reply.sent) return;
    this.releaseBody();
    refuse(this.#reply.request, this.#reply, refusal);
  }

  /** The server stops before there is an answer. */
  giveUp(): void {
    this.refuse({ statusCode: 503, text: 'the server stops', closes: true });
  }

  /** The response is out, or the connection is gone. Idempotent. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.releaseBody();
    this.#place?.[Symbol.dispose]();
    this.#place = undefined;
    const request = this.#request;
    this.#request = undefined;
    if (this.#unsentBytes > 0) this.connection.addUnsent(-this.#unsentBytes);
    this.connection.end(this);
    request?.end();
  }
}
