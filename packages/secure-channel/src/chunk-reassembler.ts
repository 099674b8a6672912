import type { Lease, Owner, Refusal } from '@bulkhead/resource-isolation';
import { DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { BlockPool } from '@bulkhead/uacp';

/** Where the reassembler asks for memory: stage ReassemblyBytes. */
export interface ReassemblyAdmission {
  /** A Message of several chunks begins: whom all of it is charged to, whatever is known of the caller later. */
  ownerOfMessage(): Owner;
  /** @param bytes length of the backing array that is about to be retained, >= 1. */
  tryReserve(owner: Owner, bytes: number): Lease | Refusal;
}

/** Bounds of one reassembler. */
export interface ReassemblyLimits {
  /** Largest Message body in bytes; an integer >= 1. */
  readonly maxMessageBytes: number;
  /** Most chunks of a Message, the last one included; an integer >= 1. */
  readonly maxChunks: number;
}

/** Smallest block, so that a peer's tiny chunks don't cost an allocation each. */
const MIN_BLOCK_BYTES = 8192;

/**
 * Puts the chunks of one Message together; at most one Message per channel is unfinished, for chunks of a Message are sent one
 * after the other (OPC 10000-6 §6.7.3). Intermediate bodies are copied into blocks of its own, so that no receive buffer stays
 * alive; each block is reserved before it is allocated. Never retains more than `maxMessageBytes`, plus the finished message
 * while it is being put together. A Message of one chunk is passed through.
 */
export class ChunkReassembler {
  readonly #limits: ReassemblyLimits;
  readonly #admission: ReassemblyAdmission;
  readonly #pool: BlockPool | undefined;
  readonly #blocks: Buffer[] = [];
  readonly #leases: Lease[] = [];
  #requestId: number | undefined = undefined;
  #owner: Owner | undefined = undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #chunks = 0;
  #bodyBytes = 0;
  #blockBytes = 0;

  /** @param pool for blocks that are as large as a chunk. */
  constructor(limits: ReassemblyLimits, admission: ReassemblyAdmission, pool?: BlockPool) {
    this.#limits = limits;
    this.#admission = admission;
    this.#pool = pool;
  }

  get hasPartialMessage(): boolean {
    return this.#requestId !== undefined;
  }

  /** Monotonic ms by which the unfinished Message has to end; Infinity when there is none. Later chunks don't move it. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Bytes of the backing arrays that are kept for the unfinished Message. */
  get retainedBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.buffer.byteLength, 0);
  }

  /**
   * Keeps an intermediate chunk's body. `body` is copied.
   * @param deadlineMs used for the first chunk of a Message only.
   * @throws UaStatusError BadTcpMessageTooLarge, BadTcpNotEnoughResources (nothing is retained then), DecodingError for a chunk
   * of another Message; the channel has to be closed.
   */
  add(requestId: number, body: Buffer, deadlineMs: number): void {
    try {
      if (this.#requestId === undefined) {
        this.#requestId = requestId;
        this.#deadlineMs = deadlineMs;
        this.#owner = this.#admission.ownerOfMessage();
      }
      this.#count(requestId, body);
      this.#append(body);
    } catch (error) {
      this.clear();
      throw error;
    }
  }

  /**
   * Ends a Message with its final chunk.
   * @returns the Message's body: `body` itself when there was no other chunk, else a buffer of exactly its size.
   * @throws UaStatusError as `add`.
   */
  finish(requestId: number, body: Buffer): Buffer {
    try {
      this.#count(requestId, body);
      return this.#requestId === undefined ? body : this.#join(body);
    } finally {
      this.clear();
    }
  }

  /** Drops the unfinished Message if it is this one. OPC 10000-6 §6.7.3. */
  abort(requestId: number): void {
    if (this.#requestId === requestId) this.clear();
  }

  /** Drops the unfinished Message and gives back what was reserved. Idempotent. */
  clear(): void {
    this.#requestId = undefined;
    this.#owner = undefined;
    this.#deadlineMs = Number.POSITIVE_INFINITY;
    this.#chunks = 0;
    this.#bodyBytes = 0;
    this.#blockBytes = 0;
    if (this.#leases.length === 0) return;
    for (const block of this.#blocks) if (block.length === this.#pool?.blockBytes) this.#pool.give(block);
    this.#blocks.length = 0;
    for (const lease of this.#leases) lease[Symbol.dispose]();
    this.#leases.length = 0;
  }

  #count(requestId: number, body: Buffer): void {
    if (this.#requestId !== undefined && this.#requestId !== requestId) {
      throw DecodingError.malformed(`chunk of request ${requestId} inside request ${this.#requestId}`);
    }
    const { maxChunks, maxMessageBytes } = this.#limits;
    if (this.#chunks >= maxChunks) throw new UaStatusError(StatusCodes.BadTcpMessageTooLarge, `more than ${maxChunks} chunks`);
    if (this.#bodyBytes + body.length > maxMessageBytes) {
      throw new UaStatusError(StatusCodes.BadTcpMessageTooLarge, `message of more than ${maxMessageBytes} bytes`);
    }
    this.#chunks++;
  }

  #append(body: Buffer): void {
    let copied = 0;
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#bodyBytes < this.#blockBytes) {
      copied = body.copy(last, last.length - (this.#blockBytes - this.#bodyBytes));
      this.#bodyBytes += copied;
    }
    const rest = body.length - copied;
    if (rest === 0) return;
    const block = this.#allocate(rest);
    body.copy(block, 0, copied);
    this.#bodyBytes += rest;
  }

  #allocate(neededBytes: number): Buffer {
    // Clipped to what the Message may still have: the blocks together never exceed maxMessageBytes.
    const wantedBytes = this.#pool?.suits(neededBytes) === true ? this.#pool.blockBytes : Math.max(neededBytes, MIN_BLOCK_BYTES);
    const bytes = Math.min(wantedBytes, this.#limits.maxMessageBytes - this.#blockBytes);
    const answer = this.#admission.tryReserve(this.#owner as Owner, bytes);
    if (answer.kind === 'refusal') {
      throw new UaStatusError(StatusCodes.BadTcpNotEnoughResources, `reassembly refused: ${answer.reason}`, { cause: answer });
    }
    this.#leases.push(answer);
    // Not from the shared pool: a pooled slice keeps its whole slab alive.
    const block = bytes === this.#pool?.blockBytes ? this.#pool.take() : Buffer.allocUnsafeSlow(bytes);
    this.#blocks.push(block);
    this.#blockBytes += bytes;
    return block;
  }

  #join(lastBody: Buffer): Buffer {
    const message = Buffer.allocUnsafeSlow(this.#bodyBytes + lastBody.length);
    let offset = 0;
    for (const block of this.#blocks) {
      offset += block.copy(message, offset, 0, Math.min(block.length, this.#bodyBytes - offset));
    }
    lastBody.copy(message, offset);
    return message;
  }
}
