import type { Clock } from '@bulkhead/contracts';
import { type BinaryWriter, DecodingError, MessageSecurityMode, type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import {
  type BlockPool,
  type ChunkType,
  type MessageType,
  type NegotiatedLimits,
  readChunkType,
  truncateReason,
  writeMessageHeader,
} from '@bulkhead/uacp';
import { BODY_OFFSET, CHANNEL_ID_OFFSET, REQUEST_ID_OFFSET, SEQUENCE_HEADER_OFFSET, TOKEN_ID_OFFSET } from './chunk-layout.ts';
import { ChunkReassembler, type ReassemblyAdmission } from './chunk-reassembler.ts';
import { EncodeBuffer } from './encode-buffer.ts';
import { type SecurityToken, SecurityTokens } from './security-token.ts';
import { ReceivedSequenceNumbers, SentSequenceNumbers } from './sequence-numbers.ts';
import { maxBodyBytes, openSymmetricChunk, sealSymmetricChunk, tailBytes } from './symmetric-chunk.ts';

/** What differs between the two roles. */
export interface ConversationOptions {
  readonly role: 'server' | 'client';
  readonly limits: NegotiatedLimits;
  readonly clock: Clock;
  readonly reassembly: ReassemblyAdmission;
  /** Time for a Message of several chunks, from its first one, in ms; the token's lifetime if that is shorter or this is left out. */
  readonly partialMessageTimeoutMs?: number | undefined;
  /** Memory for outgoing messages. Default: one of its own. */
  readonly encodeBuffer?: EncodeBuffer | undefined;
  /** Memory for unfinished incoming messages. Default: allocated for each. */
  readonly blockPool?: BlockPool | undefined;
  /** SequenceNumber before the first one sent. Default 0. */
  readonly lastSequenceNumber?: number | undefined;
}

/**
 * What both roles share once the first token is there: tokens, sequence numbers, the security of MSG and CLO chunks in both
 * directions, Messages of several chunks, and deadlines. OPC 10000-6 §6.7.2, §6.7.7.
 */
export class MessageConversation {
  readonly tokens: SecurityTokens;
  readonly received: ReceivedSequenceNumbers = new ReceivedSequenceNumbers();
  readonly sent: SentSequenceNumbers;
  channelId = 0;
  readonly #options: ConversationOptions;
  readonly #encodeBuffer: EncodeBuffer;
  readonly #reassembler: ChunkReassembler;
  /** End of the body of the chunk that `open` saw last. */
  #bodyEnd = 0;
  #isEncrypted = false;
  /** Chunks that have to wait behind an OPN chunk whose SequenceNumber is taken and whose signature is not ready. */
  #held: Buffer[] | undefined = undefined;
  #heldBytes = 0;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#encodeBuffer = options.encodeBuffer ?? new EncodeBuffer();
    this.tokens = new SecurityTokens(options.role === 'client');
    this.sent = new SentSequenceNumbers(options.lastSequenceNumber);
    const { maxReceiveMessageBytes, maxReceiveChunks } = options.limits;
    this.#reassembler = new ChunkReassembler(
      { maxMessageBytes: maxReceiveMessageBytes, maxChunks: maxReceiveChunks },
      options.reassembly,
      options.blockPool,
    );
  }

  get hasPartialMessage(): boolean {
    return this.#reassembler.hasPartialMessage;
  }

  /** Bytes kept for the unfinished Message. */
  get retainedBytes(): number {
    return this.#reassembler.retainedBytes;
  }

  /** Bytes of outgoing chunks that wait behind an OPN chunk. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  set securityMode(mode: MessageSecurityMode) {
    this.#isEncrypted = mode === MessageSecurityMode.SignAndEncrypt;
  }

  /**
   * Verifies a MSG or CLO chunk, in place: channel, token, signature, padding, SequenceNumber, in this order
   * (OPC 10000-6 §6.7.7). Afterwards `bodyOf` gives its body.
   * @returns the RequestId.
   * @throws UaStatusError BadTcpSecureChannelUnknown, BadSecureChannelTokenUnknown, BadSecurityChecksFailed,
   * BadSequenceNumberInvalid; DecodingError.
   */
  open(chunk: Buffer, nowMs: number): number {
    if (chunk.length < SEQUENCE_HEADER_OFFSET) throw DecodingError.malformed(`chunk of ${chunk.length} bytes`);
    const channelId = chunk.readUInt32LE(CHANNEL_ID_OFFSET);
    if (channelId !== this.channelId || this.tokens.newest === undefined) {
      throw new UaStatusError(StatusCodes.BadTcpSecureChannelUnknown, `SecureChannelId ${channelId}`);
    }
    const token = this.tokens.forReceived(chunk.readUInt32LE(TOKEN_ID_OFFSET), nowMs);
    this.#bodyEnd = openSymmetricChunk(chunk, token.receiveKeys, this.#isEncrypted);
    this.received.accept(chunk.readUInt32LE(SEQUENCE_HEADER_OFFSET));
    this.tokens.confirm(token);
    return chunk.readUInt32LE(REQUEST_ID_OFFSET);
  }

  /** The body of the chunk that `open` has just verified; a view. */
  bodyOf(chunk: Buffer): Buffer {
    return chunk.subarray(BODY_OFFSET, this.#bodyEnd);
  }

  /**
   * Adds a verified MSG chunk to its Message.
   * @returns the whole Message after its final chunk, undefined after any other. An 'A' chunk drops the Message.
   * @throws UaStatusError BadTcpMessageTooLarge, BadTcpNotEnoughResources; DecodingError for a chunk inside another Message.
   */
  collect(chunk: Buffer, requestId: number, nowMs: number): Buffer | undefined {
    const chunkType = readChunkType(chunk);
    if (chunkType === 'F') return this.#reassembler.finish(requestId, this.bodyOf(chunk));
    if (chunkType === 'A') this.#reassembler.abort(requestId);
    else {
      const timeoutMs = Math.min(this.#options.partialMessageTimeoutMs ?? Number.POSITIVE_INFINITY, this.tokens.newest?.lifetimeMs ?? 0);
      this.#reassembler.add(requestId, this.bodyOf(chunk), nowMs + timeoutMs);
    }
    return undefined;
  }

  /** Monotonic ms at which `checkDeadlines` has to be asked; Infinity when there is nothing to wait for. */
  nextDeadlineMs(): number {
    return Math.min(this.tokens.newest?.endsAtMs ?? Number.POSITIVE_INFINITY, this.#reassembler.deadlineMs);
  }

  /** @returns why the channel has to be closed: its token was not renewed in time, or a Message is not finished in time. */
  checkDeadlines(nowMs: number): UaStatusError | undefined {
    if (nowMs >= this.#reassembler.deadlineMs) {
      this.#reassembler.clear();
      return new UaStatusError(StatusCodes.BadTimeout, 'unfinished message');
    }
    const token = this.tokens.newest;
    if (token === undefined || nowMs < token.endsAtMs) return undefined;
    return new UaStatusError(StatusCodes.BadSecureChannelTokenUnknown, 'the token was not renewed in time');
  }

  /** Forgets keys, unfinished Messages and what waits to be sent; gives leases back. Idempotent. */
  dispose(): void {
    this.#reassembler.clear();
    this.tokens.clear();
    this.#held = undefined;
    this.#heldBytes = 0;
  }

  /**
   * Encodes a MSG straight into its chunk, or into several when it is larger than one.
   * @param maxBytes largest body in bytes.
   * @throws UaStatusError BadResponseTooLarge (server) or BadRequestTooLarge (client); nothing was sent and no SequenceNumber used.
   */
  encodeMessage(type: MessageType, requestId: number, write: (writer: BinaryWriter) => void, maxBytes: number): Buffer[] {
    const token = this.tokens.forSending(this.#options.clock);
    const { limits } = this.#options;
    const chunkBody = maxBodyBytes(limits.sendBufferSize, token.sendKeys, this.#isEncrypted);
    const bodyLimit = Math.min(maxBytes, limits.maxSendMessageBytes, limits.maxSendChunks * chunkBody);
    const writer = this.#encodeBuffer.start(BODY_OFFSET, BODY_OFFSET + bodyLimit);
    try {
      write(writer);
    } catch (error) {
      this.#encodeBuffer.reset();
      throw this.#asTooLarge(error);
    }
    const bodyBytes = writer.length - BODY_OFFSET;
    if (bodyBytes <= chunkBody) return this.#emit([this.#finishSingle(type, requestId, bodyBytes, token)]);
    return this.#emit(this.#split(type, requestId, chunkBody, token));
  }

  /** The chunk that tells the peer to drop what it has of a Message. OPC 10000-6 §6.7.3. */
  encodeAbort(requestId: number, statusCode: StatusCode, reason: string): Buffer[] {
    const token = this.tokens.forSending(this.#options.clock);
    const writer = this.#encodeBuffer.start(BODY_OFFSET, this.#options.limits.sendBufferSize);
    writer.writeUInt32(statusCode);
    writer.writeString(truncateReason(reason));
    return this.#emit([this.#finishSingle('MSG', requestId, writer.length - BODY_OFFSET, token, 'A')]);
  }

  /** From now on outgoing chunks wait: an OPN chunk has the SequenceNumber before theirs. */
  hold(): void {
    this.#held ??= [];
  }

  /** Ends `hold`. @returns what waited, to be sent after the OPN chunk. */
  release(): Buffer[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldBytes = 0;
    return held;
  }

  #emit(chunks: Buffer[]): Buffer[] {
    if (this.#held === undefined) return chunks;
    this.#held.push(...chunks);
    for (const chunk of chunks) this.#heldBytes += chunk.length;
    return [];
  }

  #finishSingle(type: MessageType, requestId: number, bodyBytes: number, token: SecurityToken, chunkType: ChunkType = 'F'): Buffer {
    const tail = tailBytes(bodyBytes, token.sendKeys, this.#isEncrypted);
    if (tail > 0) {
      this.#encodeBuffer.writer.maxBytes = Number.MAX_SAFE_INTEGER;
      this.#encodeBuffer.writer.reserve(tail);
    }
    const chunk = this.#encodeBuffer.take();
    this.#seal(chunk, type, chunkType, requestId, bodyBytes, token);
    return chunk;
  }

  #split(type: MessageType, requestId: number, chunkBody: number, token: SecurityToken): Buffer[] {
    const { writer } = this.#encodeBuffer;
    const message = writer.buffer;
    const end = writer.length;
    const chunks: Buffer[] = [];
    for (let start = BODY_OFFSET; start < end; start += chunkBody) {
      const bodyBytes = Math.min(chunkBody, end - start);
      const chunk = Buffer.allocUnsafeSlow(BODY_OFFSET + bodyBytes + tailBytes(bodyBytes, token.sendKeys, this.#isEncrypted));
      message.copy(chunk, BODY_OFFSET, start, start + bodyBytes);
      this.#seal(chunk, type, start + bodyBytes < end ? 'C' : 'F', requestId, bodyBytes, token);
      chunks.push(chunk);
    }
    this.#encodeBuffer.reset();
    return chunks;
  }

  #seal(chunk: Buffer, type: MessageType, chunkType: ChunkType, requestId: number, bodyBytes: number, token: SecurityToken): void {
    writeMessageHeader(chunk, type, chunkType, chunk.length);
    chunk.writeUInt32LE(this.channelId, CHANNEL_ID_OFFSET);
    chunk.writeUInt32LE(token.tokenId, TOKEN_ID_OFFSET);
    chunk.writeUInt32LE(this.sent.next(), SEQUENCE_HEADER_OFFSET);
    chunk.writeUInt32LE(requestId, REQUEST_ID_OFFSET);
    sealSymmetricChunk(chunk, BODY_OFFSET + bodyBytes, token.sendKeys, this.#isEncrypted);
  }

  #asTooLarge(error: unknown): unknown {
    if (!(error instanceof UaStatusError && error.statusCode === StatusCodes.BadEncodingLimitsExceeded)) return error;
    const code = this.#options.role === 'server' ? StatusCodes.BadResponseTooLarge : StatusCodes.BadRequestTooLarge;
    return new UaStatusError(code, error.message, { cause: error });
  }
}
