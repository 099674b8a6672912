/** MessageType, reserved, MessageSize: what a MessageChunk begins with. OPC 10000-6 §6.7.2.2. */
const HEADER_BYTES = 8;
const SIZE_OFFSET = 4;

/** @returns whether these bytes are one MessageChunk, by what its header says of its size. */
export function isOneChunk(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.readUInt32LE(SIZE_OFFSET) === bytes.length;
}

/**
 * Puts outgoing bytes together to MessageChunks, however they were cut: each frame holds exactly one. OPC 10000-6 §7.5.2. What
 * comes in is this side's own, so its sizes can be trusted.
 */
export class ChunkFrames {
  #parts: Buffer[] = [];
  #partBytes = 0;

  /** Bytes of a chunk that is not complete yet. */
  get bufferedBytes(): number {
    return this.#partBytes;
  }

  /** @returns the chunks that are complete with these bytes. */
  push(bytes: Buffer): Buffer[] {
    if (this.#partBytes === 0 && isOneChunk(bytes)) return [bytes];
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    let rest = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts, this.#partBytes);
    const chunks: Buffer[] = [];
    while (rest.length >= HEADER_BYTES) {
      const size = rest.readUInt32LE(SIZE_OFFSET);
      if (size > rest.length) break;
      chunks.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#partBytes = rest.length;
    return chunks;
  }
}
