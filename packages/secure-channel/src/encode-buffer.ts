import { BinaryWriter } from '@bulkhead/types';

const NOTHING: Buffer = Buffer.alloc(0);
/** A message starts in what is left of a slab only when that is at least this much, and as much as the last message had. */
const MIN_ROOM_BYTES = 2048;

/**
 * Memory that messages are encoded into: slabs that are cut into chunks and never reused, so that a chunk may wait to be sent
 * as long as it has to. One for all channels of a server; it encodes one message at a time.
 */
export class EncodeBuffer {
  /** Ready after `start`, positioned behind the headroom. */
  readonly writer: BinaryWriter = new BinaryWriter(NOTHING);
  readonly #slabBytes: number;
  #slab: Buffer = NOTHING;
  #used = 0;
  /** Length of the last message: the next one is likely to be like it. */
  #lastBytes = 0;
  #room: Buffer = NOTHING;

  /** @param slabBytes size of a slab, an integer >= 2,048. Default 64 KiB. */
  constructor(slabBytes: number = 64 * 1024) {
    this.#slabBytes = slabBytes;
  }

  /** Begins a message. @param headroomBytes left free in front. @param maxBytes end of what may be written, headroom included. */
  start(headroomBytes: number, maxBytes: number): BinaryWriter {
    const wantedBytes = Math.min(Math.max(MIN_ROOM_BYTES, this.#lastBytes), this.#slabBytes);
    if (this.#slab.length - this.#used < wantedBytes) {
      this.#slab = Buffer.allocUnsafeSlow(this.#slabBytes);
      this.#used = 0;
    }
    this.#room = this.#slab.subarray(this.#used);
    this.writer.reset(this.#room, headroomBytes, maxBytes);
    return this.writer;
  }

  /** What was written, headroom first; it now belongs to the caller and is not written to again. */
  take(): Buffer {
    const taken = this.writer.toBuffer();
    this.#lastBytes = taken.length;
    // A message that outgrew the slab lies elsewhere and uses nothing of it.
    if (this.writer.buffer === this.#room) this.#used += taken.length;
    this.reset();
    return taken;
  }

  /** Forgets what was written, after a failure or when it was copied. */
  reset(): void {
    this.#room = NOTHING;
    this.writer.reset(NOTHING);
  }
}
