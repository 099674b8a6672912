import { checkInteger } from './options-error.ts';

const MiB = 1024 * 1024;
const MIN_DEFAULT_BYTES = 64 * MiB;
const MAX_DEFAULT_BYTES = 1024 * MiB;
const DEFAULT_MESSAGES = 16;
const MIN_MESSAGES = 4;

/**
 * Bounds the bytes that unfinished messages keep alive, for all listeners of a server, or of several servers that share it.
 * Whoever retains a chunk reserves the length of its backing array first, and releases the same amount once it is let go.
 */
export class ChunkReassemblyBudget {
  /** Bytes in all. */
  readonly maxBytes: number;
  /** Where all that is reserved has to stay for a channel without an activated Session to reserve more. */
  readonly maxBytesWithoutSession: number;
  #usedBytes = 0;

  /**
   * @param maxBytes an integer >= 1.
   * @param maxBytesWithoutSession 1..`maxBytes`. Default: half of it.
   * @throws ResourceIsolationOptionsError
   */
  constructor(maxBytes: number, maxBytesWithoutSession?: number) {
    this.maxBytes = checkInteger('chunkReassemblyBudget.maxBytes', maxBytes, 1);
    const sessionless = maxBytesWithoutSession ?? Math.max(1, Math.floor(maxBytes / 2));
    this.maxBytesWithoutSession = checkInteger('chunkReassemblyBudget.maxBytesWithoutSession', sessionless, 1, maxBytes);
  }

  /**
   * The budget for messages of up to `maxMessageSize` bytes: 16 of them, but 64 MiB..1 GiB, and 4 of them in any case.
   * @param maxMessageSize an integer; unlimited when it isn't positive.
   */
  static defaultMaxBytes(maxMessageSize: number): number {
    checkInteger('maxMessageSize', maxMessageSize, Number.MIN_SAFE_INTEGER);
    if (maxMessageSize <= 0) return MAX_DEFAULT_BYTES;
    const clamped = Math.min(Math.max(DEFAULT_MESSAGES * maxMessageSize, MIN_DEFAULT_BYTES), MAX_DEFAULT_BYTES);
    return Math.max(clamped, MIN_MESSAGES * maxMessageSize);
  }

  /** Bytes reserved now; 0 when nobody has an unfinished message. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Reserves at once or not at all.
   * @param bytes an integer >= 1.
   * @param mayUseAll false for a channel without an activated Session, where no provider decides otherwise.
   */
  tryReserve(bytes: number, mayUseAll: boolean): boolean {
    if (!Number.isSafeInteger(bytes) || bytes < 1) throw new RangeError(`bytes: ${bytes}`);
    if (this.#usedBytes + bytes > this.limitFor(mayUseAll)) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** The limit that `tryReserve` goes by. */
  limitFor(mayUseAll: boolean): number {
    return mayUseAll ? this.maxBytes : this.maxBytesWithoutSession;
  }

  /** Gives back what was reserved. @throws RangeError for more than is reserved. */
  release(bytes: number): void {
    if (!(bytes >= 0 && bytes <= this.#usedBytes)) throw new RangeError(`${bytes} bytes to release, ${this.#usedBytes} reserved`);
    this.#usedBytes -= bytes;
  }
}
