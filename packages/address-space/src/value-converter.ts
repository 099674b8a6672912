import {
  BuiltInType,
  builtInTypeNames,
  DataValue,
  DateTime,
  ExpandedNodeId,
  ExtensionObject,
  isGuid,
  LocalizedText,
  NodeId,
  QualifiedName,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { dimensionsOf, flatten } from './dynamic-structure.ts';
import type { StructureTypes } from './structure-types.ts';
import { type TypeTree, WellKnown } from './type-tree.ts';

const INTEGER_BOUNDS: Readonly<Record<number, readonly [number, number]>> = {
  [BuiltInType.SByte]: [-0x80, 0x7f],
  [BuiltInType.Byte]: [0, 0xff],
  [BuiltInType.Int16]: [-0x8000, 0x7fff],
  [BuiltInType.UInt16]: [0, 0xffff],
  [BuiltInType.Int32]: [-0x80000000, 0x7fffffff],
  [BuiltInType.UInt32]: [0, 0xffffffff],
  [BuiltInType.StatusCode]: [0, 0xffffffff],
};

const MAX_DIMENSIONS = 32;

/** What a plain value is converted to. */
export interface ConversionTarget {
  readonly dataType: NodeId;
  readonly valueRank?: number | undefined;
  readonly arrayDimensions?: readonly number[] | null | undefined;
}

/** Makes Variants of plain TypeScript values, by DataType. */
export class ValueConverter {
  readonly #types: TypeTree;
  readonly #structures: StructureTypes;

  constructor(types: TypeTree, structures: StructureTypes) {
    this.#types = types;
    this.#structures = structures;
  }

  /**
   * Variants pass as they are. Arrays (typed arrays too) become arrays, nested arrays matrices, `null` a null value.
   * @throws UaStatusError BadTypeMismatch for a value of another kind, BadOutOfRange for an integer that doesn't fit.
   */
  toVariant(value: unknown, target: ConversionTarget): Variant {
    if (value instanceof Variant) return value;
    const type = this.#types.builtInTypeOf(target.dataType);
    if (value === null || value === undefined) return nullOf(type, target.valueRank ?? -1);
    if (!isArrayValue(value, type)) {
      const scalarType = type === BuiltInType.Variant ? this.#infer(value, target.dataType) : type;
      return Variant.scalar(scalarType, this.#scalar(value, scalarType, target.dataType) as never);
    }
    return this.#array(value, type, target);
  }

  #array(value: ArrayLike<unknown>, type: BuiltInType, target: ConversionTarget): Variant {
    const rank = nestingOf(value);
    const dimensions = rank > 1 ? dimensionsOf(value, rank) : this.#declaredDimensions(value, target);
    const flat = rank > 1 ? flatten(value, rank) : value;
    const elementType = type === BuiltInType.Variant ? this.#inferElements(flat, target.dataType) : type;
    const elements = isPlainNumeric(flat, elementType)
      ? flat
      : Array.from(flat, (element) => this.#scalar(element, elementType, target.dataType));
    if (dimensions === undefined) return Variant.array(elementType, elements as never);
    if (dimensions.reduce((product, length) => product * length, 1) !== elements.length)
      throw mismatch('nested arrays of different lengths');
    return Variant.matrix(elementType, elements as never, dimensions);
  }

  /** A flat array for a matrix variable takes the variable's dimensions. */
  #declaredDimensions(value: ArrayLike<unknown>, target: ConversionTarget): readonly number[] | undefined {
    const declared = target.arrayDimensions;
    if (!declared || declared.length < 2 || declared.includes(0)) return undefined;
    return declared.reduce((product, length) => product * length, 1) === value.length ? declared : undefined;
  }

  #inferElements(elements: ArrayLike<unknown>, dataType: NodeId): BuiltInType {
    if (elements instanceof Uint8Array) return BuiltInType.Byte;
    const first = elements[0];
    if (first === undefined) return BuiltInType.Variant;
    const type = this.#infer(first, dataType);
    for (let i = 1; i < elements.length; i++) {
      if (this.#infer(elements[i], dataType) !== type) return BuiltInType.Variant;
    }
    return type;
  }

  /** The built-in type for a plain value of an abstract DataType. */
  #infer(value: unknown, dataType: NodeId): BuiltInType {
    switch (typeof value) {
      case 'boolean':
        return BuiltInType.Boolean;
      case 'number':
        if (this.#isBelow(dataType, WellKnown.UInteger)) return BuiltInType.UInt32;
        return this.#isBelow(dataType, WellKnown.Integer) ? BuiltInType.Int32 : BuiltInType.Double;
      case 'bigint':
        return this.#isBelow(dataType, WellKnown.UInteger) ? BuiltInType.UInt64 : BuiltInType.Int64;
      case 'string':
        return BuiltInType.String;
      default:
        return inferObject(value);
    }
  }

  #isBelow(dataType: NodeId, coreType: number): boolean {
    return this.#types.isSubtypeOf(dataType, NodeId.numeric(0, coreType));
  }

  #scalar(value: unknown, type: BuiltInType, dataType: NodeId): unknown {
    switch (type) {
      case BuiltInType.Boolean:
        if (typeof value !== 'boolean') throw mismatch('a boolean', value);
        return value;
      case BuiltInType.Float:
      case BuiltInType.Double:
        if (typeof value !== 'number') throw mismatch('a number', value);
        return value;
      case BuiltInType.Int64:
      case BuiltInType.UInt64:
        return toInt64(value, type);
      case BuiltInType.String:
      case BuiltInType.XmlElement:
        if (value !== null && typeof value !== 'string') throw mismatch('a string', value);
        return value;
      case BuiltInType.ExtensionObject:
        return this.#structure(value, dataType);
      case BuiltInType.Variant:
        return value instanceof Variant ? value : this.toVariant(value, { dataType: NodeId.numeric(0, WellKnown.BaseDataType) });
      default:
        return INTEGER_BOUNDS[type] === undefined ? toObject(value, type) : toInteger(value, type);
    }
  }

  #structure(value: unknown, dataType: NodeId): ExtensionObject {
    if (value instanceof ExtensionObject) return value;
    const type = this.#structures.ofDataType(dataType);
    if (type === undefined) throw mismatch(`an ExtensionObject (${dataType.toString()} is no structure that is known here)`, value);
    if (typeof value !== 'object' || value === null) throw mismatch(`an object for ${type.name}`, value);
    return ExtensionObject.of(type, type.create(value));
  }
}

