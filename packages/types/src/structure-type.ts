import type { BinaryReader } from './binary-reader.ts';
import type { BinaryWriter } from './binary-writer.ts';
import type { BuiltInType } from './built-in-type.ts';
import type { NodeId } from './node-id.ts';

/** One field of a structure, in encoding order. */
export interface StructureField {
  /** The property's name in TypeScript. */
  readonly name: string;
  /** The field's name in the specification. */
  readonly specName: string;
  /** Int32 for enumerations, ExtensionObject for nested structures too. */
  readonly type: BuiltInType;
  /** The nested structure's descriptor; a function, so that the order of definitions doesn't matter. */
  readonly structure?: () => StructureType<unknown>;
  /** The enumeration's name; empty when it is none of namespace 0. */
  readonly enumeration?: string;
  readonly isArray: boolean;
  /** Number of dimensions of a matrix, 2 or more; its value is nested arrays. Left out for scalars and one-dimensional arrays. */
  readonly dimensionCount?: number;
  readonly optional?: boolean;
}

/** Describes a structured DataType: its ids, fields and codec. */
export interface StructureType<T> {
  readonly name: string;
  /** Numeric ids of namespace 0; 0 where there is none (abstract types). */
  readonly dataTypeId: number;
  readonly binaryEncodingId: number;
  readonly xmlEncodingId: number;
  readonly jsonEncodingId: number;
  /** The DataType's NodeId for types outside namespace 0. */
  readonly dataTypeNodeId?: NodeId;
  /** The binary encoding's NodeId for types outside namespace 0. */
  readonly binaryEncodingNodeId?: NodeId;
  readonly kind: 'structure' | 'optionalFields' | 'union';
  readonly fields: readonly StructureField[];
  encode(writer: BinaryWriter, value: T): void;
  /** @throws DecodingError */
  decode(reader: BinaryReader): T;
  /** A value with the specification's defaults, overridden by `init`. */
  create(init?: Partial<T>): T;
}

/** A service request; its first field is the RequestHeader. */
export interface RequestType<T> extends StructureType<T> {
  /** Decodes what follows the header. @throws DecodingError */
  decodeBody(reader: BinaryReader, requestHeader: T extends { requestHeader: infer H } ? H : never): T;
}

/** A service response; its first field is the ResponseHeader. */
export interface ResponseType<T> extends StructureType<T> {
  /** Encodes what follows the header. */
  encodeBody(writer: BinaryWriter, value: Omit<T, 'responseHeader'>): void;
}
