import {
  EnumDefinition,
  type EnumField,
  ExtensionObject,
  LocalizedText,
  NodeId,
  StructureDefinition,
  type StructureType,
  type UaStructureField,
  UaStructureType,
} from '@bulkhead/types';
import { DataTypeNode } from '../type-nodes.ts';
import { type TypeTree, WellKnown } from '../type-tree.ts';
import type { ParsedDefinition, ParsedField } from './nodeset-document.ts';

const UNION = 12756;

/** Makes DataTypeDefinition attributes of `<Definition>` elements. Supertypes come first: their fields are part of the definition. */
export class DataTypeDefinitions {
  readonly #types: TypeTree;
  readonly #parsed: Map<DataTypeNode, ParsedDefinition>;

  constructor(types: TypeTree, parsed: Map<DataTypeNode, ParsedDefinition>) {
    this.#types = types;
    this.#parsed = parsed;
  }

  buildAll(): void {
    for (const node of this.#parsed.keys()) this.#build(node);
  }

  #build(node: DataTypeNode): void {
    const parsed = this.#parsed.get(node);
    if (parsed === undefined || node.definition !== undefined) return;
    if (node.superType instanceof DataTypeNode) this.#build(node.superType);
    if (this.#types.isStructure(node.nodeId)) {
      node.definition = ExtensionObject.of(StructureDefinition, this.#structure(node, parsed));
    } else if (this.#types.isEnumeration(node.nodeId) || parsed.isOptionSet || parsed.fields.length > 0) {
      node.definition = ExtensionObject.of(EnumDefinition, { fields: parsed.fields.map(enumField) });
    }
  }

  #structure(node: DataTypeNode, parsed: ParsedDefinition): StructureDefinition {
    const isUnion = parsed.isUnion || this.#isUnion(node);
    const inherited = inheritedFields(node);
    const allowsSubtypes = parsed.fields.some((field) => field.allowSubtypes);
    const base = node.superType?.nodeId ?? NodeId.numeric(0, WellKnown.Structure);
    const structureType = structureTypeOf(
      isUnion,
      allowsSubtypes,
      parsed.fields.some((field) => field.isOptional),
      inheritedType(node),
    );
    return {
      defaultEncodingId: node.isAbstract ? NodeId.NULL : (this.#types.encodingOf(node) ?? NodeId.NULL),
      baseDataType: base,
      structureType,
      fields: [...inherited, ...parsed.fields.map((field) => structureField(field, structureType))],
    };
  }

  #isUnion(node: DataTypeNode): boolean {
    const union = this.#types.dataType(NodeId.numeric(0, UNION));
    return union !== undefined && node !== union && node.isSubtypeOf(union);
  }
}

function baseDefinition(node: DataTypeNode): StructureDefinition | undefined {
  const definition = (node.superType as DataTypeNode | undefined)?.definition;
  return definition?.is(StructureDefinition as StructureType<never>) ? definition.decode(StructureDefinition) : undefined;
}

function inheritedFields(node: DataTypeNode): readonly UaStructureField[] {
  return baseDefinition(node)?.fields ?? [];
}

function inheritedType(node: DataTypeNode): UaStructureType {
  return baseDefinition(node)?.structureType ?? UaStructureType.Structure;
}

function structureTypeOf(isUnion: boolean, allowsSubtypes: boolean, hasOptional: boolean, inherited: UaStructureType): UaStructureType {
  if (isUnion) return allowsSubtypes ? UaStructureType.UnionWithSubtypedValues : UaStructureType.Union;
  if (allowsSubtypes) return UaStructureType.StructureWithSubtypedValues;
  if (hasOptional) return UaStructureType.StructureWithOptionalFields;
  return inherited;
}

function structureField(field: ParsedField, structureType: UaStructureType): UaStructureField {
  // In types with subtyped values the flag says which fields those are. OPC 10000-3 §8.51.
  const marksSubtypes =
    structureType === UaStructureType.StructureWithSubtypedValues || structureType === UaStructureType.UnionWithSubtypedValues;
  return {
    name: field.name,
    description: field.description ?? LocalizedText.NULL,
    dataType: field.dataType,
    valueRank: field.valueRank,
    arrayDimensions: field.arrayDimensions ?? null,
    maxStringLength: field.maxStringLength,
    isOptional: marksSubtypes ? field.allowSubtypes : field.isOptional,
  };
}

function enumField(field: ParsedField, index: number): EnumField {
  return {
    name: field.name,
    value: field.value ?? BigInt(index),
    displayName: field.displayName ?? new LocalizedText(field.name),
    description: field.description ?? LocalizedText.NULL,
  };
}