function nullOf(type: BuiltInType, valueRank: number): Variant {
  if (type === BuiltInType.Variant) return Variant.NULL;
  if (valueRank >= 1) return Variant.array(type, null);
  if (type === BuiltInType.String || type === BuiltInType.ByteString || type === BuiltInType.XmlElement) return Variant.scalar(type, null);
  return Variant.NULL;
}

function isArrayValue(value: unknown, type: BuiltInType): value is ArrayLike<unknown> {
  if (Array.isArray(value)) return true;
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return false;
  // Bytes are one ByteString, except for variables of Byte.
  return !(value instanceof Uint8Array) || type === BuiltInType.Byte;
}

function nestingOf(value: unknown): number {
  let rank = 0;
  for (let level = value; Array.isArray(level) || (ArrayBuffer.isView(level) && rank === 0); level = (level as unknown as unknown[])[0]) {
    // An array may contain itself.
    if (++rank > MAX_DIMENSIONS) throw mismatch(`an array of at most ${MAX_DIMENSIONS} dimensions`);
  }
  return Math.max(rank, 1);
}

/** Typed arrays whose elements can't be out of range pass without a look at each. */
function isPlainNumeric(value: ArrayLike<unknown>, type: BuiltInType): boolean {
  switch (type) {
    case BuiltInType.Double:
      return value instanceof Float64Array || value instanceof Float32Array;
    case BuiltInType.Float:
      return value instanceof Float32Array;
    case BuiltInType.Byte:
      return value instanceof Uint8Array;
    case BuiltInType.SByte:
      return value instanceof Int8Array;
    case BuiltInType.Int16:
      return value instanceof Int16Array;
    case BuiltInType.UInt16:
      return value instanceof Uint16Array;
    case BuiltInType.Int32:
      return value instanceof Int32Array;
    case BuiltInType.UInt32:
      return value instanceof Uint32Array;
    case BuiltInType.Int64:
      return value instanceof BigInt64Array;
    case BuiltInType.UInt64:
      return value instanceof BigUint64Array;
    default:
      return false;
  }
}

