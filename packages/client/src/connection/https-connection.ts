import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import { abortError } from '../deadline.ts';
import { retryAfterOfHttpHeader } from '../retry-after.ts';
import { ServiceResultError } from '../service-result-error.ts';
import { trustsNobody } from '../transport/connector-for.ts';
import { type EndpointAddress, parseEndpointUrl, protocolOf } from '../transport/endpoint-url.ts';
import { HttpsAgent } from '../transport/https-agent.ts';
import { BinaryFormat } from './binary-format.ts';
import { type ClientConnectionOptions, type ResolvedConnectionOptions, resolveConnectionOptions } from './connection-options.ts';
import { JsonFormat } from './json-format.ts';
import { MessageConnection } from './message-connection.ts';
import type { MessageFormat } from './message-format.ts';
import type { ServiceConnection } from './service-connection.ts';

/** `opc.http` is no scheme of the specification: without TLS, for a server whose TLS ends at a proxy in front. */
const HTTPS_PROTOCOLS: readonly string[] = ['opc.https:', 'https:', 'opc.http:', 'http:'];
/** OPC 10000-6 §7.4.1. */
const DEFAULT_PORT = 443;

/** Whether a server is reached by HTTP at this URL. */
export function isHttpsUrl(endpointUrl: string): boolean {
  return HTTPS_PROTOCOLS.includes(protocolOf(endpointUrl));
}

/**
 * Sends requests as HTTP POSTs, over as many connections as it takes. Ends for good when the server can't be reached any more.
 * OPC 10000-6 §7.4.
 */
export class HttpsConnection<Message = Buffer> extends MessageConnection<Message> {
  readonly #agent: HttpsAgent;
  readonly #target: { readonly host: string; readonly port: number; readonly path: string; readonly headers: Record<string, string> };

  private constructor(
    options: ResolvedConnectionOptions,
    given: ClientConnectionOptions,
    format: MessageFormat<Message>,
    address: EndpointAddress,
  ) {
    const { endpointUrl, connectTimeoutMs, security } = options;
    const isEncrypted = address.protocol.endsWith('https:');
    super(options, format, isEncrypted);
    const trust = isEncrypted ? (given.tlsTrust ?? trustsNobody) : undefined;
    this.#agent = new HttpsAgent({ endpointUrl, address, localAddress: given.localAddress, trust, connectTimeoutMs });
    const { host, port, path } = address;
    this.#target = {
      host,
      port,
      path,
      headers: {
        host: `${isIPv6(host) ? `[${host}]` : host}:${port}`,
        'content-type': format.contentType,
        ...(security.policy.isSecure ? { 'opcua-securitypolicy': security.policy.uri } : {}),
      },
    };
  }

  /**
   * Nothing is connected before the first request.
   * @throws UaStatusError (as a rejection) BadTcpEndpointUrlInvalid, or what `signal` was aborted with.
   */
  static async open(options: ClientConnectionOptions, signal?: AbortSignal): Promise<ServiceConnection> {
    if (signal?.aborted) throw abortError(signal);
    const resolved = resolveConnectionOptions(options);
    const address = parseEndpointUrl(options.endpointUrl, HTTPS_PROTOCOLS, DEFAULT_PORT);
    return resolved.encoding === 'json'
      ? new HttpsConnection(resolved, options, new JsonFormat(), address)
      : new HttpsConnection(resolved, options, new BinaryFormat(), address);
  }

  protected override send(requestId: number, message: Buffer): Disposable {
    const headers = { ...this.#target.headers, 'content-length': message.length };
    const request = httpRequest({ ...this.#target, agent: this.#agent, method: 'POST', headers });
    request.on('response', (response) => this.#receive(requestId, response));
    request.on('error', (error) => this.#lost(requestId, error));
    request.end(message);
    // Tells the server that nobody waits any more.
    return { [Symbol.dispose]: () => void request.destroy() };
  }

  protected override release(): void {
    this.#agent.destroy();
  }

  #receive(requestId: number, response: IncomingMessage): void {
    const { maxMessageSize } = this.options.limits;
    const chunks: Buffer[] = [];
    let byteCount = 0;
    response.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > maxMessageSize) {
        this.pending.fail(requestId, new UaStatusError(StatusCodes.BadResponseTooLarge, `more than ${maxMessageSize} bytes`));
        response.destroy();
      } else chunks.push(chunk);
    });
    response.on('error', (error) => this.#lost(requestId, error));
    response.on('end', () => this.#received(requestId, response, Buffer.concat(chunks)));
  }

  #received(requestId: number, response: IncomingMessage, message: Buffer): void {
    try {
      checkAnswer(response, this.endpointUrl, this.format);
      this.pending.settle(requestId, this.format.parse(message));
    } catch (error) {
      this.pending.fail(requestId, error as UaStatusError);
    }
  }

  /** The server can't be reached, or went: a request that was given up before is no reason. */
  #lost(requestId: number, error: Error): void {
    if (!this.pending.has(requestId)) return;
    const isKnown = error instanceof UaStatusError;
    this.end(
      isKnown ? error : new UaStatusError(StatusCodes.BadConnectionClosed, `${this.endpointUrl}: ${error.message}`, { cause: error }),
    );
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

/** @throws UaStatusError for a refusal of HTTP's, and for an answer that is no message. */
function checkAnswer({ headers, statusCode = 0 }: IncomingMessage, endpointUrl: string, format: MessageFormat<unknown>): void {
  if (statusCode !== 200) {
    const retryAfter = statusCode === 429 || statusCode === 503 ? headers['retry-after'] : undefined;
    const retryAfterMs = retryAfter === undefined ? undefined : retryAfterOfHttpHeader(retryAfter, Date.now());
    const code = codes[statusCode] ?? StatusCodes.BadCommunicationError;
    throw new ServiceResultError(code, `${endpointUrl}: HTTP ${statusCode}`, retryAfterMs);
  }
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
  if (!format.reads(type)) throw new UaStatusError(StatusCodes.BadCommunicationError, `${endpointUrl}: an answer of type ${type}`);
}
