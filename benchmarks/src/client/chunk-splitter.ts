const HEADER_BYTES = 8;

/** Called with one whole MessageChunk, header included; the bytes are only valid during the call. */
export type ChunkReceiver = (bytes: Buffer, start: number, end: number) => void;

/**
 * Cuts a byte stream into MessageChunks (OPC 10000-6 §7.1.2.2). Chunks that lie whole in the pushed bytes are passed on without a
 * copy; only one that spans two pushes is put together in a buffer of this object.
 */
export class ChunkSplitter {
  readonly #receive: ChunkReceiver;
  readonly #maxChunkBytes: number;
  /** Made when it is first needed: many connections never see a chunk in two pieces. */
  #partial: Buffer | undefined;
  #partialBytes: number;

  constructor(maxChunkBytes: number, receive: ChunkReceiver) {
    this.#receive = receive;
    this.#maxChunkBytes = maxChunkBytes;
    this.#partialBytes = 0;
  }

  /** @throws Error when the peer sends a chunk larger than it may. */
  push(bytes: Buffer, byteCount: number): void {
    let at = this.#partialBytes === 0 ? 0 : this.#completePartial(bytes, byteCount);
    while (byteCount - at >= HEADER_BYTES) {
      const end = at + this.#chunkBytes(bytes, at);
      if (end > byteCount) break;
      this.#receive(bytes, at, end);
      at = end;
    }
    if (at === byteCount) return;
    this.#partial ??= Buffer.allocUnsafe(this.#maxChunkBytes);
    this.#partialBytes += bytes.copy(this.#partial, this.#partialBytes, at, byteCount);
  }

  /** Adds to the partial chunk. @returns how many of the bytes were used. */
  #completePartial(bytes: Buffer, byteCount: number): number {
    const partial = this.#partial as Buffer;
    let used = 0;
    if (this.#partialBytes < HEADER_BYTES) {
      used = bytes.copy(partial, this.#partialBytes, 0, Math.min(HEADER_BYTES - this.#partialBytes, byteCount));
      this.#partialBytes += used;
      if (this.#partialBytes < HEADER_BYTES) return used;
    }
    const chunkBytes = this.#chunkBytes(partial, 0);
    const more = bytes.copy(partial, this.#partialBytes, used, Math.min(used + chunkBytes - this.#partialBytes, byteCount));
    this.#partialBytes += more;
    if (this.#partialBytes === chunkBytes) {
      this.#partialBytes = 0;
      this.#receive(partial, 0, chunkBytes);
    }
    return used + more;
  }

  #chunkBytes(bytes: Buffer, at: number): number {
    const size = bytes.readUInt32LE(at + 4);
    if (size < HEADER_BYTES || size > this.#maxChunkBytes) throw new Error(`the server sent a chunk of ${size} bytes`);
    return size;
  }
}
