import {
  BuiltInType,
  EnumDefinition,
  type ExtensionObject,
  IdentifierType,
  type NodeId,
  NodeId as NodeIds,
  StructureDefinition,
  type StructureType,
  structureTypeByDataTypeId,
  structureTypeByEncodingId,
  type UaStructureField,
  UaStructureType,
} from '@bulkhead/types';
import { createDynamicStructure, type DynamicField } from './dynamic-structure.ts';
import type { DataTypeNode } from './type-nodes.ts';
import type { TypeTree } from './type-tree.ts';

/** Finds how values of structured DataTypes are encoded: generated codecs for namespace 0, made from definitions for others. */
export class StructureTypes {
  readonly #types: TypeTree;

  constructor(types: TypeTree) {
    this.#types = types;
  }

  /** The structure of a DataType; undefined when the DataType is no concrete structure or has no definition. */
  ofDataType(dataType: NodeId): StructureType<unknown> | undefined {
    if (isCoreNumber(dataType)) return structureTypeByDataTypeId(dataType.identifier as number);
    const node = this.#types.dataType(dataType);
    return node === undefined ? undefined : this.#ofNode(node);
  }

  /** The structure that belongs to an encoding object's NodeId, of any encoding, or to a DataType's. */
  ofEncoding(encodingId: NodeId): StructureType<unknown> | undefined {
    if (isCoreNumber(encodingId)) {
      const known = structureTypeByEncodingId(encodingId.identifier as number);
      if (known !== undefined) return known;
    }
    const node = this.#types.dataTypeOfEncoding(encodingId);
    return node === undefined ? undefined : this.ofDataType(node.nodeId);
  }

  /**
   * The value inside an ExtensionObject, when its type is known here.
   * @throws DecodingError when its bytes don't fit the type.
   */
  decode(object: ExtensionObject): unknown {
    if (object.content !== undefined) return object.content.value;
    const type = this.ofEncoding(object.typeId);
    return type?.decode === undefined || typeof object.body === 'string' ? undefined : object.decode(type);
  }

  /** Values that an enumeration (or option set) names; undefined when it has no definition. */
  enumerationOf(dataType: NodeId): EnumDefinition | undefined {
    const definition = this.#types.dataType(dataType)?.definition;
    return definition?.is(EnumDefinition as StructureType<never>) ? definition.decode(EnumDefinition) : undefined;
  }

  #ofNode(node: DataTypeNode): StructureType<unknown> | undefined {
    if (node.structureType !== undefined) return node.structureType;
    if (!node.definition?.is(StructureDefinition as StructureType<never>)) return undefined;
    const definition = node.definition.decode(StructureDefinition);
    const type = createDynamicStructure({
      name: node.name,
      dataTypeNodeId: node.nodeId,
      binaryEncodingNodeId: definition.defaultEncodingId.isNull ? NodeIds.NULL : definition.defaultEncodingId,
      kind: kindOf(definition.structureType),
      fields: (definition.fields ?? []).map((field) => this.#field(field, definition.structureType)),
    });
    node.structureType = type as StructureType<unknown>;
    return node.structureType;
  }

  #field(field: UaStructureField, structureType: UaStructureType): DynamicField {
    const allowsSubtypes =
      field.isOptional &&
      (structureType === UaStructureType.StructureWithSubtypedValues || structureType === UaStructureType.UnionWithSubtypedValues);
    const builtInType = this.#types.builtInTypeOf(field.dataType);
    const isInline =
      builtInType === BuiltInType.ExtensionObject && !allowsSubtypes && this.#types.dataType(field.dataType)?.isAbstract === false;
    return {
      name: field.name ?? '',
      // A number of any type, and a field that allows subtypes of a simple type, travel as Variants.
      builtInType: allowsSubtypes && builtInType !== BuiltInType.ExtensionObject ? BuiltInType.Variant : builtInType,
      structure: isInline ? () => this.#nested(field.dataType) : undefined,
      isEnumeration: this.#types.isEnumeration(field.dataType),
      valueRank: field.valueRank,
      isOptional: field.isOptional && structureType === UaStructureType.StructureWithOptionalFields,
    };
  }

  #nested(dataType: NodeId): StructureType<unknown> {
    return this.ofDataType(dataType) ?? EMPTY_STRUCTURE;
  }
}

/** A concrete structure without a definition has no fields that anyone knows of. */
const EMPTY_STRUCTURE: StructureType<unknown> = createDynamicStructure({
  name: 'Structure',
  dataTypeNodeId: NodeIds.NULL,
  binaryEncodingNodeId: NodeIds.NULL,
  kind: 'structure',
  fields: [],
}) as StructureType<unknown>;

function kindOf(structureType: UaStructureType): 'structure' | 'optionalFields' | 'union' {
  switch (structureType) {
    case UaStructureType.StructureWithOptionalFields:
      return 'optionalFields';
    case UaStructureType.Union:
    case UaStructureType.UnionWithSubtypedValues:
      return 'union';
    default:
      return 'structure';
  }
}

function isCoreNumber(id: NodeId): boolean {
  return id.namespaceIndex === 0 && id.identifierType === IdentifierType.Numeric;
}
