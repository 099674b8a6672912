import type { UaStatusError } from '@bulkhead/types';
import type { BlockPool } from './block-pool.ts';
import { checkMessageHeader, MESSAGE_HEADER_BYTES } from './message-header.ts';

const NOTHING: Buffer = Buffer.alloc(0);
/** How an intermediate chunk of a message begins: `MSGC`. OPC 10000-6 §6.7.2.2. */
const INTERMEDIATE = 0x4347534d;

/**
 * Cuts a byte stream into MessageChunks. A chunk that lies in one pushed buffer comes out as a view of it; only a chunk that
 * spans pushes is copied, once, into a buffer of its size. An intermediate chunk may lie in a block that is used again: it is to be looked
 * at before `next` is called the next time. OPC 10000-6 §7.1.2.2.
 */
export class ChunkFramer {
  /** Largest chunk accepted; set it to the negotiated ReceiveBufferSize once that is known. */
  maxChunkBytes: number;
  /** Bytes pushed and not looked at yet: `#input` from `#offset`, then `#waiting`. */
  #input: Buffer = NOTHING;
  #offset = 0;
  readonly #waiting: Buffer[] = [];
  /** First bytes of a chunk whose header is not complete. */
  readonly #header: Buffer = Buffer.alloc(MESSAGE_HEADER_BYTES);
  #headerBytes = 0;
  /** A chunk whose size is known and whose end is missing. */
  #partial: Buffer | undefined = undefined;
  #partialBytes = 0;
  readonly #pool: BlockPool | undefined;
  /** Of `#partial`, when that lies in one. */
  #partialBlock: Buffer | undefined = undefined;
  /** Of the chunk that `next` gave last. */
  #lentBlock: Buffer | undefined = undefined;
  #failure: UaStatusError | undefined = undefined;

  /**
   * @param maxChunkBytes largest chunk accepted, header included; an integer >= 8.
   * @param pool for intermediate chunks.
   */
  constructor(maxChunkBytes: number, pool?: BlockPool) {
    this.maxChunkBytes = maxChunkBytes;
    this.#pool = pool;
  }

  /** Bytes held: pushed ones that `next` didn't reach, and a chunk that is not complete. */
  get bufferedBytes(): number {
    let bytes = this.#input.length - this.#offset + this.#headerBytes + this.#partialBytes;
    for (const buffer of this.#waiting) bytes += buffer.length;
    return bytes;
  }

  /** True when a chunk has begun and its end is missing. */
  get hasPartialChunk(): boolean {
    return this.#headerBytes > 0 || this.#partial !== undefined;
  }

  /** Takes ownership of bytes as they came. Call `next` until it returns undefined before more is read from the peer. */
  push(bytes: Buffer): void {
    if (bytes.length === 0 || this.#failure) return;
    if (this.#offset < this.#input.length) {
      this.#waiting.push(bytes);
    } else {
      this.#input = bytes;
      this.#offset = 0;
    }
  }

  /**
   * @returns the next whole MessageChunk, header included; undefined when more bytes are needed.
   * @throws UaStatusError BadTcpMessageTypeInvalid or BadTcpMessageTooLarge as soon as eight bytes tell, DecodingError for an
   * impossible size. The stream can't be followed after that: each later call throws the same error.
   */
  next(): Buffer | undefined {
    if (this.#failure) throw this.#failure;
    this.#takeBack();
    try {
      while (this.#offset < this.#input.length || this.#takeWaiting()) {
        const chunk = this.#partial ? this.#fillPartial(this.#partial) : this.#startChunk();
        if (chunk) return chunk;
      }
      return undefined;
    } catch (error) {
      this.clear();
      this.#failure = error as UaStatusError;
      throw error;
    }
  }

  /** Drops everything held. */
  clear(): void {
    this.#input = NOTHING;
    this.#offset = 0;
    this.#waiting.length = 0;
    this.#headerBytes = 0;
    if (this.#partialBlock !== undefined) this.#pool?.give(this.#partialBlock);
    this.#partialBlock = undefined;
    this.#partial = undefined;
    this.#partialBytes = 0;
    this.#takeBack();
  }

  #takeBack(): void {
    if (this.#lentBlock === undefined) return;
    this.#pool?.give(this.#lentBlock);
    this.#lentBlock = undefined;
  }

  /** Memory for a chunk that spans pushes. */
  #allocate(size: number, beginning: number): Buffer {
    if (beginning !== INTERMEDIATE || this.#pool?.suits(size) !== true) return Buffer.allocUnsafe(size);
    this.#partialBlock = this.#pool.take();
    return this.#partialBlock.subarray(0, size);
  }

  #takeWaiting(): boolean {
    // A finished input must not keep its memory alive while the framer waits for more.
    this.#input = this.#waiting.shift() ?? NOTHING;
    this.#offset = 0;
    return this.#input.length > 0;
  }

  #startChunk(): Buffer | undefined {
    const available = this.#input.length - this.#offset;
    if (this.#headerBytes > 0 || available < MESSAGE_HEADER_BYTES) return this.#fillHeader();
    const size = checkMessageHeader(this.#input, this.#offset, this.maxChunkBytes);
    if (available < size) {
      this.#partial = this.#allocate(size, this.#input.readUInt32LE(this.#offset));
      return this.#fillPartial(this.#partial);
    }
    const chunk = this.#input.subarray(this.#offset, this.#offset + size);
    this.#offset += size;
    return chunk;
  }

  #fillHeader(): Buffer | undefined {
    const copied = this.#input.copy(this.#header, this.#headerBytes, this.#offset);
    this.#headerBytes += copied;
    this.#offset += copied;
    if (this.#headerBytes < MESSAGE_HEADER_BYTES) return undefined;
    const partial = this.#allocate(checkMessageHeader(this.#header, 0, this.maxChunkBytes), this.#header.readUInt32LE(0));
    this.#header.copy(partial);
    this.#headerBytes = 0;
    this.#partial = partial;
    this.#partialBytes = MESSAGE_HEADER_BYTES;
    return this.#fillPartial(partial);
  }

  #fillPartial(partial: Buffer): Buffer | undefined {
    const copied = this.#input.copy(partial, this.#partialBytes, this.#offset);
    this.#offset += copied;
    this.#partialBytes += copied;
    if (this.#partialBytes < partial.length) return undefined;
    this.#partial = undefined;
    this.#partialBytes = 0;
    this.#lentBlock = this.#partialBlock;
    this.#partialBlock = undefined;
    return partial;
  }
}
