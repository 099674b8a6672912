import type { IncomingRequest, OutgoingResponseHeader } from '@bulkhead/contracts';
import { CreateSessionResponse, type RequestHeader, type RequestType, type ResponseType } from '@bulkhead/types';
import type { HttpsChannel } from './https-channel.ts';
import type { HttpsEnvironment } from './https-environment.ts';
import type { MessageFormat, RequestHead } from './message-format.ts';
import type { ServiceExchange } from './service-exchange.ts';

const NO_BYTES: Buffer = Buffer.alloc(0);

/** A service request that came in the body of an HTTP request. */
export class HttpsRequest implements IncomingRequest {
  readonly channel: HttpsChannel;
  readonly requestId: number;
  readonly typeId: number;
  readonly header: RequestHeader;
  message: Buffer;
  readonly bodyStart: number;
  readonly receivedAtMs: number;
  readonly decodeBody?: (type: RequestType<unknown>) => unknown;
  readonly #environment: HttpsEnvironment;
  readonly #exchange: ServiceExchange;
  readonly #format: MessageFormat;
  /** The channel was made for this request; it goes with it, unless a Session takes it over. */
  readonly #ownsChannel: boolean;
  #isAnswered = false;

  constructor(
    environment: HttpsEnvironment,
    exchange: ServiceExchange,
    channel: HttpsChannel,
    ownsChannel: boolean,
    requestId: number,
    head: RequestHead,
    message: Buffer,
    format: MessageFormat,
  ) {
    this.channel = channel;
    this.requestId = requestId;
    this.typeId = head.typeId;
    this.header = head.header;
    this.message = message;
    this.bodyStart = head.bodyStart;
    this.receivedAtMs = environment.runtime.clock.nowMs();
    if (head.decodeBody !== undefined) this.decodeBody = head.decodeBody;
    this.#environment = environment;
    this.#exchange = exchange;
    this.#format = head.responseFormat ?? format;
    this.#ownsChannel = ownsChannel;
    environment.channels.requestBegins(channel);
    exchange.submitted(this);
  }

  respond(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void {
    if (this.#isAnswered || this.#exchange.isEnded) return;
    const { maxMessageSize } = this.#environment.limits;
    const limitBytes = maxBytes === 0 ? maxMessageSize : Math.min(maxMessageSize, maxBytes);
    const encoded = this.#format.encodeResponse(type, header, body, limitBytes);
    this.#isAnswered = true;
    if (type.binaryEncodingId === CreateSessionResponse.binaryEncodingId && this.#ownsChannel) {
      this.#environment.channels.bind(this.channel, (body as CreateSessionResponse).authenticationToken);
    }
    this.#exchange.send(this.#format.contentType, encoded);
  }

  leftQueue(): void {}

  releaseMessage(): void {
    this.message = NO_BYTES;
  }

  /** Its response is out, or nobody is there any more to take it. Called once, by the exchange. */
  end(): void {
    const { channels, sink } = this.#environment;
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      sink.requestAbandoned(this);
    }
    if (this.#ownsChannel && this.channel.tokenKey === undefined) channels.retire(this.channel);
    channels.requestEnds(this.channel);
  }
}
