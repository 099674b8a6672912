import type { Runtime, Timer } from '@bulkhead/contracts';
import { type ClientChannelEvent, ClientSecureChannel } from '@bulkhead/secure-channel';
import { createRequestHeader, NodeId, type RequestType, type ResponseType, StatusCodes, UaStatusError } from '@bulkhead/types';
import { acceptAcknowledge, ChunkFramer, decodeAcknowledge, encodeHello, type Hello, helloOf, readMessageType } from '@bulkhead/uacp';
import { withDeadline } from '../deadline.ts';
import { createDeferred } from '../deferred.ts';
import type { ClientTransport } from '../transport/client-transport.ts';
import { ThrottledTransport } from '../transport/throttled-transport.ts';
import type { ChannelSecurity } from './channel-security.ts';
import { abortedResponse, asStatusError, serverError } from './connection-errors.ts';
import { type ClientConnectionOptions, type ResolvedConnectionOptions, resolveConnectionOptions } from './connection-options.ts';
import { PendingRequests } from './pending-requests.ts';
import { type AnyRequest, type AnyResponse, type RequestFields, readResponse, writeRequest } from './service-message.ts';

/** What may be said about one request. */
export interface RequestOptions {
  /** ms; also sent as timeoutHint. Default: the connection's `requestTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Gives the request up; the server isn't told. */
  readonly signal?: AbortSignal | undefined;
}

const MAX_UINT32 = 0xffffffff;
/** A server that doesn't close after CloseSecureChannel is closed on after this time. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * A connection with its SecureChannel: sends requests, finds the request of each response, renews tokens. Ends for good with the
 * first failure; a `ManagedSession` makes new ones. OPC 10000-6 §6.7, §7.1.
 */
export class ClientConnection implements AsyncDisposable {
  readonly endpointUrl: string;
  readonly security: ChannelSecurity;
  readonly runtime: Runtime;
  /** Resolves once, with the reason, when the connection is gone; BadConnectionClosed after `close`. */
  readonly closed: Promise<UaStatusError>;
  readonly #options: ResolvedConnectionOptions;
  readonly #transport: ClientTransport;
  readonly #framer: ChunkFramer;
  readonly #hello: Hello;
  readonly #pending: PendingRequests;
  readonly #opened = createDeferred<void>();
  readonly #closed = createDeferred<UaStatusError>();
  #channel: ClientSecureChannel | undefined;
  #failure: UaStatusError | undefined;
  #nextRequestId = 1;
  #nextRequestHandle = 1;
  /** An OPN is being decrypted; what follows it waits. */
  #isBusy = false;
  #isRenewing = false;
  #renewals = 0;
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;

  private constructor(options: ResolvedConnectionOptions, transport: ClientTransport) {
    const { clock, timers } = options.runtime;
    this.endpointUrl = options.endpointUrl;
    this.security = options.security;
    this.runtime = options.runtime;
    this.closed = this.#closed.promise;
    this.#options = options;
    this.#transport = options.throttle ? new ThrottledTransport(transport, options.throttle.attach(), { clock, timers }) : transport;
    this.#framer = new ChunkFramer(options.limits.receiveBufferSize);
    this.#hello = helloOf(options.limits, options.endpointUrl);
    this.#pending = new PendingRequests(timers, options.maxInFlightRequests);
  }

  /**
   * Connects, says hello and opens the channel.
   * @throws UaStatusError (as a rejection) with the code of the server's ERR, BadTimeout, BadConnectionRejected, Bad… of a failed
   * check; nothing stays open then. `retryAfterMsOf` tells whether the server asked to be tried again later.
   */
  static async open(options: ClientConnectionOptions, signal?: AbortSignal): Promise<ClientConnection> {
    const resolved = resolveConnectionOptions(options);
    const { connector, connectTimeoutMs, endpointUrl, runtime } = resolved;
    return withDeadline(runtime.timers, connectTimeoutMs, `connecting to ${endpointUrl}`, signal, async (deadline) => {
      const connection = new ClientConnection(resolved, await connector(endpointUrl, deadline));
      const onAbort = (): void => connection.#fail(deadline.reason as UaStatusError);
      if (deadline.aborted) onAbort();
      deadline.addEventListener('abort', onAbort, { once: true });
      connection.#start();
      await connection.#opened.promise;
      deadline.removeEventListener('abort', onAbort);
      return connection;
    });
  }

