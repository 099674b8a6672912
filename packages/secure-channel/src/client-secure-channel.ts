import type { Clock, RandomSource } from '@bulkhead/contracts';
import { type Lease, Stage } from '@bulkhead/resource-isolation';
import { type Certificate, checkSecureChannelNonce, type SecurityPolicy, splitCertificateChain } from '@bulkhead/security';
import {
  type BinaryWriter,
  CloseSecureChannelRequest,
  createRequestHeader,
  type MessageSecurityMode,
  OpenSecureChannelRequest,
  type OpenSecureChannelResponse,
  SecurityTokenRequestType,
  type StatusCode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { type NegotiatedLimits, readChunkType, readMessageType } from '@bulkhead/uacp';
import { type AsymmetricPeers, openAsymmetricChunk, sealAsymmetricChunk } from './asymmetric-chunk.ts';
import { type AsymmetricSecurityHeader, decodeAsymmetricSecurityHeader } from './asymmetric-security-header.ts';
import type { ChannelIdentity } from './channel-identity.ts';
import { makeSecurityToken } from './channel-keys.ts';
import { CHANNEL_ID_OFFSET } from './chunk-layout.ts';
import type { ReassemblyAdmission } from './chunk-reassembler.ts';
import type { EncodeBuffer } from './encode-buffer.ts';
import { MessageConversation } from './message-conversation.ts';
import { decodeAbort, decodeOpenSecureChannelResponseMessage, writeServiceMessage } from './open-secure-channel.ts';

export interface ClientSecureChannelOptions {
  readonly limits: NegotiatedLimits;
  readonly policy: SecurityPolicy;
  readonly mode: MessageSecurityMode;
  /** The client's certificate and key; needed unless the policy is None. */
  readonly identity?: ChannelIdentity | undefined;
  /** The server's certificate, from its EndpointDescription and validated; needed unless the policy is None. */
  readonly serverCertificate?: Certificate | undefined;
  /** In ms. */
  readonly requestedLifetimeMs: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Asked before an intermediate chunk is kept. Default: the limits alone bound it. */
  readonly reassembly?: ReassemblyAdmission | undefined;
  /** Time for a response of several chunks, from its first one, in ms; the token's lifetime if that is shorter or this is left out. */
  readonly partialMessageTimeoutMs?: number | undefined;
  readonly encodeBuffer?: EncodeBuffer | undefined;
  /** SequenceNumber before the first one sent. Default 0. */
  readonly lastSequenceNumber?: number | undefined;
}

/** What a chunk led to. */
export type ClientChannelEvent =
  /** Nothing yet: an intermediate chunk. */
  | { readonly kind: 'none' }
  /** A whole response. May be a view of the received chunk. */
  | { readonly kind: 'message'; readonly requestId: number; readonly message: Buffer }
  /** The server gave up sending a response; that request failed, the channel lives on. OPC 10000-6 §6.7.3. */
  | { readonly kind: 'aborted'; readonly requestId: number; readonly statusCode: StatusCode; readonly reason: string }
  /** The channel is open, or renewed. */
  | { readonly kind: 'opened'; readonly renewal: boolean; readonly requestId: number; readonly revisedLifetimeMs: number };

type State = 'new' | 'opening' | 'open' | 'renewing' | 'closed';

const NO_EVENT: ClientChannelEvent = { kind: 'none' };
/** Part of a token's lifetime after which it should be renewed. OPC 10000-4 §5.6.2.1. */
const RENEW_AFTER = 0.75;

/** The client's end of one SecureChannel: chunks in, events out; no I/O, no timers. Errors of `receive` are fatal. OPC 10000-6 §6.7. */
export class ClientSecureChannel {
  readonly #options: ClientSecureChannelOptions;
  readonly #peers: AsymmetricPeers | undefined;
  readonly #conversation: MessageConversation;
  #state: State = 'new';
  #pendingRequestId = 0;
  #clientNonce: Buffer = Buffer.alloc(0);
  #lastServerNonce: Uint8Array | undefined = undefined;
  #renewalDueMs: number = Number.POSITIVE_INFINITY;

  /** @throws RangeError when a secure policy comes without identity or server certificate. */
  constructor(options: ClientSecureChannelOptions) {
    const { identity, policy, serverCertificate } = options;
    if (policy.isSecure && (identity === undefined || serverCertificate === undefined)) {
      throw new RangeError(`${policy.name} needs both certificates`);
    }
    this.#options = options;
    this.#peers =
      policy.isSecure && identity !== undefined && serverCertificate !== undefined ? { own: identity, peer: serverCertificate } : undefined;
    this.#conversation = new MessageConversation({ ...options, role: 'client', reassembly: options.reassembly ?? everythingGranted });
    this.#conversation.securityMode = options.mode;
  }

  /** 0 until the channel is open. */
  get channelId(): number {
    return this.#conversation.channelId;
  }

  get isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'renewing';
  }

  get hasPartialMessage(): boolean {
    return this.#conversation.hasPartialMessage;
  }

  /** Monotonic ms at which `renew` should be called: after 75 % of the token's lifetime. Infinity without a token. */
  get renewalDueMs(): number {
    return this.#renewalDueMs;
  }

  /**
   * Makes the request that opens the channel. May be called once.
   * @returns chunks to be sent in order.
   * @throws UaStatusError (as a rejection) BadInvalidState; BadSecurityChecksFailed, BadServerTooBusy: the channel is closed then.
   */
  open(requestId: number): Promise<Buffer[]> {
    return this.#request('new', 'opening', SecurityTokenRequestType.Issue, requestId);
  }

  /** Makes the request for a new token. As `open`; messages encoded while it is being signed come with its chunks. */
  renew(requestId: number): Promise<Buffer[]> {
    return this.#request('open', 'renewing', SecurityTokenRequestType.Renew, requestId);
  }

  /**
   * Takes one whole chunk, which is decrypted in place and may live on in the event.
   * @throws UaStatusError (as a rejection for OPN); the connection has to be closed then.
   */
  receive(chunk: Buffer, nowMs: number): ClientChannelEvent | Promise<ClientChannelEvent> {
    try {
      const type = readMessageType(chunk);
      if (type === 'MSG') return this.#receiveMessage(chunk, nowMs);
      if (type === 'OPN') return this.#receiveOpen(chunk);
      throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, `${type} on a client's SecureChannel`);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /**
   * Encodes a request.
   * @param maxBytes largest request the caller allows, in bytes.
   * @returns chunks to be sent in order; empty while a renewal is being signed, it brings them then.
   * @throws UaStatusError BadRequestTooLarge, BadSecureChannelClosed, what `write` throws. Nothing was sent then.
   */
  encodeMessage(requestId: number, write: (writer: BinaryWriter) => void, maxBytes: number): Buffer[] {
    return this.#conversation.encodeMessage('MSG', requestId, write, maxBytes);
  }

  /** A chunk that ends a request of which intermediate chunks were sent. OPC 10000-6 §6.7.3. */
  encodeAbort(requestId: number, statusCode: StatusCode, reason: string): Buffer[] {
    return this.#conversation.encodeAbort(requestId, statusCode, reason);
  }

  /** Makes the CLO chunk, after which nothing is sent or received any more. Empty when the channel is not open. OPC 10000-6 §6.7.6. */
  close(requestId: number): Buffer[] {
    if (!this.isOpen) return [];
    const request = CloseSecureChannelRequest.create({ requestHeader: this.#requestHeader(requestId) });
    const chunks = this.#conversation.encodeMessage(
      'CLO',
      requestId,
      (writer) => writeServiceMessage(writer, CloseSecureChannelRequest, request),
      this.#options.limits.sendBufferSize,
    );
    this.dispose();
    return chunks;
  }

  /** Monotonic ms at which `checkDeadlines` has to be asked; Infinity when there is nothing to wait for. */
  nextDeadlineMs(): number {
    return this.#conversation.nextDeadlineMs();
  }

  /** @returns why the channel has to be closed: its token is expired, or a response is not finished in time. */
  checkDeadlines(nowMs: number): UaStatusError | undefined {
    return this.#conversation.checkDeadlines(nowMs);
  }

  /** Forgets keys and unfinished Messages. Idempotent. */
  dispose(): void {
    this.#state = 'closed';
    this.#renewalDueMs = Number.POSITIVE_INFINITY;
    this.#conversation.dispose();
  }

  async #request(from: State, to: State, requestType: SecurityTokenRequestType, requestId: number): Promise<Buffer[]> {
    const { limits, mode, policy, random, requestedLifetimeMs } = this.#options;
    if (this.#state !== from) throw new UaStatusError(StatusCodes.BadInvalidState, `the channel is ${this.#state}`);
    this.#state = to;
    this.#pendingRequestId = requestId;
    this.#clientNonce = random.bytes(policy.secureChannelNonceBytes);
    const request = OpenSecureChannelRequest.create({
      requestHeader: this.#requestHeader(requestId),
      clientProtocolVersion: limits.helloProtocolVersion,
      requestType,
      securityMode: mode,
      clientNonce: policy.isSecure ? this.#clientNonce : null,
      requestedLifetime: requestedLifetimeMs,
    });
    this.#conversation.hold();
    const chunk = await sealAsymmetricChunk({
      channelId: this.channelId,
      policy,
      peers: this.#peers,
      sequenceNumber: this.#conversation.sent.next(),
      requestId,
      maxChunkBytes: limits.sendBufferSize,
      writeBody: (writer) => writeServiceMessage(writer, OpenSecureChannelRequest, request),
    }).catch((error: unknown) => {
      // Its SequenceNumber is used up, so nothing could follow it.
      this.dispose();
      throw error;
    });
    return [chunk, ...this.#conversation.release()];
  }

  #requestHeader(requestHandle: number): ReturnType<typeof createRequestHeader> {
    return createRequestHeader({ timestamp: this.#options.clock.utcNow(), requestHandle });
  }

  #receiveMessage(chunk: Buffer, nowMs: number): ClientChannelEvent {
    const requestId = this.#conversation.open(chunk, nowMs);
    const message = this.#conversation.collect(chunk, requestId, nowMs);
    if (message !== undefined) return { kind: 'message', requestId, message };
    if (readChunkType(chunk) !== 'A') return NO_EVENT;
    return { kind: 'aborted', requestId, ...decodeAbort(this.#conversation.bodyOf(chunk)) };
  }

  async #receiveOpen(chunk: Buffer): Promise<ClientChannelEvent> {
    try {
      const renewal = this.#state === 'renewing';
      if (!renewal && this.#state !== 'opening') throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, 'OPN not asked for');
      const header = decodeAsymmetricSecurityHeader(chunk);
      this.#checkHeader(header, renewal);
      const opn = await openAsymmetricChunk(chunk, header.endOffset, this.#options.policy, this.#peers);
      this.#conversation.received.accept(opn.sequenceNumber);
      if (opn.requestId !== this.#pendingRequestId)
        throw new UaStatusError(StatusCodes.BadUnknownResponse, `OPN for request ${opn.requestId}`);
      const response = decodeOpenSecureChannelResponseMessage(opn.body);
      this.#checkResponse(response, chunk.readUInt32LE(CHANNEL_ID_OFFSET));
      return this.#accept(response, renewal);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  #checkHeader(header: AsymmetricSecurityHeader, renewal: boolean): void {
    const { policy } = this.#options;
    if (renewal && header.channelId !== this.channelId) {
      throw new UaStatusError(StatusCodes.BadTcpSecureChannelUnknown, `SecureChannelId ${header.channelId}`);
    }
    if (header.securityPolicyUri !== policy.uri) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'another SecurityPolicy');
    if (this.#peers === undefined) return;
    const { own, peer } = this.#peers;
    const leaf = header.senderCertificate && splitCertificateChain(header.senderCertificate)[0];
    if (!leaf?.equals(peer.der)) throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'another server certificate');
    if (!header.receiverCertificateThumbprint?.equals(own.certificate.thumbprintBytes)) {
      throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'not encrypted for this certificate');
    }
  }

  #checkResponse(response: OpenSecureChannelResponse, headerChannelId: number): void {
    const { policy, limits } = this.#options;
    const { channelId, tokenId, revisedLifetime } = response.securityToken;
    if (response.serverProtocolVersion !== limits.protocolVersion) {
      throw new UaStatusError(
        StatusCodes.BadProtocolVersionUnsupported,
        `ProtocolVersion ${response.serverProtocolVersion}, another in Acknowledge`,
      );
    }
    if (channelId === 0 || channelId !== headerChannelId) {
      throw new UaStatusError(StatusCodes.BadTcpSecureChannelUnknown, `SecureChannelId ${channelId}`);
    }
    if (tokenId === this.#conversation.tokens.newest?.tokenId) {
      throw new UaStatusError(StatusCodes.BadSecureChannelTokenUnknown, `token ${tokenId} issued twice`);
    }
    if (revisedLifetime === 0) throw new UaStatusError(StatusCodes.BadSecureChannelTokenUnknown, 'token without lifetime');
    checkSecureChannelNonce(policy, response.serverNonce);
    if (policy.isSecure && this.#lastServerNonce && Buffer.compare(this.#lastServerNonce, response.serverNonce as Uint8Array) === 0) {
      throw new UaStatusError(StatusCodes.BadNonceInvalid, 'nonce used before');
    }
  }

  #accept(response: OpenSecureChannelResponse, renewal: boolean): ClientChannelEvent {
    const { clock, policy } = this.#options;
    if (this.#state === 'closed') throw new UaStatusError(StatusCodes.BadSecureChannelClosed, 'the channel is closed');
    const { channelId, tokenId, revisedLifetime } = response.securityToken;
    const nonces = { client: this.#clientNonce, server: response.serverNonce ?? Buffer.alloc(0) };
    const createdAtMs = clock.nowMs();
    this.#conversation.channelId = channelId;
    this.#lastServerNonce = nonces.server;
    this.#renewalDueMs = createdAtMs + revisedLifetime * RENEW_AFTER;
    this.#conversation.tokens.add(makeSecurityToken('client', policy, nonces, { tokenId, createdAtMs, lifetimeMs: revisedLifetime }));
    this.#state = 'open';
    return { kind: 'opened', renewal, requestId: this.#pendingRequestId, revisedLifetimeMs: revisedLifetime };
  }
}

/** A client is bounded by its own limits alone. */
const everythingGranted: ReassemblyAdmission = {
  ownerOfMessage: () => ({ key: 'server', ownerClass: 'Shared', weight: 1 }),
  tryReserve: (_owner, amount): Lease => ({ kind: 'lease', stage: Stage.ReassemblyBytes, amount, [Symbol.dispose]: () => undefined }),
};