function inferObject(value: unknown): BuiltInType {
  if (value instanceof DateTime || value instanceof Date) return BuiltInType.DateTime;
  if (value instanceof Uint8Array) return BuiltInType.ByteString;
  if (value instanceof NodeId) return BuiltInType.NodeId;
  if (value instanceof ExpandedNodeId) return BuiltInType.ExpandedNodeId;
  if (value instanceof QualifiedName) return BuiltInType.QualifiedName;
  if (value instanceof LocalizedText) return BuiltInType.LocalizedText;
  if (value instanceof ExtensionObject) return BuiltInType.ExtensionObject;
  if (value instanceof DataValue) return BuiltInType.DataValue;
  return BuiltInType.Variant;
}

function toInteger(value: unknown, type: BuiltInType): number {
  const [low, high] = INTEGER_BOUNDS[type] as readonly [number, number];
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw mismatch('an integer', value);
  if (number < low || number > high) throw outOfRange(number, type);
  return number;
}

function toInt64(value: unknown, type: BuiltInType): bigint {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw mismatch('a bigint', value);
  const integer = BigInt(value as bigint | number);
  const fits = type === BuiltInType.Int64 ? BigInt.asIntN(64, integer) === integer : BigInt.asUintN(64, integer) === integer;
  if (!fits) throw outOfRange(integer, type);
  return integer;
}

function toObject(value: unknown, type: BuiltInType): unknown {
  switch (type) {
    case BuiltInType.DateTime:
      if (value instanceof DateTime) return value;
      if (value instanceof Date) return DateTime.fromDate(value);
      if (typeof value === 'string') return DateTime.parse(value);
      throw mismatch('a DateTime or Date', value);
    case BuiltInType.Guid:
      if (typeof value === 'string' && isGuid(value)) return value.toLowerCase();
      throw mismatch('a GUID', value);
    case BuiltInType.ByteString:
      if (value === null || value instanceof Uint8Array) return value;
      throw mismatch('bytes', value);
    case BuiltInType.NodeId:
      if (value instanceof NodeId) return value;
      if (typeof value === 'string') return NodeId.parse(value);
      throw mismatch('a NodeId', value);
    case BuiltInType.ExpandedNodeId:
      if (value instanceof ExpandedNodeId) return value;
      if (value instanceof NodeId) return new ExpandedNodeId(value);
      throw mismatch('an ExpandedNodeId', value);
    case BuiltInType.QualifiedName:
      if (value instanceof QualifiedName) return value;
      if (typeof value === 'string') return QualifiedName.parse(value);
      throw mismatch('a QualifiedName', value);
    case BuiltInType.LocalizedText:
      if (value instanceof LocalizedText) return value;
      if (typeof value === 'string') return new LocalizedText(value);
      throw mismatch('a LocalizedText', value);
    case BuiltInType.DataValue:
      if (value instanceof DataValue) return value;
      throw mismatch('a DataValue', value);
    default:
      if (type === BuiltInType.DiagnosticInfo && typeof value === 'object') return value;
      throw mismatch(builtInTypeNames[type] ?? 'another type', value);
  }
}

function mismatch(wanted: string, given?: unknown): UaStatusError {
  const name = given === undefined ? '' : `, not ${given === null ? 'null' : typeof given}`;
  return new UaStatusError(StatusCodes.BadTypeMismatch, `the value must be ${wanted}${name}`);
}

function outOfRange(value: number | bigint, type: BuiltInType): UaStatusError {
  return new UaStatusError(StatusCodes.BadOutOfRange, `${value} is no ${builtInTypeNames[type]}`);
}
