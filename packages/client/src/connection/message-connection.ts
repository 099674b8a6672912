import type { Runtime } from '@bulkhead/contracts';
import {
  AttributeIds,
  createRequestHeader,
  NodeId,
  QualifiedName,
  ReadRequest,
  ReadResponse,
  type RequestType,
  type ResponseType,
  StatusCodes,
  UaStatusError,
  VariableIds,
} from '@bulkhead/types';
import { createDeferred } from '../deferred.ts';
import type { ChannelSecurity } from './channel-security.ts';
import type { RequestOptions } from './client-connection.ts';
import type { ResolvedConnectionOptions } from './connection-options.ts';
import { JsonFormat } from './json-format.ts';
import type { MessageFormat } from './message-format.ts';
import { PendingRequests } from './pending-requests.ts';
import type { ServiceConnection } from './service-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from './service-message.ts';

const MAX_UINT32 = 0xffffffff;

/** A connection without a SecureChannel: TLS secures it, and each request is a message of its own. Ends for good when it is lost. */
export abstract class MessageConnection<Message> implements ServiceConnection {
  readonly endpointUrl: string;
  readonly security: ChannelSecurity;
  readonly runtime: Runtime;
  readonly closed: Promise<UaStatusError>;
  readonly channelId = 0;
  readonly renewals = 0;
  protected readonly options: ResolvedConnectionOptions;
  protected readonly format: MessageFormat<Message>;
  protected readonly pending: PendingRequests<Message>;
  readonly #closed = createDeferred<UaStatusError>();
  #failure: UaStatusError | undefined;
  #nextRequestId = 0;

  protected constructor(options: ResolvedConnectionOptions, format: MessageFormat<Message>, isEncrypted: boolean) {
    this.endpointUrl = options.endpointUrl;
    this.security = { ...options.security, isTransportEncrypted: isEncrypted };
    this.runtime = options.runtime;
    this.closed = this.#closed.promise;
    this.options = options;
    this.format = format;
    this.pending = new PendingRequests(options.runtime.timers, options.maxInFlightRequests);
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  get inFlightRequests(): number {
    return this.pending.size;
  }

  async request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    authenticationToken: NodeId = NodeId.NULL,
    options: RequestOptions = {},
  ): Promise<Response> {
    const { limits, requestTimeoutMs, runtime } = this.options;
    const { signal, timeoutMs = requestTimeoutMs } = options;
    if (this.#failure !== undefined) throw this.#failure;
    this.pending.check(signal);
    const requestId = this.#takeRequestId();
    const header = createRequestHeader({
      authenticationToken,
      timestamp: runtime.clock.utcNow(),
      requestHandle: requestId,
      timeoutHint: Math.min(Math.ceil(timeoutMs), MAX_UINT32),
    });
    const message = this.format.write(requestType, fields, header, limits.maxMessageSize);
    this.checkRoom(message.length);
    const answer = this.pending.add(requestId, timeoutMs, signal);
    const sent = this.send(requestId, message);
    try {
      return this.format.read(responseType, await answer);
    } finally {
      sent?.[Symbol.dispose]();
    }
  }

  /** Names in JSON mean something only once the server's tables are known. */
  async sessionActivated(authenticationToken: NodeId, options?: RequestOptions): Promise<void> {
    const { format } = this;
    if (!(format instanceof JsonFormat)) return;
    const nodesToRead = [VariableIds.Server_NamespaceArray, VariableIds.Server_ServerArray].map((id) => ({
      nodeId: NodeId.numeric(0, id),
      attributeId: AttributeIds.Value,
      indexRange: null,
      dataEncoding: QualifiedName.NULL,
    }));
    const { results } = await this.request(ReadRequest, ReadResponse, { nodesToRead }, authenticationToken, options);
    const [namespaceUris, serverUris] = (results ?? []).map(({ value }) => textsOf(value?.value));
    if (namespaceUris !== undefined && namespaceUris.length > 0) format.learn(namespaceUris, serverUris ?? []);
  }

  async close(): Promise<void> {
    this.end(new UaStatusError(StatusCodes.BadConnectionClosed, 'closed by this client'));
    await this.closed;
  }

  destroy(reason: UaStatusError = new UaStatusError(StatusCodes.BadConnectionClosed, 'given up')): void {
    this.end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @throws UaStatusError BadResourceUnavailable when the server takes too little of what is sent. */
  protected checkRoom(_messageBytes: number): void {}

  /** @returns what gives the request up; it does nothing once that is answered. */
  protected abstract send(requestId: number, message: Buffer): Disposable | undefined;

  /** Closes what carries it. */
  protected abstract release(): void;

  /** Idempotent. */
  protected end(reason: UaStatusError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.pending.failAll(reason);
    this.release();
    this.#closed.resolve(reason);
  }

  #takeRequestId(): number {
    do {
      this.#nextRequestId = this.#nextRequestId >= MAX_UINT32 ? 1 : this.#nextRequestId + 1;
    } while (this.pending.has(this.#nextRequestId));
    return this.#nextRequestId;
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((text) => String(text ?? '')) : [];
}
