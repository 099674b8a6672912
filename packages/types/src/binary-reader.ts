import { BinaryStream } from 'node-opcua-binary-stream';
import { defaultEncodingLimits, type EncodingLimits } from './encoding-limits.ts';
import type { StringMemory } from './string-memory.ts';
import { DecodingError } from './ua-status-error.ts';

const EMPTY: Buffer = Buffer.alloc(0);
/** Up to here a loop over ASCII bytes beats the call into the runtime's decoder. */
const SHORT_STRING_BYTES = 24;

const scratchBytes: Uint8Array = new Uint8Array(8);
const scratchFloat: Float32Array = new Float32Array(scratchBytes.buffer, 0, 1);
const scratchDouble: Float64Array = new Float64Array(scratchBytes.buffer, 0, 1);

/**
 * Reads OPC UA Binary values from bytes. A `BinaryStream`, so codecs written for that work on it; every length is checked
 * against the bytes that are left before anything is allocated, and limits belong to the reader, not to the process.
 * OPC 10000-6 §5.2.
 */
export class BinaryReader extends BinaryStream {
  /** First byte that is not part of the value. */
  end: number;
  readonly limits: EncodingLimits;
  /** For a reader that serves many messages; without one, every string is made anew. */
  strings: StringMemory | undefined = undefined;
  #nestingLevel: number;

  /**
   * @param bytes what to read; not copied.
   * @param nestingLevel levels of nesting already around these bytes.
   */
  constructor(bytes: Uint8Array, limits: EncodingLimits = defaultEncodingLimits, nestingLevel = 0) {
    super(EMPTY);
    this.buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = 0;
    this.end = this.buffer.length;
    this.limits = limits;
    this.#nestingLevel = nestingLevel;
  }

  /** Starts over on other bytes, so that one reader can serve many messages. */
  reset(bytes: Buffer, start = 0, end: number = bytes.length): void {
    this.buffer = bytes;
    this.length = start;
    this.end = end;
    this.#nestingLevel = 0;
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.end - this.length;
  }

  get nestingLevel(): number {
    return this.#nestingLevel;
  }

  /** Moves past `byteCount` bytes and returns where they start. @throws DecodingError when they aren't there. */
  take(byteCount: number): number {
    const start = this.length;
    if (start + byteCount > this.end) throw DecodingError.malformed(`${byteCount} bytes wanted, ${this.end - start} left`);
    this.length = start + byteCount;
    return start;
  }

  override enterNestingLevel(): void {
    if (++this.#nestingLevel > this.limits.maxNestingLevel) {
      throw DecodingError.limitExceeded(`nested deeper than ${this.limits.maxNestingLevel}`);
    }
  }

  override exitNestingLevel(): void {
    this.#nestingLevel--;
  }

  override checkArrayLength(length: number): void {
    if (!(length >= 0)) throw DecodingError.malformed(`array length ${length}`);
    if (length > this.limits.maxArrayLength) throw DecodingError.limitExceeded(`array of ${length} elements`);
  }

  /**
   * Reads an array's length.
   * @param minElementBytes the fewest bytes that one element can have, >= 1.
   * @returns -1 for a null array.
   * @throws DecodingError when the elements can't fit into what is left, or are more than the limit.
   */
  readArrayLength(minElementBytes: number): number {
    const length = this.readInt32();
    if (length < 0) return -1;
    if (length > this.limits.maxArrayLength) throw DecodingError.limitExceeded(`array of ${length} elements`);
    if (length * minElementBytes > this.end - this.length)
      throw DecodingError.malformed(`array of ${length} elements in ${this.remaining} bytes`);
    return length;
  }

  readBoolean(): boolean {
    return this.buffer[this.take(1)] !== 0;
  }

  override readByte(): number {
    return this.buffer[this.take(1)] as number;
  }

  override readUInt8(): number {
    return this.buffer[this.take(1)] as number;
  }

  override readInt8(): number {
    return ((this.buffer[this.take(1)] as number) << 24) >> 24;
  }

