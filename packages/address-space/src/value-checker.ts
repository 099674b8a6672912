import { BuiltInType, NodeId, type StatusCode, StatusCodes, Variant } from '@bulkhead/types';
import { type TypeTree, WellKnown } from './type-tree.ts';

/** What a value has to be. */
export interface ValueConstraints {
  readonly dataType: NodeId;
  readonly valueRank: number;
  readonly arrayDimensions: readonly number[] | undefined;
}

/** Checks values against DataType, ValueRank and ArrayDimensions. OPC 10000-3 §5.6.2, OPC 10000-4 §5.11.4. */
export class ValueChecker {
  readonly #types: TypeTree;

  constructor(types: TypeTree) {
    this.#types = types;
  }

  /**
   * The value as it is to be stored: a ByteString for Byte[] (and the reverse) is converted, everything else passes unchanged.
   * @returns BadTypeMismatch when it doesn't fit.
   */
  accept(variant: Variant, constraints: ValueConstraints): Variant | StatusCode {
    const builtInType = this.#types.builtInTypeOf(constraints.dataType);
    if (variant.type === BuiltInType.Null) return acceptsNull(builtInType) ? variant : StatusCodes.BadTypeMismatch;
    const value = convertBytes(variant, builtInType, constraints.valueRank);
    if (!this.#matchesType(value, builtInType, constraints.dataType)) return StatusCodes.BadTypeMismatch;
    return matchesShape(value, constraints) ? value : StatusCodes.BadTypeMismatch;
  }

  #matchesType(value: Variant, builtInType: BuiltInType, dataType: NodeId): boolean {
    if (builtInType === BuiltInType.Variant) return this.#matchesAbstract(value.type, dataType);
    if (value.type !== builtInType) return false;
    return value.type !== BuiltInType.ExtensionObject || this.#matchesStructure(value, dataType);
  }

  /** BaseDataType takes everything; Number, Integer and UInteger what is below them. */
  #matchesAbstract(type: BuiltInType, dataType: NodeId): boolean {
    const abstract = this.#types.dataType(dataType);
    if (abstract === undefined || (abstract.namespace.index === 0 && abstract.identifier === WellKnown.BaseDataType)) return true;
    // Variant has the id of BaseDataType, and an array of Variants may hold anything.
    return this.#types.dataType(NodeId.numeric(0, type))?.isSubtypeOf(abstract) === true;
  }

  #matchesStructure(value: Variant, dataType: NodeId): boolean {
    const wanted = this.#types.dataType(dataType);
    const objects = value.isArray ? Array.from(value.elements ?? []) : [value.value];
    return objects.every((object) => {
      const { typeId, isNull } = object as { typeId: NodeId; isNull: boolean };
      if (isNull) return value.isArray;
      const given = this.#types.dataTypeOfEncoding(typeId);
      if (given === undefined || wanted === undefined) return wanted?.identifier === WellKnown.Structure && wanted.namespace.index === 0;
      return given.isSubtypeOf(wanted);
    });
  }
}

function acceptsNull(type: BuiltInType): boolean {
  switch (type) {
    case BuiltInType.Variant:
    case BuiltInType.String:
    case BuiltInType.ByteString:
    case BuiltInType.XmlElement:
      return true;
    default:
      return false;
  }
}

/** A ByteString and an array of Bytes are interchangeable. OPC 10000-4 §5.11.4. */
function convertBytes(value: Variant, builtInType: BuiltInType, valueRank: number): Variant {
  if (value.type === BuiltInType.ByteString && builtInType === BuiltInType.Byte && !value.isArray && (valueRank >= 0 || valueRank <= -2)) {
    return Variant.array(BuiltInType.Byte, value.value as Uint8Array | null);
  }
  if (
    value.type === BuiltInType.Byte &&
    builtInType === BuiltInType.ByteString &&
    value.isArray &&
    value.dimensions === undefined &&
    valueRank < 0
  ) {
    const bytes = value.elements;
    return Variant.scalar(BuiltInType.ByteString, bytes === undefined ? null : Uint8Array.from(bytes as ArrayLike<number>));
  }
  return value;
}

function matchesShape(value: Variant, { valueRank, arrayDimensions }: ValueConstraints): boolean {
  const rank = value.isArray ? (value.dimensions?.length ?? 1) : 0;
  if (!matchesRank(rank, value.isArray && value.value === null, valueRank)) return false;
  if (!value.isArray || arrayDimensions === undefined || arrayDimensions.length !== rank) return true;
  const lengths = value.dimensions ?? [value.elements?.length ?? 0];
  return lengths.every((length, i) => arrayDimensions[i] === 0 || length <= (arrayDimensions[i] as number));
}

function matchesRank(rank: number, isNullArray: boolean, valueRank: number): boolean {
  switch (valueRank) {
    case -3:
      return rank <= 1;
    case -2:
      return true;
    case -1:
      return rank === 0;
    case 0:
      return rank >= 1;
    default:
      return rank === valueRank || isNullArray;
  }
}
