/** Blocks that are kept for reuse, in bytes together. */
const MAX_FREE_BYTES = 8 * 1024 * 1024;

/**
 * Memory for chunks that come in, used again: what a flood of unfinished messages allocates and lets go would otherwise keep the
 * garbage collector busy, and everybody waiting for it. One for all connections of a server.
 */
export class BlockPool {
  /** Length of each block. */
  readonly blockBytes: number;
  readonly #free: Buffer[] = [];
  readonly #maxFree: number;

  /** @param blockBytes an integer >= 1; the size of the largest chunk, so that one fits into a block. */
  constructor(blockBytes: number) {
    this.blockBytes = blockBytes;
    this.#maxFree = Math.floor(MAX_FREE_BYTES / blockBytes);
  }

  /** Blocks that nobody uses. */
  get freeCount(): number {
    return this.#free.length;
  }

  /** Whether a block is no waste for so many bytes. */
  suits(bytes: number): boolean {
    return bytes <= this.blockBytes && 2 * bytes > this.blockBytes;
  }

  /** A block with anything in it. */
  take(): Buffer {
    // Not from Node's own pool: a slice of that keeps the whole slab alive.
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes);
  }

  /** Nobody looks at the block any more. @param block that `take` gave, once. */
  give(block: Buffer): void {
    if (this.#free.length < this.#maxFree) this.#free.push(block);
  }
}
