import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  BinaryReader,
  BinaryWriter,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  decodeNodeId,
  encodeNodeId,
  NodeId,
  RequestHeader,
  type RequestType,
  type ResponseType,
  ServiceFault,
} from '@bulkhead/types';
import type { TestServer } from '../support/test-server.ts';

/** What came back for a POST. */
export interface HttpsAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Speaks HTTPS with Node's own client: messages go out byte for byte as a test wants them. */
export class HttpsPeer {
  readonly #port: number;
  readonly #agent: Agent;
  authenticationToken: NodeId = NodeId.NULL;

  /** @param maxSockets connections that it keeps. */
  constructor(test: TestServer, maxSockets = 1) {
    const url = test.server.endpointUrls.find((each) => each.startsWith('opc.https:'));
    if (url === undefined) throw new Error('no opc.https URL');
    this.#port = Number(new URL(url).port);
    this.#agent = new Agent({ keepAlive: true, maxSockets, rejectUnauthorized: false });
  }

  /** With an anonymous Session. */
  static async withSession(test: TestServer): Promise<HttpsPeer> {
    const peer = new HttpsPeer(test);
    const created = await peer.request(
      CreateSessionRequest,
      { sessionName: 'raw', requestedSessionTimeout: 60_000 },
      CreateSessionResponse,
    );
    peer.authenticationToken = created.authenticationToken;
    await peer.request(ActivateSessionRequest, {}, ActivateSessionResponse);
    return peer;
  }

  post(path: string, body: Buffer | string, headers: Record<string, string>, signal?: AbortSignal): Promise<HttpsAnswer> {
    return this.#exchange('POST', path, body, { 'content-length': String(Buffer.byteLength(body)), ...headers }, signal);
  }

  get(path: string): Promise<HttpsAnswer> {
    return this.#exchange('GET', path, '', {});
  }

  #exchange(
    method: string,
    path: string,
    body: Buffer | string,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<HttpsAnswer> {
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: this.#port,
        path,
        method,
        agent: this.#agent,
        headers,
        ...(signal === undefined ? {} : { signal }),
      };
      const request = httpsRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Sends a request in OPC UA Binary. */
  send<T extends { requestHeader: RequestHeader }>(
    type: RequestType<T>,
    init: Partial<Omit<T, 'requestHeader'>>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<HttpsAnswer> {
    const writer = new BinaryWriter();
    encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
    const requestHeader = RequestHeader.create({ authenticationToken: this.authenticationToken, requestHandle: 1 });
    type.encode(writer, type.create({ ...init, requestHeader } as unknown as Partial<T>));
    return this.post('/', writer.toBuffer(), { 'content-type': 'application/octet-stream', ...headers }, signal);
  }

  async request<Request extends { requestHeader: RequestHeader }, Response>(
    type: RequestType<Request>,
    init: Partial<Omit<Request, 'requestHeader'>>,
    responseType: ResponseType<Response>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return decodeAnswer(responseType, await this.send(type, init, headers));
  }

  /** The code of the ServiceFault that the request is answered with. */
  async fault<Request extends { requestHeader: RequestHeader }>(
    type: RequestType<Request>,
    init: Partial<Omit<Request, 'requestHeader'>>,
    headers: Record<string, string> = {},
  ): Promise<number> {
    return decodeAnswer(ServiceFault, await this.send(type, init, headers)).responseHeader.serviceResult;
  }

  async closeSession(): Promise<void> {
    await this.request(CloseSessionRequest, { deleteSubscriptions: true }, CloseSessionResponse);
    this.authenticationToken = NodeId.NULL;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** @throws when it is another message, or a refusal of HTTP. */
export function decodeAnswer<T>(type: ResponseType<T>, { statusCode, body }: HttpsAnswer): T {
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${body.toString()}`);
  const reader = new BinaryReader(body);
  const { identifier } = decodeNodeId(reader);
  if (identifier === type.binaryEncodingId) return type.decode(reader);
  const fault = identifier === ServiceFault.binaryEncodingId ? ServiceFault.decode(reader).responseHeader.serviceResult.toString(16) : '';
  throw new Error(`i=${String(identifier)} ${fault} instead of ${type.name}`);
}
