import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  AnonymousIdentityToken,
  ApplicationType,
  CreateSessionRequest,
  CreateSessionResponse,
  ExtensionObject,
  LocalizedText,
  NodeId,
  type RequestHeader,
  type RequestType,
  type ResponseHeader,
  type ResponseType,
  UserTokenType,
} from '@bulkhead/types';
import { ChunkSplitter } from '../../client/chunk-splitter.ts';
import { type Acknowledge, BUFFER_BYTES, decodeAcknowledge, encodeHello } from '../../client/handshake.ts';
import { decodeResponse, encodeRequest } from '../../client/message-body.ts';
import { HEADER_BYTES, PlainChannel } from '../../client/plain-channel.ts';
import { type ChunkSocket, socketFor } from '../../client/socket-for.ts';
import type { AbuseCounts } from './abuse.ts';

const MSG = 0x4d;
const FINAL = 0x46;
/** A server that grants so little forgets a Session whose connection is gone soon. */
const SESSION_TIMEOUT_MS = 10_000;
/** Those of single calls; an abuse numbers its requests from 1. */
const FIRST_CALL_ID = 0x4000_0000;

/** Counts of all peers of an abuse. */
export class Tally implements AbuseCounts {
  connections = 0;
  closed = 0;
  requests = 0;
  responses = 0;
}

/** A connection that sends frames made beforehand and hardly looks at the answers, so that it costs its own process little. */
export class AbusivePeer {
  readonly channel: PlainChannel = new PlainChannel();
  acknowledge: Acknowledge | undefined;
  /** Called with the RequestId of each message that ends. */
  onResponse: ((requestId: number) => void) | undefined;
  onClosed: (() => void) | undefined;
  readonly #url: string;
  readonly #tally: Tally;
  readonly #socket: ChunkSocket;
  #isClosing = false;
  #chunksToReturn = 0;
  #answer: { resolve: (chunk: Buffer) => void; reject: (error: Error) => void } | undefined;
  #nextCallId = FIRST_CALL_ID;

  /** Begins to connect; what is sent before it is connected waits. */
  constructor(url: string, localAddress: string, tally: Tally) {
    this.#url = url;
    this.#tally = tally;
    const splitter = new ChunkSplitter(BUFFER_BYTES, (bytes, start, end) => this.#onChunk(bytes, start, end));
    this.#socket = socketFor(url, localAddress);
    this.#socket.on('connect', () => tally.connections++);
    this.#socket.on('data', (bytes) => splitter.push(bytes, bytes.length));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#answer?.reject(new Error('closed by the server'));
      this.#answer = undefined;
      if (this.#isClosing) return;
      tally.closed++;
      this.onClosed?.();
    });
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** What is not yet with the operating system. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Until it is connected, TLS included. @throws Error when the server closes before. */
  secured(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('close', () => reject(new Error('closed by the server')));
    });
  }

  async hello(): Promise<Acknowledge> {
    this.acknowledge = decodeAcknowledge(await this.#exchange(encodeHello(this.#url)));
    return this.acknowledge;
  }

  /** Hello and an unsecured channel. @throws Error when the server closes. */
  async open(): Promise<void> {
    await this.channel.open((chunks) => this.#exchange(Buffer.concat(chunks)), await this.hello());
  }

  /** Hello, channel and an activated Session. @returns its token. */
  async openSession(): Promise<NodeId> {
    await this.open();
    const created = await this.call(CreateSessionRequest, CreateSessionResponse, sessionFields(this.#url));
    const endpoint = created.serverEndpoints?.find(({ securityPolicyUri }) => securityPolicyUri?.endsWith('#None'));
    const anonymous = endpoint?.userIdentityTokens?.find(({ tokenType }) => tokenType === UserTokenType.Anonymous);
    const none = { algorithm: null, signature: null };
    const userIdentityToken = ExtensionObject.of(AnonymousIdentityToken, { policyId: anonymous?.policyId ?? null });
    const fields = {
      clientSignature: none,
      clientSoftwareCertificates: null,
      localeIds: null,
      userIdentityToken,
      userTokenSignature: none,
    };
    await this.call(ActivateSessionRequest, ActivateSessionResponse, fields, created.authenticationToken);
    return created.authenticationToken;
  }

  /** One request at a time, before the abuse begins. */
  async call<Q extends { requestHeader: RequestHeader }, S extends { responseHeader: ResponseHeader }>(
    request: RequestType<Q>,
    response: ResponseType<S>,
    fields: Omit<Q, 'requestHeader'>,
    token: NodeId = NodeId.NULL,
  ): Promise<S> {
    const requestId = this.#nextCallId++;
    const chunks: Buffer[] = [];
    let next = await this.#exchange(Buffer.concat(this.channel.encode(requestId, encodeRequest(request, fields, token, requestId).bytes)));
    for (;;) {
      if (next[0] !== MSG) throw new Error(`no ${response.name}`);
      chunks.push(next.subarray(HEADER_BYTES));
      if (next[3] === FINAL) break;
      next = await this.#nextChunk();
    }
    const body = Buffer.concat(chunks);
    return decodeResponse(response, body, 0, body.length);
  }

  /** Sends a frame of the channel with its next sequence numbers. It must not change before the server has answered. */
  sendFrame(frame: Buffer, requestId: number): void {
    this.channel.stamp(frame, 0, requestId);
    this.#tally.requests++;
    this.#socket.write(frame);
  }

  /** Sends bytes as they are. */
  send(...buffers: readonly Buffer[]): void {
    this.#socket.cork();
    for (const buffer of buffers) this.#socket.write(buffer);
    this.#socket.uncork();
  }

  /** Closes, and comes again, once the server has answered so many chunks. */
  returnAfterChunks(count: number): void {
    this.#chunksToReturn = count;
  }

  /** Takes nothing more from the socket. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Closes as if the server had done it. */
  destroyAndReturn(): void {
    this.#socket.destroy();
  }

  /** Closes without a word and for good. Idempotent. */
  destroy(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #exchange(bytes: Buffer): Promise<Buffer> {
    this.#socket.write(bytes);
    return this.#nextChunk();
  }

  #nextChunk(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) reject(new Error('closed by the server'));
      else this.#answer = { resolve, reject };
    });
  }

  #onChunk(bytes: Buffer, start: number, end: number): void {
    if (this.#chunksToReturn > 0 && --this.#chunksToReturn === 0) {
      this.#tally.responses++;
      return this.destroyAndReturn();
    }
    const answer = this.#answer;
    if (answer) {
      this.#answer = undefined;
      answer.resolve(Buffer.from(bytes.subarray(start, end)));
    } else if (bytes[start] === MSG && bytes[start + 3] === FINAL) {
      this.#tally.responses++;
      this.onResponse?.(bytes.readUInt32LE(start + 20));
    }
  }
}

/** What CreateSession asks for. */
export function sessionFields(endpointUrl: string): Omit<CreateSessionRequest, 'requestHeader'> {
  return {
    clientDescription: {
      applicationUri: 'urn:bulkhead:benchmarks',
      productUri: null,
      applicationName: new LocalizedText('abuser'),
      applicationType: ApplicationType.Client,
      gatewayServerUri: null,
      discoveryProfileUri: null,
      discoveryUrls: null,
    },
    serverUri: null,
    endpointUrl,
    sessionName: 'abuser',
    clientNonce: null,
    clientCertificate: null,
    requestedSessionTimeout: SESSION_TIMEOUT_MS,
    maxResponseMessageSize: 0,
  };
}
