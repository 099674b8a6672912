import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Runtime } from '@bulkhead/contracts';
import {
  BinaryWriter,
  createRequestHeader,
  NodeId,
  type RequestType,
  type ResponseType,
  type StatusCode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { abortError } from '../deadline.ts';
import { createDeferred } from '../deferred.ts';
import { retryAfterOfHttpHeader } from '../retry-after.ts';
import { ServiceResultError } from '../service-result-error.ts';
import { trustsNobody } from '../transport/connector-for.ts';
import { parseEndpointUrl, protocolOf } from '../transport/endpoint-url.ts';
import { HttpsAgent } from '../transport/https-agent.ts';
import type { ChannelSecurity } from './channel-security.ts';
import type { RequestOptions } from './client-connection.ts';
import { type ClientConnectionOptions, type ResolvedConnectionOptions, resolveConnectionOptions } from './connection-options.ts';
import { PendingRequests } from './pending-requests.ts';
import type { ServiceConnection } from './service-connection.ts';
import { type AnyRequest, type AnyResponse, type RequestFields, readResponse, writeRequest } from './service-message.ts';

/** `opc.http` is no scheme of the specification: without TLS, for a server whose TLS ends at a proxy in front. */
const HTTPS_PROTOCOLS: readonly string[] = ['opc.https:', 'https:', 'opc.http:', 'http:'];
/** OPC 10000-6 §7.4.1. */
const DEFAULT_PORT = 443;
const MAX_UINT32 = 0xffffffff;
const CONTENT_TYPE = 'application/octet-stream';

/** Whether a server is reached by HTTP at this URL. */
export function isHttpsUrl(endpointUrl: string): boolean {
  return HTTPS_PROTOCOLS.includes(protocolOf(endpointUrl));
}

/**
 * Sends requests as HTTP POSTs in OPC UA Binary, over as many connections as it takes. Ends for good when the server can't be reached
 * any more. OPC 10000-6 §7.4.4.
 */
export class HttpsConnection implements ServiceConnection {
  readonly endpointUrl: string;
  readonly security: ChannelSecurity;
  readonly runtime: Runtime;
  readonly closed: Promise<UaStatusError>;
  readonly channelId = 0;
  readonly renewals = 0;
  readonly #options: ResolvedConnectionOptions;
  readonly #agent: HttpsAgent;
  readonly #target: { readonly host: string; readonly port: number; readonly path: string; readonly headers: Record<string, string> };
  readonly #pending: PendingRequests;
  readonly #closed = createDeferred<UaStatusError>();
  #failure: UaStatusError | undefined;
  #nextRequestId = 0;

  private constructor(options: ResolvedConnectionOptions, given: ClientConnectionOptions) {
    const { endpointUrl, connectTimeoutMs, maxInFlightRequests, runtime, security } = options;
    const address = parseEndpointUrl(endpointUrl, HTTPS_PROTOCOLS, DEFAULT_PORT);
    const isEncrypted = address.protocol.endsWith('https:');
    this.endpointUrl = endpointUrl;
    this.security = { ...security, isTransportEncrypted: isEncrypted };
    this.runtime = runtime;
    this.closed = this.#closed.promise;
    this.#options = options;
    this.#pending = new PendingRequests(runtime.timers, maxInFlightRequests);
    const trust = isEncrypted ? (given.tlsTrust ?? trustsNobody) : undefined;
    this.#agent = new HttpsAgent({ endpointUrl, address, localAddress: given.localAddress, trust, connectTimeoutMs });
    const { host, port, path } = address;
    this.#target = {
      host,
      port,
      path,
      headers: {
        host: `${isIPv6(host) ? `[${host}]` : host}:${port}`,
        'content-type': CONTENT_TYPE,
        ...(security.policy.isSecure ? { 'opcua-securitypolicy': security.policy.uri } : {}),
      },
    };
  }

  /**
   * Nothing is connected before the first request.
   * @throws UaStatusError (as a rejection) BadTcpEndpointUrlInvalid, or what `signal` was aborted with.
   */
  static async open(options: ClientConnectionOptions, signal?: AbortSignal): Promise<HttpsConnection> {
    if (signal?.aborted) throw abortError(signal);
    return new HttpsConnection(resolveConnectionOptions(options), options);
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  get inFlightRequests(): number {
    return this.#pending.size;
  }

  async request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    authenticationToken: NodeId = NodeId.NULL,
    options: RequestOptions = {},
  ): Promise<Response> {
    const { limits, requestTimeoutMs, runtime } = this.#options;
    const { signal, timeoutMs = requestTimeoutMs } = options;
    if (this.#failure !== undefined) throw this.#failure;
    this.#pending.check(signal);
    const requestId = this.#takeRequestId();
    const header = createRequestHeader({
      authenticationToken,
      timestamp: runtime.clock.utcNow(),
      requestHandle: requestId,
      timeoutHint: Math.min(Math.ceil(timeoutMs), MAX_UINT32),
    });
    const writer = new BinaryWriter(undefined, 0, limits.maxMessageSize);
    writeRequest(writer, requestType, fields, header);
    const answer = this.#pending.add(requestId, timeoutMs, signal);
    const posted = this.#post(requestId, writer.toBuffer());
    try {
      return readResponse(responseType, await answer);
    } finally {
      // Does nothing when it is answered; tells the server that nobody waits any more otherwise.
      posted.destroy();
    }
  }

  async close(): Promise<void> {
    this.#end(new UaStatusError(StatusCodes.BadConnectionClosed, 'closed by this client'));
    await this.closed;
  }

  destroy(reason: UaStatusError = new UaStatusError(StatusCodes.BadConnectionClosed, 'given up')): void {
    this.#end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #post(requestId: number, body: Buffer): ClientRequest {
    const headers = { ...this.#target.headers, 'content-length': body.length };
    const request = httpRequest({ ...this.#target, agent: this.#agent, method: 'POST', headers });
    request.on('response', (response) => this.#receive(requestId, response));
    request.on('error', (error) => this.#lost(requestId, error));
    request.end(body);
    return request;
  }

  #receive(requestId: number, response: IncomingMessage): void {
    const { maxMessageSize } = this.#options.limits;
    const chunks: Buffer[] = [];
    let byteCount = 0;
    response.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > maxMessageSize) {
        this.#pending.fail(requestId, new UaStatusError(StatusCodes.BadResponseTooLarge, `more than ${maxMessageSize} bytes`));
        response.destroy();
      } else chunks.push(chunk);
    });
    response.on('error', (error) => this.#lost(requestId, error));
    response.on('end', () => {
      const refusal = refusalOf(response, this.endpointUrl);
      if (refusal !== undefined) this.#pending.fail(requestId, refusal);
      else this.#pending.settle(requestId, Buffer.concat(chunks));
    });
  }

  /** The server can't be reached, or went: a request that was given up before is no reason. */
  #lost(requestId: number, error: Error): void {
    if (!this.#pending.has(requestId)) return;
    const isKnown = error instanceof UaStatusError;
    this.#end(
      isKnown ? error : new UaStatusError(StatusCodes.BadConnectionClosed, `${this.endpointUrl}: ${error.message}`, { cause: error }),
    );
  }

  #end(reason: UaStatusError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#pending.failAll(reason);
    this.#agent.destroy();
    this.#closed.resolve(reason);
  }

  #takeRequestId(): number {
    do {
      this.#nextRequestId = this.#nextRequestId >= MAX_UINT32 ? 1 : this.#nextRequestId + 1;
    } while (this.#pending.has(this.#nextRequestId));
    return this.#nextRequestId;
  }
}

/** What a status of HTTP means; 429 and 503 say when to try again. */
const codes: Readonly<Record<number, StatusCode>> = {
  401: StatusCodes.BadUserAccessDenied,
  403: StatusCodes.BadUserAccessDenied,
  404: StatusCodes.BadTcpEndpointUrlInvalid,
  408: StatusCodes.BadTimeout,
  413: StatusCodes.BadRequestTooLarge,
  429: StatusCodes.BadServerTooBusy,
  503: StatusCodes.BadServerTooBusy,
};

function refusalOf({ headers, statusCode = 0 }: IncomingMessage, endpointUrl: string): UaStatusError | undefined {
  if (statusCode !== 200) {
    const retryAfter = statusCode === 429 || statusCode === 503 ? headers['retry-after'] : undefined;
    const retryAfterMs = retryAfter === undefined ? undefined : retryAfterOfHttpHeader(retryAfter, Date.now());
    return new ServiceResultError(
      codes[statusCode] ?? StatusCodes.BadCommunicationError,
      `${endpointUrl}: HTTP ${statusCode}`,
      retryAfterMs,
    );
  }
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim();
  if (type === CONTENT_TYPE || type === 'application/opcua+uabinary') return undefined;
  return new UaStatusError(StatusCodes.BadCommunicationError, `${endpointUrl}: an answer of type ${type}`);
}
