import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { IncomingRequest, RequestSink, SecureChannelContext } from '@bulkhead/contracts';
import { createEventLoopRuntime, RecordingLogger, RecordingOwners, RecordingProvider } from '@bulkhead/testkit';
import { UacpConnectionFactory } from '@bulkhead/transport';
import {
  BinaryReader,
  BinaryWriter,
  decodeNodeId,
  ExtensionObject,
  encodeNodeId,
  NodeId,
  ReadRequest,
  ReadResponse,
  RequestHeader,
  type RequestType,
  type ResponseType,
} from '@bulkhead/types';
import { HttpsTransport, type HttpsTransportOptions, WebPort, type WebPortOptions } from '../src/index.ts';

/** Stands in for the dispatcher: answers each request with an empty ReadResponse, at once or when told. */
export class AnsweringSink implements RequestSink {
  readonly waiting: IncomingRequest[] = [];
  readonly abandoned: IncomingRequest[] = [];
  readonly channels: SecureChannelContext[] = [];
  readonly closedChannels: SecureChannelContext[] = [];
  answersAtOnce = true;
  #arrived: (() => void)[] = [];

  submit(request: IncomingRequest): void {
    this.channels.push(request.channel);
    if (this.answersAtOnce) answer(request);
    else this.waiting.push(request);
    for (const resolve of this.#arrived.splice(0)) resolve();
  }

  refuse(): void {}

  requestAbandoned(request: IncomingRequest): void {
    this.abandoned.push(request);
    for (const resolve of this.#arrived.splice(0)) resolve();
  }

  channelClosed(channel: SecureChannelContext): void {
    this.closedChannels.push(channel);
    for (const resolve of this.#arrived.splice(0)) resolve();
  }

  channelHeldBack(): void {}

  onTurnEnd(flush: () => void): void {
    setImmediate(flush);
  }

  /** Waits for events of the sink until the condition holds. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }
}

/** @param type of the response. @param body without its header. */
export function answer(request: IncomingRequest, type: ResponseType<unknown> = ReadResponse as never, body: unknown = READ_NOTHING): void {
  const header = {
    requestHandle: request.header.requestHandle,
    serviceResult: 0,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: ExtensionObject.NULL,
  };
  request.respond(type, header, body, 0);
}

const READ_NOTHING = { results: [], diagnosticInfos: [] };

/** A transport on a web port on a free port, without TLS, before a sink that answers. */
export class HttpsTestServer {
  readonly provider: RecordingProvider = new RecordingProvider();
  readonly sink: AnsweringSink = new AnsweringSink();
  readonly transport: HttpsTransport;
  readonly #webPort: WebPort;
  #port = 0;

  private constructor(options: Partial<HttpsTransportOptions>, portOptions: Partial<WebPortOptions>) {
    const { provider, sink } = this;
    const runtime = createEventLoopRuntime();
    const factory = new UacpConnectionFactory({
      runtime,
      provider,
      owners: new RecordingOwners(provider),
      sink,
      endpoints: { securityModes: () => [], identity: () => undefined, validateClientCertificate: () => Promise.resolve() },
    });
    this.#webPort = new WebPort({ gate: factory, port: 0, host: '127.0.0.1', tls: undefined, log: new RecordingLogger(), ...portOptions });
    this.transport = new HttpsTransport({ runtime, provider, sink, shared: factory.shared, port: this.#webPort, ...options });
  }

  static async start(options: Partial<HttpsTransportOptions> = {}, portOptions: Partial<WebPortOptions> = {}): Promise<HttpsTestServer> {
    const server = new HttpsTestServer(options, portOptions);
    await server.transport.start();
    server.#port = (await server.#webPort.listen()).port;
    return server;
  }

  /** @returns a connection over which a test speaks HTTP by itself. */
  connect(): RawHttp {
    return new RawHttp(connect(this.#port, '127.0.0.1'));
  }

  /** Posts a body over a connection of its own. */
  post(body: Buffer, headers: Record<string, string> = {}, path = '/'): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          port: this.#port,
          host: '127.0.0.1',
          path,
          method: 'POST',
          agent: false,
          headers: { 'content-type': 'application/octet-stream', 'content-length': body.length, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
          );
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  async stop(): Promise<void> {
    await this.transport.stop();
    await this.#webPort.close();
  }
}

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A connection on which a test writes HTTP as it wants it. */
export class RawHttp {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';
  #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => this.#wake(bytes.toString('latin1')));
    void this.closed.then(() => this.#wake(''));
  }

  get received(): string {
    return this.#received;
  }

  /** Waits until so many responses began, or the connection closed. @returns their status codes. */
  async statuses(count: number): Promise<number[]> {
    const found = (): number[] => [...this.#received.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map(([, status]) => Number(status));
    while (found().length < count && !this.socket.destroyed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return found();
  }

  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** The head of a POST, and its body if there is one. */
  post(body: Buffer | undefined, headers: Record<string, string> = {}): void {
    const all = { host: 'localhost', 'content-type': 'application/octet-stream', ...headers };
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const lines = Object.entries({ ...all, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`), body ?? Buffer.alloc(0)]));
  }

  #wake(text: string): void {
    this.#received += text;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A message as it stands in a body. */
export function encodeRequest<T>(type: RequestType<T>, init: Partial<T>): Buffer {
  const writer = new BinaryWriter();
  encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
  type.encode(writer, type.create(init));
  return writer.toBuffer();
}

export function readRequest(requestHandle = 1): Buffer {
  return encodeRequest(ReadRequest, { requestHeader: RequestHeader.create({ requestHandle }) });
}

/** @throws when the body is another message. */
export function decodeResponse<T>(type: ResponseType<T>, body: Buffer): T {
  const reader = new BinaryReader(body);
  const { identifier } = decodeNodeId(reader);
  if (identifier !== type.binaryEncodingId) throw new Error(`i=${String(identifier)} instead of ${type.name}`);
  return type.decode(reader);
}
