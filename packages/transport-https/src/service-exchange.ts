import type { HttpRefusal } from './http-refusal.ts';
import type { HttpsConnection } from './https-connection.ts';
import type { HttpsRequest } from './https-request.ts';
import type { SessionlessEvidence } from './sessionless/sessionless-callers.ts';

/** One request with its answer, from its first byte to the last one out: in the body of an HTTP request or in a WebSocket message. */
export interface ServiceExchange {
  readonly connection: HttpsConnection;
  readonly isEnded: boolean;
  /** URL by which the client came, as endpoint URLs are written. */
  readonly endpointUrl: string;
  /** What says who asks without a Session. */
  readonly evidence: SessionlessEvidence;
  /** What came is charged elsewhere, or won't be looked at. Idempotent. */
  releaseBody(): void;
  /** @param place of the session-less budget, given back at the end. */
  holdPlace(place: Disposable): void;
  /** @param request is told when nobody is there any more to take its answer. */
  submitted(request: HttpsRequest): void;
  send(contentType: string, body: Buffer): void;
  /** Answers without a message of OPC UA. */
  refuse(refusal: HttpRefusal): void;
  /** The server stops before there is an answer. */
  giveUp(): void;
  /** The response is out, or the connection is gone. Idempotent. */
  end(): void;
}