  /** 0 until the channel is open. */
  get channelId(): number {
    return this.#channel?.channelId ?? 0;
  }

  get isOpen(): boolean {
    return this.#failure === undefined && this.#channel?.isOpen === true;
  }

  /** How often the channel's token was renewed. */
  get renewals(): number {
    return this.#renewals;
  }

  /** Requests on their way. */
  get inFlightRequests(): number {
    return this.#pending.size;
  }

  /** Bytes that the server hasn't taken yet. */
  get unsentBytes(): number {
    return this.#transport.unsentBytes;
  }

  /**
   * Sends a request and waits for its response.
   * @throws ServiceResultError (as a rejection) for what the server refuses; UaStatusError BadTimeout, BadRequestCancelledByClient,
   * BadResourceUnavailable, BadRequestTooLarge, the reason of a lost connection; DecodingError.
   */
  async request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    authenticationToken: NodeId = NodeId.NULL,
    options: RequestOptions = {},
  ): Promise<Response> {
    const { limits, maxUnsentBytes, requestTimeoutMs, runtime } = this.#options;
    const { signal, timeoutMs = requestTimeoutMs } = options;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#channel === undefined) throw new UaStatusError(StatusCodes.BadInvalidState, 'the channel is not open yet');
    this.#pending.check(signal);
    if (this.#transport.unsentBytes >= maxUnsentBytes) {
      throw new UaStatusError(StatusCodes.BadResourceUnavailable, `the server leaves ${maxUnsentBytes} bytes or more unread`);
    }
    const header = createRequestHeader({
      authenticationToken,
      timestamp: runtime.clock.utcNow(),
      requestHandle: this.#takeRequestHandle(),
      timeoutHint: Math.min(Math.ceil(timeoutMs), MAX_UINT32),
    });
    const requestId = this.#takeRequestId();
    const write = (writer: Parameters<typeof writeRequest>[0]): void => writeRequest(writer, requestType, fields, header);
    this.#send(this.#channel.encodeMessage(requestId, write, limits.maxMessageSize));
    return readResponse(responseType, await this.#pending.add(requestId, timeoutMs, signal));
  }

  /** Closes channel and connection; requests on their way fail with BadConnectionClosed. Idempotent. */
  async close(): Promise<void> {
    if (this.#failure === undefined) {
      const chunks = this.#channel?.close(this.#takeRequestId()) ?? [];
      if (chunks.length > 0) this.#send(chunks);
      this.#end(new UaStatusError(StatusCodes.BadConnectionClosed, 'closed by this client'));
      this.#transport.end();
      this.#timer = this.runtime.timers.after(CLOSE_TIMEOUT_MS, () => this.#transport.destroy());
    }
    await this.closed;
  }

  /** Cuts the connection without a word. Idempotent. */
  destroy(reason: UaStatusError = new UaStatusError(StatusCodes.BadConnectionClosed, 'given up')): void {
    this.#fail(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #start(): void {
    this.#transport.start({
      onBytes: (bytes) => {
        this.#framer.push(bytes);
        this.#receiveAll();
      },
      onDrain: () => undefined,
      onClosed: () => {
        this.#fail(new UaStatusError(StatusCodes.BadConnectionClosed, `${this.endpointUrl}: the connection was lost`));
        this.#timer?.cancel();
        this.#closed.resolve(this.#failure as UaStatusError);
      },
    });
    this.#send([encodeHello(this.#hello)]);
  }

  #receiveAll(): void {
    try {
      while (!this.#isBusy && this.#failure === undefined) {
        const chunk = this.#framer.next();
        if (chunk === undefined) return;
        this.#receive(chunk);
      }
    } catch (error) {
      this.#fail(asStatusError(error));
    }
  }

  #receive(chunk: Buffer): void {
    const type = readMessageType(chunk);
    if (type === 'ERR') throw serverError(chunk);
    if (this.#channel === undefined) {
      if (type !== 'ACK') throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, `${type} instead of ACK`);
      return this.#openChannel(chunk);
    }
    const event = this.#channel.receive(chunk, this.runtime.clock.nowMs());
    if (!(event instanceof Promise)) return this.#onEvent(event);
    this.#isBusy = true;
    this.#transport.pause();
    event.then(
      (opened) => {
        this.#isBusy = false;
        this.#onEvent(opened);
        this.#transport.resume();
        this.#receiveAll();
      },
      (error: unknown) => this.#fail(asStatusError(error)),
    );
  }

  #openChannel(acknowledge: Buffer): void {
    const { limits, requestedLifetimeMs, runtime, security } = this.#options;
    const negotiated = acceptAcknowledge(this.#hello, decodeAcknowledge(acknowledge), limits);
    this.#framer.maxChunkBytes = negotiated.receiveBufferSize;
    const { clock, random } = runtime;
    this.#channel = new ClientSecureChannel({ ...security, limits: negotiated, requestedLifetimeMs, clock, random });
    this.#sendWhenReady(this.#channel.open(this.#takeRequestId()));
  }

  #onEvent(event: ClientChannelEvent): void {
    switch (event.kind) {
      case 'message':
        return this.#pending.settle(event.requestId, event.message);
      case 'aborted':
        return this.#pending.fail(event.requestId, abortedResponse(event.statusCode, event.reason));
      case 'opened':
        this.#isRenewing = false;
        if (event.renewal) this.#renewals++;
        this.#opened.resolve();
        return this.#arm();
      default:
        return this.#arm();
    }
  }

  /** One timer for the renewal and the channel's deadlines. */
  #arm(): void {
    const channel = this.#channel;
    if (channel === undefined || this.#failure !== undefined) return;
    const dueMs = Math.min(this.#isRenewing ? Number.POSITIVE_INFINITY : channel.renewalDueMs, channel.nextDeadlineMs());
    if (dueMs >= this.#timerAtMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = dueMs;
    const delayMs = Math.min(Math.max(0, dueMs - this.runtime.clock.nowMs()), 0x7fffffff);
    this.#timer = this.runtime.timers.after(Math.ceil(delayMs), () => this.#onDue(channel));
  }

  #onDue(channel: ClientSecureChannel): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.runtime.clock.nowMs();
    const reason = channel.checkDeadlines(nowMs);
    if (reason !== undefined) return this.#fail(reason);
    if (!this.#isRenewing && nowMs >= channel.renewalDueMs) {
      this.#isRenewing = true;
      this.#sendWhenReady(channel.renew(this.#takeRequestId()));
    }
    this.#arm();
  }

  #sendWhenReady(signing: Promise<Buffer[]>): void {
    signing.then(
      (chunks) => this.#send(chunks),
      (error: unknown) => this.#fail(asStatusError(error)),
    );
  }

  #send(chunks: readonly Buffer[]): void {
    if (chunks.length > 0 && this.#failure === undefined) this.#transport.write(chunks);
  }

  #fail(reason: UaStatusError): void {
    if (this.#failure !== undefined) return;
    this.#end(reason);
    this.#transport.destroy();
  }

  #end(reason: UaStatusError): void {
    this.#failure = reason;
    this.#timer?.cancel();
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    this.#channel?.dispose();
    this.#opened.reject(reason);
    this.#pending.failAll(reason);
  }

  /** RequestIds of requests that are still on their way are passed over. 0 is left out. OPC 10000-6 §6.7.2.4. */
  #takeRequestId(): number {
    do {
      this.#nextRequestId = this.#nextRequestId >= MAX_UINT32 ? 1 : this.#nextRequestId + 1;
    } while (this.#pending.has(this.#nextRequestId));
    return this.#nextRequestId;
  }

  #takeRequestHandle(): number {
    this.#nextRequestHandle = this.#nextRequestHandle >= MAX_UINT32 ? 1 : this.#nextRequestHandle + 1;
    return this.#nextRequestHandle;
  }
}