  override readUInt16(): number {
    const at = this.take(2);
    const bytes = this.buffer;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  }

  override readInt16(): number {
    return (this.readUInt16() << 16) >> 16;
  }

  readInt32(): number {
    const at = this.take(4);
    const bytes = this.buffer;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }

  override readInteger(): number {
    return this.readInt32();
  }

  override readUInt32(): number {
    return this.readInt32() >>> 0;
  }

  readInt64(): bigint {
    const low = this.readUInt32();
    return (BigInt(this.readInt32()) << 32n) | BigInt(low);
  }

  readUInt64(): bigint {
    const low = this.readUInt32();
    return (BigInt(this.readUInt32()) << 32n) | BigInt(low);
  }

  override readFloat(): number {
    const at = this.take(4);
    const bytes = this.buffer;
    scratchBytes[0] = bytes[at] as number;
    scratchBytes[1] = bytes[at + 1] as number;
    scratchBytes[2] = bytes[at + 2] as number;
    scratchBytes[3] = bytes[at + 3] as number;
    return scratchFloat[0] as number;
  }

  override readDouble(): number {
    const at = this.take(8);
    const bytes = this.buffer;
    for (let i = 0; i < 8; i++) scratchBytes[i] = bytes[at + i] as number;
    return scratchDouble[0] as number;
  }

  /** @returns null for a null string. @throws DecodingError */
  override readString(): string | null {
    const byteCount = this.readInt32();
    if (byteCount < 0) return this.#nullLength(byteCount);
    if (byteCount > this.limits.maxStringBytes) throw DecodingError.limitExceeded(`string of ${byteCount} bytes`);
    const start = this.take(byteCount);
    if (byteCount > SHORT_STRING_BYTES) return this.buffer.toString('utf8', start, start + byteCount);
    const bytes = this.buffer;
    for (let at = start; at < start + byteCount; at++) {
      if ((bytes[at] as number) > 0x7f) return bytes.toString('utf8', start, start + byteCount);
    }
    return bytes.toString('latin1', start, start + byteCount);
  }

  /**
   * Reads a string that is likely to come again, such as an identifier; see `strings`.
   * @throws DecodingError
   */
  readRepeatedString(): string | null {
    const start = this.length;
    const byteCount = this.readInt32();
    const first = this.length;
    const end = first + byteCount;
    const strings = this.strings;
    if (strings === undefined || byteCount <= 0 || byteCount > SHORT_STRING_BYTES || end > this.end) {
      this.length = start;
      return this.readString();
    }
    const slot = strings.slotOf(this.buffer, first, end);
    let text: string | null | undefined = strings.get(slot, this.buffer, first, end);
    if (text !== undefined) {
      this.length = end;
      return text;
    }
    this.length = start;
    text = this.readString();
    if (text !== null) strings.put(slot, text);
    return text;
  }

  /** @returns a copy of the bytes, so that a small value never keeps a large receive buffer alive; null for a null ByteString. */
  readByteString(): Buffer | null {
    const byteCount = this.readInt32();
    if (byteCount < 0) return this.#nullLength(byteCount);
    // Four bytes on the wire mustn't become an object each.
    if (byteCount === 0) return EMPTY;
    if (byteCount > this.limits.maxByteStringBytes) throw DecodingError.limitExceeded(`byte string of ${byteCount} bytes`);
    const start = this.take(byteCount);
    return Buffer.from(this.buffer.subarray(start, start + byteCount));
  }

  override readByteStream(): Buffer | null {
    return this.readByteString();
  }

  override readBuffer(length: number): Buffer {
    if (!(length >= 0)) throw DecodingError.malformed(`length ${length}`);
    const start = this.take(length);
    return this.buffer.subarray(start, start + length);
  }

  override readArrayBuffer(length: number): Uint8Array {
    const bytes = this.readBuffer(length);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Only -1 is null; other negative lengths are malformed (OPC 10000-6 §5.2.2.4). */
  #nullLength(length: number): null {
    if (length === -1) return null;
    throw DecodingError.malformed(`length ${length}`);
  }
}
