import { BinaryReader, decodeVariant, type Variant } from '@bulkhead/types';

/** A Variant that stays bytes until somebody looks: most values of a precompiled namespace are never read. */
export class EncodedVariant {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  /** The bytes must not change. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  /** @throws DecodingError */
  decode(): Variant {
    const reader = new BinaryReader(this.#bytes);
    reader.reset(this.#bytes, this.#start, this.#end);
    return decodeVariant(reader);
  }
}
