import { BinaryStream } from 'node-opcua-binary-stream';
import { UaStatusError } from './ua-status-error.ts';

const EMPTY: Buffer = Buffer.alloc(0);
const BAD_ENCODING_LIMITS_EXCEEDED = 0x80080000;
/** Up to here a loop over ASCII characters beats the call into the runtime's encoder. */
const SHORT_STRING_LENGTH = 40;
const DEFAULT_CAPACITY_BYTES = 512;
/** Finite, but larger than any message that a default server sends. */
const DEFAULT_MAX_BYTES = 1024 * 1024 * 1024;

const scratchBytes: Uint8Array = new Uint8Array(8);
const scratchFloat: Float32Array = new Float32Array(scratchBytes.buffer, 0, 1);
const scratchDouble: Float64Array = new Float64Array(scratchBytes.buffer, 0, 1);

/**
 * Writes OPC UA Binary values into a buffer that grows up to a limit. A `BinaryStream`, so codecs written for that work on it.
 * `length` is the write position. OPC 10000-6 §5.2.
 */
export class BinaryWriter extends BinaryStream {
  /** Position at which writing fails with `BadEncodingLimitsExceeded`. */
  maxBytes: number;

  /**
   * @param initial first capacity in bytes, or a buffer to write into from `start`.
   * @param start where the first byte goes: leaves headroom for headers.
   */
  constructor(initial: number | Buffer = DEFAULT_CAPACITY_BYTES, start = 0, maxBytes: number = DEFAULT_MAX_BYTES) {
    super(EMPTY);
    this.buffer = typeof initial === 'number' ? Buffer.allocUnsafe(initial) : initial;
    this.length = start;
    this.maxBytes = maxBytes;
  }

  /** Starts over on another buffer. */
  reset(buffer: Buffer, start = 0, maxBytes: number = this.maxBytes): void {
    this.buffer = buffer;
    this.length = start;
    this.maxBytes = maxBytes;
  }

  /** What was written, from the buffer's start; a view, valid until the next write. */
  toBuffer(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /**
   * Makes room and moves past it.
   * @returns where the room starts.
   * @throws UaStatusError BadEncodingLimitsExceeded past `maxBytes`.
   */
  reserve(byteCount: number): number {
    const start = this.length;
    const end = start + byteCount;
    if (end > this.buffer.length || end > this.maxBytes) this.#grow(end);
    this.length = end;
    return start;
  }

  #grow(end: number): void {
    if (end > this.maxBytes) throw new UaStatusError(BAD_ENCODING_LIMITS_EXCEEDED, `more than ${this.maxBytes} bytes to encode`);
    if (end <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(end, Math.min(this.buffer.length * 2, this.maxBytes)));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  /** Writes -1 for null, else the number of elements. */
  writeArrayLength(array: ArrayLike<unknown> | null | undefined): void {
    this.writeInt32(array ? array.length : -1);
  }

  writeBoolean(value: boolean): void {
    const at = this.reserve(1);
    this.buffer[at] = value ? 1 : 0;
  }

  override writeUInt8(value: number): void {
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  override writeInt8(value: number): void {
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  override writeUInt16(value: number): void {
    const at = this.reserve(2);
    const bytes = this.buffer;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
  }

  override writeInt16(value: number): void {
    this.writeUInt16(value);
  }

  writeInt32(value: number): void {
    const at = this.reserve(4);
    const bytes = this.buffer;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  override writeInteger(value: number): void {
    this.writeInt32(value);
  }

  override writeUInt32(value: number): void {
    this.writeInt32(value);
  }

  writeInt64(value: bigint): void {
    this.writeInt32(Number(BigInt.asIntN(32, value)));
    this.writeInt32(Number(BigInt.asIntN(32, value >> 32n)));
  }

  writeUInt64(value: bigint): void {
    this.writeInt64(value);
  }

  override writeFloat(value: number): void {
    const at = this.reserve(4);
    scratchFloat[0] = value;
    const bytes = this.buffer;
    bytes[at] = scratchBytes[0] as number;
    bytes[at + 1] = scratchBytes[1] as number;
    bytes[at + 2] = scratchBytes[2] as number;
    bytes[at + 3] = scratchBytes[3] as number;
  }

  override writeDouble(value: number): void {
    const at = this.reserve(8);
    scratchDouble[0] = value;
    const bytes = this.buffer;
    for (let i = 0; i < 8; i++) bytes[at + i] = scratchBytes[i] as number;
  }

  override reserveUInt32(): number {
    return this.reserve(4);
  }

  override patchUInt32(position: number, value: number): void {
    this.buffer.writeUInt32LE(value >>> 0, position);
  }

  /** Writes -1 for null. */
  override writeString(value: string | null): void {
    if (value === null || value === undefined) {
      this.writeInt32(-1);
      return;
    }
    if (value.length <= SHORT_STRING_LENGTH && this.#writeShortAscii(value)) return;
    const byteCount = Buffer.byteLength(value, 'utf8');
    this.writeInt32(byteCount);
    const at = this.reserve(byteCount);
    this.buffer.write(value, at, byteCount, 'utf8');
  }

  #writeShortAscii(value: string): boolean {
    const start = this.length;
    const at = this.reserve(4 + value.length) + 4;
    const bytes = this.buffer;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) {
        this.length = start;
        return false;
      }
      bytes[at + i] = code;
    }
    bytes[start] = value.length;
    bytes[start + 1] = 0;
    bytes[start + 2] = 0;
    bytes[start + 3] = 0;
    return true;
  }

  /** Writes -1 for null. */
  writeByteString(value: Uint8Array | null): void {
    if (value === null || value === undefined) {
      this.writeInt32(-1);
      return;
    }
    this.writeInt32(value.length);
    this.writeBytes(value);
  }

  /** Writes bytes as they are, without a length. */
  writeBytes(value: Uint8Array): void {
    const at = this.reserve(value.length);
    this.buffer.set(value, at);
  }

  override writeByteStream(value: Buffer): void {
    this.writeByteString(value);
  }

  override writeArrayBuffer(arrayBuffer: ArrayBuffer, offset = 0, length: number = arrayBuffer.byteLength - offset): void {
    this.writeBytes(new Uint8Array(arrayBuffer, offset, length));
  }
}
