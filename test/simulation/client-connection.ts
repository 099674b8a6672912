import type { ByteTransportEvents } from '@bulkhead/contracts';
import { ChunkInbox, chunkTypeOf, type MemoryTransport, RawNoneChannel, type RawResponse, rawHello } from '@bulkhead/testkit';
import { NodeId, RequestHeader, type RequestType } from '@bulkhead/types';
import type { Findings } from './findings.ts';
import type { Link } from './network.ts';

/** What a client adds to the fields of a request. */
export interface RequestExtras {
  readonly token?: NodeId;
  /** ms; 0 for none. */
  readonly timeoutHint?: number;
}

interface Sent {
  readonly handle: number;
  readonly service: string;
  readonly answer: Promise<RawResponse | undefined>;
  readonly resolve: (response: RawResponse | undefined) => void;
}

const CHANNEL_ID_OFFSET = 8;

/** Request handles are unique in a run, so that an answer that went astray is noticed. */
export class RequestHandles {
  #last = 0;

  get last(): number {
    return this.#last;
  }

  next(): number {
    return ++this.#last;
  }
}

/** The client's end of one connection. Everything that comes is compared with what was asked. */
export class ClientConnection implements ByteTransportEvents {
  readonly channel: RawNoneChannel = new RawNoneChannel();
  readonly link: Link;
  isClosed = false;
  readonly #transport: MemoryTransport;
  readonly #findings: Findings;
  readonly #handles: RequestHandles;
  readonly #onAnswer: (service: string, response: RawResponse) => void;
  readonly #inbox: ChunkInbox = new ChunkInbox();
  readonly #sent: Map<number, Sent> = new Map();
  #awaited: { readonly type: string; readonly resolve: (chunk: Buffer | undefined) => void } | undefined;

  constructor(link: Link, findings: Findings, handles: RequestHandles, onAnswer: (service: string, response: RawResponse) => void) {
    this.link = link;
    this.#transport = link.pair.client;
    this.#findings = findings;
    this.#handles = handles;
    this.#onAnswer = onAnswer;
    this.#transport.start(this);
  }

  /** Requests that were not answered yet. */
  get openRequests(): number {
    return this.#sent.size;
  }

  /** Resolves once what is open now is answered, Publish requests apart, or the connection is closed. */
  async answered(): Promise<void> {
    await Promise.all([...this.#sent.values()].filter(({ service }) => service !== 'PublishRequest').map(({ answer }) => answer));
  }

  /** Services of the requests that were not answered yet. */
  get openServices(): readonly string[] {
    return [...this.#sent.values()].map(({ service }) => service);
  }

  /** HEL and OPN. @returns false when the server wouldn't. */
  async open(): Promise<boolean> {
    this.write(rawHello({ receiveBufferSize: 8192, sendBufferSize: 8192, endpointUrl: 'opc.tcp://server:4840' }));
    if ((await this.#chunk('ACK')) === undefined) return false;
    this.write(this.channel.openRequest());
    const opened = await this.#chunk('OPN');
    if (opened !== undefined) this.channel.acceptOpen(opened);
    return opened !== undefined;
  }

  /** @returns the answer, or undefined once the connection is closed. */
  request<T extends { requestHeader: RequestHeader }>(
    type: RequestType<T>,
    init: Partial<Omit<T, 'requestHeader'>>,
    extras: RequestExtras = {},
  ): Promise<RawResponse | undefined> {
    const requestId = this.channel.nextRequestId;
    const requestHeader = this.header(extras);
    const answer = this.expect(requestId, requestHeader.requestHandle, type.name);
    this.write(this.channel.request(type, { ...init, requestHeader } as Partial<T>));
    return answer;
  }

  header({ token = NodeId.NULL, timeoutHint = 0 }: RequestExtras): RequestHeader {
    return RequestHeader.create({ authenticationToken: token, requestHandle: this.#handles.next(), timeoutHint });
  }

  /** Somebody sends this request in chunks of his own. */
  expect(requestId: number, handle: number, service: string): Promise<RawResponse | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    let resolve: Sent['resolve'] = () => undefined;
    const answer = new Promise<RawResponse | undefined>((settle) => {
      resolve = settle;
    });
    this.#sent.set(requestId, { handle, service, answer, resolve });
    return answer;
  }

  write(...chunks: Buffer[]): void {
    this.#transport.write(chunks);
  }

  stopReading(): void {
    this.#transport.pause();
  }

  readOn(): void {
    this.#transport.resume();
  }

  /** CLO, and the end of the connection. */
  close(): void {
    if (this.channel.channelId !== 0) this.write(this.channel.chunk('CLO', 'F', this.channel.nextRequestId++, Buffer.alloc(0)));
    this.#transport.end();
  }

  onBytes(bytes: Buffer): void {
    this.#inbox.push(bytes);
    for (const chunk of this.#inbox.chunks.splice(0)) this.#onChunk(chunk);
  }

  onDrain(): void {}

  onClosed(): void {
    if (this.isClosed) this.#findings.report(`port ${this.link.port} was closed twice`);
    this.isClosed = true;
    this.#awaited?.resolve(undefined);
    for (const { resolve } of this.#sent.values()) resolve(undefined);
    this.#sent.clear();
  }

  #chunk(type: string): Promise<Buffer | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#awaited = { type, resolve };
    });
  }

  #onChunk(chunk: Buffer): void {
    const type = chunkTypeOf(chunk);
    if (type === 'MSG') return this.#onMessage(chunk);
    const awaited = this.#awaited;
    if (type !== 'ERR' && awaited?.type !== type) this.#findings.report(`port ${this.link.port} got ${type}, awaits ${awaited?.type}`);
    this.#awaited = undefined;
    awaited?.resolve(type === awaited.type ? chunk : undefined);
  }

  #onMessage(chunk: Buffer): void {
    const channelId = chunk.readUInt32LE(CHANNEL_ID_OFFSET);
    if (channelId !== this.channel.channelId) this.#findings.report(`channel ${this.channel.channelId} got a message of ${channelId}`);
    const response = this.channel.receive(chunk);
    if (response === undefined) return;
    const sent = this.#sent.get(response.requestId);
    if (sent === undefined) return this.#findings.report(`channel ${channelId}: an answer to ${response.requestId}, which isn't open`);
    this.#sent.delete(response.requestId);
    if (response.header.requestHandle !== sent.handle) {
      this.#findings.report(`channel ${channelId}: request handle ${response.header.requestHandle} in the answer to ${sent.handle}`);
    }
    this.#onAnswer(sent.service, response);
    sent.resolve(response);
  }
}
