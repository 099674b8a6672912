import type { Clock, RandomSource, RemoteAddress, SecureChannelContext } from '@bulkhead/contracts';
import type { SecurityPolicy } from '@bulkhead/security';
import {
  type BinaryWriter,
  createResponseHeader,
  type MessageSecurityMode,
  type OpenSecureChannelRequest,
  OpenSecureChannelResponse,
  type StatusCode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { type BlockPool, type NegotiatedLimits, readMessageType } from '@bulkhead/uacp';
import { type AsymmetricPeers, openAsymmetricChunk, sealAsymmetricChunk } from './asymmetric-chunk.ts';
import { type AsymmetricSecurityHeader, decodeAsymmetricSecurityHeader } from './asymmetric-security-header.ts';
import { makeSecurityToken } from './channel-keys.ts';
import type { ReassemblyAdmission } from './chunk-reassembler.ts';
import type { EncodeBuffer } from './encode-buffer.ts';
import { MessageConversation } from './message-conversation.ts';
import { decodeOpenSecureChannelRequestMessage, writeServiceMessage } from './open-secure-channel.ts';
import type { SecureChannelEndpoints } from './secure-channel-endpoints.ts';
import { ServerChannelSecurity } from './server-channel-security.ts';

export interface ServerSecureChannelOptions {
  /** SecureChannelId that the client is given; 1 … UInt32.Max, not in use by another channel. */
  readonly channelId: number;
  readonly limits: NegotiatedLimits;
  readonly endpoints: SecureChannelEndpoints;
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  /** EndpointUrl of the client's Hello. */
  readonly endpointUrl: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly reassembly: ReassemblyAdmission;
  /** Shortest token lifetime granted, in ms; >= 1. */
  readonly minTokenLifetimeMs: number;
  /** Longest token lifetime granted, in ms; >= minTokenLifetimeMs. */
  readonly maxTokenLifetimeMs: number;
  /** Time for a Message of several chunks, from its first one, in ms; the token's lifetime if that is shorter or this is left out. */
  readonly partialMessageTimeoutMs?: number | undefined;
  /** Memory for outgoing messages; best one for all channels of a server. Default: one of its own. */
  readonly encodeBuffer?: EncodeBuffer | undefined;
  /** Memory for unfinished incoming messages. Default: allocated for each. */
  readonly blockPool?: BlockPool | undefined;
  /** SequenceNumber before the first one sent. Default 0. */
  readonly lastSequenceNumber?: number | undefined;
}

/** What a chunk led to. */
export type ServerChannelEvent =
  /** Nothing yet: an intermediate chunk, or one that aborts a Message. */
  | { readonly kind: 'none' }
  /** A whole request: type id, RequestHeader, body. May be a view of the received chunk. */
  | { readonly kind: 'message'; readonly requestId: number; readonly message: Buffer }
  /** The channel was opened or renewed. `chunks` have to be sent, in order, before anything encoded later. */
  | { readonly kind: 'opened'; readonly renewal: boolean; readonly requestId: number; readonly chunks: Buffer[] }
  /** The client closes the channel. */
  | { readonly kind: 'closed' };

type State = 'new' | 'opening' | 'open' | 'renewing' | 'closed';

const NO_EVENT: ServerChannelEvent = { kind: 'none' };
const CLOSED_EVENT: ServerChannelEvent = { kind: 'closed' };
const CHANNEL_IS_CLOSED = 'the channel is closed';

/**
 * The server's end of one SecureChannel: chunks in, events out; no I/O, no timers. Every error it throws is fatal: the
 * connection sends it as ERR and closes. OPC 10000-6 §6.7.
 */
export class ServerSecureChannel implements SecureChannelContext {
  readonly channelId: number;
  readonly transportProfileUri: string;
  readonly endpointUrl: string;
  readonly remote: RemoteAddress;
  readonly #options: ServerSecureChannelOptions;
  readonly #conversation: MessageConversation;
  readonly #security: ServerChannelSecurity;
  #state: State = 'new';
  #lastTokenId = 0;

  constructor(options: ServerSecureChannelOptions) {
    this.channelId = options.channelId;
    this.transportProfileUri = options.transportProfileUri;
    this.endpointUrl = options.endpointUrl;
    this.remote = options.remote;
    this.#options = options;
    this.#security = new ServerChannelSecurity(options.endpoints, options.limits.helloProtocolVersion);
    this.#conversation = new MessageConversation({ ...options, role: 'server' });
    this.#conversation.channelId = options.channelId;
  }

  get securityPolicyUri(): string {
    return this.#security.policy.uri;
  }

  /** Invalid until the channel is open. */
  get securityMode(): MessageSecurityMode {
    return this.#security.mode;
  }

  get clientCertificate(): Buffer | undefined {
    return this.#security.clientCertificate;
  }

  get serverCertificate(): Buffer | undefined {
    return this.#security.peers?.own.certificate.der;
  }

  get isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'renewing';
  }

  /** True while chunks of an unfinished Message are kept. */
  get hasPartialMessage(): boolean {
    return this.#conversation.hasPartialMessage;
  }

  /** Bytes of the memory that is kept for the unfinished Message. */
  get retainedBytes(): number {
    return this.#conversation.retainedBytes;
  }

  /** Bytes of encoded responses that go out only after a renewal is signed. */
  get heldBytes(): number {
    return this.#conversation.heldBytes;
  }

  /**
   * Takes one whole chunk. It is decrypted in place and may live on in the event. While a promise is pending no other chunk may
   * be given; messages may be encoded.
   * @throws UaStatusError (as a rejection for OPN) with the code for the ERR message; the channel is closed then.
   */
  receive(chunk: Buffer, nowMs: number): ServerChannelEvent | Promise<ServerChannelEvent> {
    try {
      const type = readMessageType(chunk);
      switch (type) {
        case 'MSG':
          return this.#receiveMessage(chunk, nowMs);
        case 'OPN':
          return this.#receiveOpen(chunk);
        case 'CLO':
          this.#conversation.open(chunk, nowMs);
          this.dispose();
          return CLOSED_EVENT;
        default:
          throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, `${type} on a SecureChannel`);
      }
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /**
   * Encodes a response, straight into its chunk when one suffices.
   * @param write writes type id, ResponseHeader and body; called once, at once.
   * @param maxBytes largest response the caller allows, in bytes; must be finite to bound memory when the client names no limit.
   * @returns chunks to be sent in order; empty while a renewal is being signed, its event brings them then.
   * @throws UaStatusError BadResponseTooLarge when it exceeds `maxBytes` or what the client takes; BadSecureChannelClosed; what
   * `write` throws. Nothing was sent then.
   */
  encodeMessage(requestId: number, write: (writer: BinaryWriter) => void, maxBytes: number): Buffer[] {
    return this.#conversation.encodeMessage('MSG', requestId, write, maxBytes);
  }

  /** A chunk that ends a response of which intermediate chunks were sent. OPC 10000-6 §6.7.3. */
  encodeAbort(requestId: number, statusCode: StatusCode, reason: string): Buffer[] {
    return this.#conversation.encodeAbort(requestId, statusCode, reason);
  }

  /** Monotonic ms at which `checkDeadlines` has to be asked; Infinity when there is nothing to wait for. */
  nextDeadlineMs(): number {
    return this.#conversation.nextDeadlineMs();
  }

  /** @returns why the channel has to be closed: its token was not renewed in time, or a Message is not finished in time. */
  checkDeadlines(nowMs: number): UaStatusError | undefined {
    return this.#conversation.checkDeadlines(nowMs);
  }

  /** Forgets keys and unfinished Messages, gives leases back. Idempotent. */
  dispose(): void {
    this.#state = 'closed';
    this.#conversation.dispose();
  }

  #receiveMessage(chunk: Buffer, nowMs: number): ServerChannelEvent {
    const requestId = this.#conversation.open(chunk, nowMs);
    const message = this.#conversation.collect(chunk, requestId, nowMs);
    return message === undefined ? NO_EVENT : { kind: 'message', requestId, message };
  }

  async #receiveOpen(chunk: Buffer): Promise<ServerChannelEvent> {
    try {
      const header = decodeAsymmetricSecurityHeader(chunk);
      const renewal = this.#begin(header);
      const policy = this.#security.checkPolicy(header, renewal);
      const peers = policy.isSecure ? await this.#security.authenticate(header, policy, renewal) : undefined;
      const { sequenceNumber, requestId, body } = await openAsymmetricChunk(chunk, header.endOffset, policy, peers);
      this.#conversation.received.accept(sequenceNumber);
      const request = decodeOpenSecureChannelRequestMessage(body);
      this.#security.checkRequest(request, policy, renewal);
      const clientCertificate = policy.isSecure ? header.senderCertificate : undefined;
      const chunks = await this.#issueToken(request, requestId, policy, peers, clientCertificate);
      return { kind: 'opened', renewal, requestId, chunks };
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** @returns true for a renewal. The state also keeps a second OPN from being taken meanwhile. */
  #begin(header: AsymmetricSecurityHeader): boolean {
    const renewal = this.#state === 'open';
    if (!renewal && this.#state !== 'new') throw new UaStatusError(StatusCodes.BadSecureChannelClosed, CHANNEL_IS_CLOSED);
    if (renewal && header.channelId === 0) {
      throw new UaStatusError(StatusCodes.BadRequestTypeInvalid, 'a second channel on one connection');
    }
    if (header.channelId !== (renewal ? this.channelId : 0)) {
      throw new UaStatusError(StatusCodes.BadTcpSecureChannelUnknown, `SecureChannelId ${header.channelId}`);
    }
    this.#state = renewal ? 'renewing' : 'opening';
    return renewal;
  }

  async #issueToken(
    request: OpenSecureChannelRequest,
    requestId: number,
    policy: SecurityPolicy,
    peers: AsymmetricPeers | undefined,
    clientCertificate: Buffer | undefined,
  ): Promise<Buffer[]> {
    const { clock, limits, random, minTokenLifetimeMs, maxTokenLifetimeMs } = this.#options;
    const clientNonce = request.clientNonce ?? Buffer.alloc(0);
    const serverNonce = random.bytes(policy.secureChannelNonceBytes);
    const lifetimeMs = Math.min(Math.max(request.requestedLifetime, minTokenLifetimeMs), maxTokenLifetimeMs);
    const tokenId = ++this.#lastTokenId;
    const createdAt = clock.utcNow();
    const createdAtMs = clock.nowMs();
    const response = OpenSecureChannelResponse.create({
      responseHeader: createResponseHeader({ timestamp: createdAt, requestHandle: request.requestHeader.requestHandle }),
      serverProtocolVersion: limits.protocolVersion,
      securityToken: { channelId: this.channelId, tokenId, createdAt, revisedLifetime: lifetimeMs },
      serverNonce: policy.isSecure ? serverNonce : null,
    });
    // The chunk gets its number here and is ready later: what is encoded in between has to follow it.
    this.#conversation.hold();
    const chunk = await sealAsymmetricChunk({
      channelId: this.channelId,
      policy,
      peers,
      sequenceNumber: this.#conversation.sent.next(),
      requestId,
      maxChunkBytes: limits.sendBufferSize,
      writeBody: (writer) => writeServiceMessage(writer, OpenSecureChannelResponse, response),
    });
    if (this.#state === 'closed') throw new UaStatusError(StatusCodes.BadSecureChannelClosed, CHANNEL_IS_CLOSED);
    const nonces = { client: clientNonce, server: serverNonce };
    this.#security.settle(request, policy, peers, clientCertificate);
    this.#state = 'open';
    this.#conversation.securityMode = request.securityMode;
    this.#conversation.tokens.add(makeSecurityToken('server', policy, nonces, { tokenId, createdAtMs, lifetimeMs }));
    return [chunk, ...this.#conversation.release()];
  }
}
