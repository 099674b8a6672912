import { BinaryReader } from './binary-reader.ts';
import { BinaryWriter } from './binary-writer.ts';
import type { EncodingLimits } from './encoding-limits.ts';
import { NodeId } from './node-id.ts';
import type { StructureType } from './structure-type.ts';
import { DecodingError } from './ua-status-error.ts';

/**
 * A structure in its envelope. What comes from the wire keeps its bytes until somebody decodes them, so unknown types
 * pass through untouched and nobody pays for what isn't looked at. OPC 10000-6 §5.2.2.15.
 */
export class ExtensionObject {
  /** NodeId of the encoding (not of the DataType). */
  readonly typeId: NodeId;
  /** Binary body, XML body, or undefined for no body or a body that is still a value. */
  readonly body: Uint8Array | string | undefined;
  readonly #type: StructureType<unknown> | undefined;
  readonly #value: unknown;
  readonly #limits: EncodingLimits | undefined;
  readonly #nestingLevel: number;

  constructor(
    typeId: NodeId,
    body: Uint8Array | string | undefined,
    type?: StructureType<unknown>,
    value?: unknown,
    limits?: EncodingLimits,
    nestingLevel = 0,
  ) {
    this.typeId = typeId;
    this.body = body;
    this.#type = type;
    this.#value = value;
    this.#limits = limits;
    this.#nestingLevel = nestingLevel;
  }

  /** No type and no body. */
  static readonly NULL: ExtensionObject = new ExtensionObject(NodeId.NULL, undefined);

  /** Wraps a value; it is encoded when it is sent. */
  static of<T>(type: StructureType<T>, value: T): ExtensionObject {
    const typeId = type.binaryEncodingNodeId ?? NodeId.numeric(0, type.binaryEncodingId);
    return new ExtensionObject(typeId, undefined, type as StructureType<unknown>, value);
  }

  get isNull(): boolean {
    return this.typeId.isNull && this.body === undefined && this.#type === undefined;
  }

  /** The wrapped value and its type, when made by `ExtensionObject.of`. */
  get content(): { readonly type: StructureType<unknown>; readonly value: unknown } | undefined {
    return this.#type === undefined ? undefined : { type: this.#type, value: this.#value };
  }

  /** True when this holds a value of exactly that type (by encoding id). */
  is(type: StructureType<unknown>): boolean {
    const id = this.typeId;
    if (type.binaryEncodingNodeId) return id.equals(type.binaryEncodingNodeId);
    return id.namespaceIndex === 0 && id.identifier === type.binaryEncodingId && type.binaryEncodingId !== 0;
  }

  /**
   * The value, decoded now if it came from the wire.
   * @throws DecodingError when it is of another type, has no binary body, or its bytes are malformed or too many.
   */
  decode<T>(type: StructureType<T>): T {
    if (!this.is(type)) throw DecodingError.malformed(`ExtensionObject is ${this.typeId.toString()}, not ${type.name}`);
    if (this.#type !== undefined) return this.#value as T;
    if (typeof this.body === 'string' || this.body === undefined) throw DecodingError.malformed(`${type.name} without a binary body`);
    const reader = new BinaryReader(this.body, this.#limits, this.#nestingLevel);
    const value = type.decode(reader);
    if (reader.remaining !== 0) throw DecodingError.malformed(`${reader.remaining} bytes after ${type.name}`);
    return value;
  }

  /** The binary body, encoded now if this wraps a value; undefined for XML or no body. */
  toBinaryBody(): Uint8Array | undefined {
    if (this.#type === undefined) return typeof this.body === 'string' ? undefined : this.body;
    const writer = new BinaryWriter();
    this.#type.encode(writer, this.#value);
    return writer.toBuffer();
  }
}
