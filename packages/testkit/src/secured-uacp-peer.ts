import type { ClientChannelEvent, ClientSecureChannelOptions } from '@bulkhead/secure-channel';
import { ClientSecureChannel } from '@bulkhead/secure-channel';
import { encodeNodeId, NodeId, type RequestType, type ResponseType } from '@bulkhead/types';
import { acceptAcknowledge, decodeAcknowledge, decodeErrorMessage, encodeHello, helloOf, type UacpLimits } from '@bulkhead/uacp';
import { chunkTypeOf, RawResponse } from './raw-messages.ts';
import type { RawUacpPeer } from './raw-uacp-peer.ts';
import { createEventLoopRuntime } from './runtimes.ts';

export interface SecuredUacpPeerOptions extends Pick<ClientSecureChannelOptions, 'policy' | 'mode' | 'identity' | 'serverCertificate'> {
  readonly endpointUrl?: string;
  /** Default 3,600,000. */
  readonly requestedLifetimeMs?: number;
  readonly limits?: UacpLimits;
}

const DEFAULT_LIMITS: UacpLimits = {
  receiveBufferSize: 65_536,
  sendBufferSize: 65_536,
  maxMessageSize: 16 * 1024 * 1024,
  maxChunkCount: 4096,
};

/** A client with any SecurityPolicy on the socket of a raw peer; the raw peer can still send anything in between. */
export class SecuredUacpPeer {
  readonly raw: RawUacpPeer;
  readonly channel: ClientSecureChannel;
  readonly #limits: UacpLimits;
  readonly #responses: Map<number, RawResponse> = new Map();
  #nextRequestId = 1;

  private constructor(raw: RawUacpPeer, channel: ClientSecureChannel, limits: UacpLimits) {
    this.raw = raw;
    this.channel = channel;
    this.#limits = limits;
  }

  /** Says hello and opens the channel. @throws Error with the code of the server's ERR. */
  static async open(raw: RawUacpPeer, options: SecuredUacpPeerOptions): Promise<SecuredUacpPeer> {
    const { policy, mode, identity, serverCertificate, requestedLifetimeMs = 3_600_000, limits = DEFAULT_LIMITS } = options;
    const hello = helloOf(limits, options.endpointUrl ?? 'opc.tcp://localhost:4840');
    raw.send(encodeHello(hello));
    const acknowledge = decodeAcknowledge(await expectChunk(raw, 'ACK'));
    const { clock, random } = createEventLoopRuntime(Math.floor(performance.now() * 1000));
    const channel = new ClientSecureChannel({
      limits: acceptAcknowledge(hello, acknowledge, limits),
      policy,
      mode,
      identity,
      serverCertificate,
      requestedLifetimeMs,
      clock,
      random,
    });
    const peer = new SecuredUacpPeer(raw, channel, limits);
    raw.send(...(await channel.open(peer.#nextRequestId++)));
    await channel.receive(await expectChunk(raw, 'OPN'), performance.now());
    return peer;
  }

  /** Gets a new token; responses that come before it are kept. */
  async renew(): Promise<void> {
    this.raw.send(...(await this.channel.renew(this.#nextRequestId++)));
    for (let event = await this.#receive(); event.kind !== 'opened'; event = await this.#receive());
  }

  /** @returns chunks of a request, to be sent whenever. */
  encodeRequest<T>(type: RequestType<T>, init: Partial<T> = {}): { readonly requestId: number; readonly chunks: Buffer[] } {
    const requestId = this.#nextRequestId++;
    const chunks = this.channel.encodeMessage(
      requestId,
      (writer) => {
        encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
        type.encode(writer, type.create(init));
      },
      this.#limits.maxMessageSize,
    );
    return { requestId, chunks };
  }

  /** @returns the RequestId. */
  sendRequest<T>(type: RequestType<T>, init: Partial<T> = {}): number {
    const { requestId, chunks } = this.encodeRequest(type, init);
    this.raw.send(...chunks);
    return requestId;
  }

  /** The response with that RequestId; others are kept for later calls. */
  async response(requestId: number): Promise<RawResponse> {
    for (;;) {
      const response = this.#responses.get(requestId);
      if (response !== undefined) {
        this.#responses.delete(requestId);
        return response;
      }
      await this.#receive();
    }
  }

  /** Sends a request and decodes its response. @throws Error when that is a ServiceFault. */
  async request<Request, Response>(
    type: RequestType<Request>,
    init: Partial<Request>,
    responseType: ResponseType<Response>,
  ): Promise<Response> {
    return (await this.response(this.sendRequest(type, init))).decode(responseType);
  }

  /** Sends CLO and waits until the server has closed. */
  async close(): Promise<void> {
    this.raw.send(...this.channel.close(this.#nextRequestId++));
    await this.raw.closed;
  }

  async #receive(): Promise<ClientChannelEvent> {
    const chunk = await this.raw.nextChunk();
    if (chunkTypeOf(chunk) === 'ERR') throw serverError(chunk);
    const event = await this.channel.receive(chunk, performance.now());
    if (event.kind === 'message') this.#responses.set(event.requestId, new RawResponse(event.requestId, event.message));
    return event;
  }
}

async function expectChunk(raw: RawUacpPeer, type: string): Promise<Buffer> {
  const chunk = await raw.nextChunk();
  if (chunkTypeOf(chunk) === type) return chunk;
  throw chunkTypeOf(chunk) === 'ERR' ? serverError(chunk) : new Error(`${chunkTypeOf(chunk)} instead of ${type}`);
}

function serverError(chunk: Buffer): Error {
  const { error, reason } = decodeErrorMessage(chunk);
  return new Error(`server sent ERR 0x${error.toString(16)}: ${reason}`);
}
