import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import {
  CreateSessionRequest,
  ExtensionObject,
  isBad,
  ServerTooBusyError,
  ServiceFault,
  type StatusCode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import type { HttpsChannel } from './https-channel.ts';
import type { HttpsEnvironment, SessionlessInvocation } from './https-environment.ts';
import { POLICY_NONE_URI } from './https-profiles.ts';
import { HttpsRequest } from './https-request.ts';
import type { MessageFormat, RequestHead } from './message-format.ts';
import type { ServiceExchange } from './service-exchange.ts';
import { sessionlessRequests } from './sessionless/sessionless-services.ts';

const MAX_UINT32 = 0xffffffff;

/** A request that came, before it is known who asks. */
interface Incoming {
  readonly exchange: ServiceExchange;
  readonly head: RequestHead;
  readonly message: Buffer;
  readonly format: MessageFormat;
}

/** Makes service requests of HTTP bodies and hands them to the server. */
export class ServiceRequests {
  readonly #environment: HttpsEnvironment;
  #lastRequestId = 0;

  constructor(environment: HttpsEnvironment) {
    this.#environment = environment;
  }

  /** @param securityPolicyUri what the client says in OPCUA-SecurityPolicy. OPC 10000-6 §7.4.1. */
  submit(exchange: ServiceExchange, message: Buffer, format: MessageFormat, securityPolicyUri: string = POLICY_NONE_URI): void {
    const head = format.decodeHead(message);
    if (head.kind === 'undecodable') {
      exchange.releaseBody();
      return answerUndecodable(exchange, format, head.requestHandle, head.error.statusCode);
    }
    const incoming = { exchange, head, message, format };
    if (head.typeId === CreateSessionRequest.binaryEncodingId) return this.#createSession(incoming, securityPolicyUri);
    const { sessionless } = this.#environment;
    if (sessionless !== undefined && head.header.authenticationToken.isNull && sessionlessRequests.has(head.typeId)) {
      return this.#submitSessionless(incoming, sessionless);
    }
    this.#submit(incoming, this.#channelOf(incoming), false);
  }

  #submit(incoming: Incoming, channel: HttpsChannel, ownsChannel: boolean): void {
    this.#environment.sink.submit(this.#request(incoming, channel, ownsChannel));
    // Charged to the queue from here on.
    incoming.exchange.releaseBody();
  }

  #refuse(incoming: Incoming, channel: HttpsChannel, error: UaStatusError): void {
    incoming.exchange.releaseBody();
    this.#environment.sink.refuse(this.#request(incoming, channel, false), error);
  }

  #request({ exchange, head, message, format }: Incoming, channel: HttpsChannel, ownsChannel: boolean): HttpsRequest {
    return new HttpsRequest(this.#environment, exchange, channel, ownsChannel, this.#takeId(), head, message, format);
  }

  #createSession(incoming: Incoming, securityPolicyUri: string): void {
    const { exchange, format } = incoming;
    const channel = exchange.connection.createChannel(format.transportProfileUri, exchange.endpointUrl, securityPolicyUri);
    this.#submit(incoming, channel, true);
  }

  /** That of the Session; else that of the connection, on which the server then finds the Session unknown. */
  #channelOf({ exchange: { connection, endpointUrl }, head, format }: Incoming): HttpsChannel {
    const bound = this.#environment.channels.byToken(head.header.authenticationToken);
    return bound ?? connection.channelOf(format.transportProfileUri, endpointUrl);
  }

  /** The place in the budget is held until the answer is out, and comes before anything is found out about the caller. */
  #submitSessionless(incoming: Incoming, { budget, users }: SessionlessInvocation): void {
    const { exchange, format } = incoming;
    const { connection, evidence } = exchange;
    const place = budget.enter(connection);
    if (place instanceof ServerTooBusyError) {
      return this.#refuse(incoming, connection.channelOf(format.transportProfileUri, exchange.endpointUrl), place);
    }
    exchange.holdPlace(place);
    const nowMs = this.#environment.runtime.clock.nowMs();
    const open = (): HttpsChannel => connection.createChannel(format.transportProfileUri, exchange.endpointUrl, POLICY_NONE_URI);
    const callers = connection.sessionlessCallers(users, open);
    const known = callers.known(evidence, nowMs);
    if (known !== undefined) return this.#submit(incoming, known, false);
    callers.identify(evidence, nowMs).then(
      (channel) => {
        if (!exchange.isEnded) this.#submit(incoming, channel, false);
      },
      (error: unknown) => exchange.refuse(this.#unidentified(error)),
    );
  }

  #unidentified(error: unknown): Parameters<ServiceExchange['refuse']>[0] {
    const code = error instanceof UaStatusError && isBad(error.statusCode) ? error.statusCode : StatusCodes.BadInternalError;
    if (code === StatusCodes.BadServerTooBusy) {
      const { busyRetryAfterMs: retryAfterMs } = this.#environment.limits;
      return { statusCode: 503, text: 'too many callers to identify', retryAfterMs, closes: false };
    }
    if (code === StatusCodes.BadInternalError) {
      this.#environment.runtime.log.log('error', 'https.identifyFailed', { error });
      return { statusCode: 500, text: 'internal error', closes: false };
    }
    const headers = { 'www-authenticate': 'Basic realm="OPC UA", charset="UTF-8"' };
    return { statusCode: 401, text: 'not authorized', closes: false, headers };
  }

  #takeId(): number {
    this.#lastRequestId = this.#lastRequestId >= MAX_UINT32 ? 1 : this.#lastRequestId + 1;
    return this.#lastRequestId;
  }
}

function answerUndecodable(exchange: ServiceExchange, format: MessageFormat, requestHandle: number, serviceResult: StatusCode): void {
  const header: OutgoingResponseHeader = {
    requestHandle,
    serviceResult,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: ExtensionObject.NULL,
  };
  exchange.send(format.contentType, format.encodeResponse(ServiceFault, header, {}, MAX_UINT32));
}
