import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import { CreateSessionRequest, ExtensionObject, ServiceFault, type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { HttpsChannel } from './https-channel.ts';
import type { HttpsEnvironment } from './https-environment.ts';
import type { HttpsExchange } from './https-exchange.ts';
import { POLICY_NONE_URI } from './https-profiles.ts';
import { HttpsRequest } from './https-request.ts';
import type { MessageFormat, RequestHead } from './message-format.ts';

const MAX_UINT32 = 0xffffffff;

/** Makes service requests of HTTP bodies and hands them to the server. */
export class ServiceRequests {
  readonly #environment: HttpsEnvironment;
  #lastRequestId = 0;

  constructor(environment: HttpsEnvironment) {
    this.#environment = environment;
  }

  /** @param securityPolicyUri what the client says in OPCUA-SecurityPolicy. OPC 10000-6 §7.4.1. */
  submit(exchange: HttpsExchange, message: Buffer, format: MessageFormat, securityPolicyUri: string = POLICY_NONE_URI): void {
    const head = format.decodeHead(message);
    if (head.kind === 'undecodable') {
      exchange.releaseBody();
      return answerUndecodable(exchange, format, head.requestHandle, head.error.statusCode);
    }
    const isNewSession = head.typeId === CreateSessionRequest.binaryEncodingId;
    const channel = isNewSession
      ? exchange.connection.createChannel(format.transportProfileUri, exchange.endpointUrl, securityPolicyUri)
      : this.#channelOf(exchange, head, format);
    const request = new HttpsRequest(this.#environment, exchange, channel, isNewSession, this.#takeId(), head, message, format);
    if (securityPolicyUri === POLICY_NONE_URI) this.#environment.sink.submit(request);
    else this.#environment.sink.refuse(request, new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'no endpoint of this policy'));
    // Charged to the queue from here on.
    exchange.releaseBody();
  }

  /** That of the Session; else that of the connection, on which the server then finds the Session unknown. */
  #channelOf({ connection, endpointUrl }: HttpsExchange, { header }: RequestHead, format: MessageFormat): HttpsChannel {
    const bound = this.#environment.channels.byToken(header.authenticationToken);
    if (bound !== undefined && connection.mayUse(bound)) return bound;
    return connection.channelOf(format.transportProfileUri, endpointUrl);
  }

  #takeId(): number {
    this.#lastRequestId = this.#lastRequestId >= MAX_UINT32 ? 1 : this.#lastRequestId + 1;
    return this.#lastRequestId;
  }
}

function answerUndecodable(exchange: HttpsExchange, format: MessageFormat, requestHandle: number, serviceResult: StatusCode): void {
  const header: OutgoingResponseHeader = {
    requestHandle,
    serviceResult,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: ExtensionObject.NULL,
  };
  exchange.send(format.contentType, format.encodeResponse(ServiceFault, header, {}, MAX_UINT32));
}
