import {
  EnumDefinition,
  EnumValueType,
  ExtensionObject,
  LocalizedText,
  NodeClass,
  NodeId,
  QualifiedName,
  StatusCodes,
  StructureDefinition,
  type StructureType,
  UaStatusError,
  type UaStructureField,
  UaStructureType,
} from '@bulkhead/types';
import type { Node } from './node.ts';
import { type NodeBuilder, type NodeIdentity, toLocalizedText } from './node-builder.ts';
import type { NodeGraph } from './node-graph.ts';
import type { NodeNames } from './node-names.ts';
import type {
  EnumerationTypeOptions,
  EnumerationValueOptions,
  FieldOptions,
  NodeReferenceOption,
  ReferenceTypeOptions,
  StructureTypeOptions,
  TypeOptions,
  VariableTypeOptions,
} from './node-options.ts';
import { DataTypeNode, ObjectTypeNode, ReferenceTypeNode, type TypeNode, VariableTypeNode } from './type-nodes.ts';
import { type TypeTree, WellKnown } from './type-tree.ts';

const BASE_OBJECT_TYPE: NodeId = NodeId.numeric(0, WellKnown.BaseObjectType);
const BASE_DATA_VARIABLE_TYPE: NodeId = NodeId.numeric(0, WellKnown.BaseDataVariableType);
const HAS_SUBTYPE: NodeId = NodeId.numeric(0, WellKnown.HasSubtype);
const HAS_ENCODING: NodeId = NodeId.numeric(0, WellKnown.HasEncoding);
const DATA_TYPE_ENCODING_TYPE: NodeId = NodeId.numeric(0, WellKnown.DataTypeEncodingType);
const BINARY_ENCODING_NAME: QualifiedName = new QualifiedName(0, 'Default Binary');

/** What the type builder needs of the rest of the address space. */
export interface TypeBuilderParts {
  readonly builder: NodeBuilder;
  readonly graph: NodeGraph;
  readonly names: NodeNames;
  readonly types: TypeTree;
}

/** Makes types from the options that users give. */
export class TypeBuilder {
  readonly #parts: TypeBuilderParts;

  constructor(parts: TypeBuilderParts) {
    this.#parts = parts;
  }

  objectType(options: TypeOptions): ObjectTypeNode {
    const superType = this.#parts.names.typeDefinition(options.superType ?? BASE_OBJECT_TYPE, NodeClass.ObjectType);
    const { namespace, identifier, name, nameIndex } = this.#identify(options);
    return this.#place(new ObjectTypeNode(namespace, identifier, name, nameIndex), superType, options);
  }

  variableType(options: VariableTypeOptions): VariableTypeNode {
    const { names } = this.#parts;
    const superType = names.typeDefinition(options.superType ?? BASE_DATA_VARIABLE_TYPE, NodeClass.VariableType) as VariableTypeNode;
    const dataType = options.dataType === undefined ? superType.dataType : names.dataType(options.dataType).nodeId;
    const { namespace, identifier, name, nameIndex } = this.#identify(options);
    const node = new VariableTypeNode(namespace, identifier, name, nameIndex, dataType);
    node.valueRank = options.valueRank ?? superType.valueRank;
    node.arrayDimensions = options.arrayDimensions;
    return this.#place(node, superType, options);
  }

  referenceType(options: ReferenceTypeOptions): ReferenceTypeNode {
    const superType = this.#parts.names.referenceType(options.superType ?? 'NonHierarchicalReferences');
    const { namespace, identifier, name, nameIndex } = this.#identify(options);
    const node = new ReferenceTypeNode(namespace, identifier, name, nameIndex);
    node.isSymmetric = options.isSymmetric ?? false;
    if (options.inverseName !== undefined) node.inverseName = toLocalizedText(options.inverseName);
    return this.#place(node, superType, options);
  }

  /** A type without a definition of its own, such as a subtype of Double. */
  dataType(options: TypeOptions): DataTypeNode {
    return this.#dataType(options, options.superType ?? 'BaseDataType');
  }

  /** @throws UaStatusError BadTypeDefinitionInvalid when the supertype is no structure or fields have the same name. */
  structureType(options: StructureTypeOptions): DataTypeNode {
    const { names, types } = this.#parts;
    const superType = names.dataType(options.superType ?? (options.isUnion === true ? 'Union' : 'Structure'));
    if (!types.isStructure(superType.nodeId)) throw invalid(`${superType.name} is no structure`);
    const fields = [...inheritedFields(superType), ...options.fields.map((field) => this.#field(field))];
    if (new Set(fields.map((field) => field.name)).size !== fields.length) throw invalid(`${options.name} has two fields of one name`);
    const hasOptional = fields.some((field) => field.isOptional);
    const node = this.#dataType(options, superType);
    const encoding = options.isAbstract === true ? NodeId.NULL : this.#addEncoding(node, options).nodeId;
    node.definition = ExtensionObject.of(StructureDefinition, {
      defaultEncodingId: encoding,
      baseDataType: superType.nodeId,
      structureType: structureTypeOf(options.isUnion === true, hasOptional),
      fields,
    });
    return node;
  }

  /** With EnumStrings when the values count from 0, else with EnumValues. OPC 10000-3 §8.14. */
  enumerationType(options: EnumerationTypeOptions): DataTypeNode {
    const values = options.values.map((value, i) => (typeof value === 'string' ? { name: value, value: i } : value));
    const node = this.#dataType(options, options.superType ?? 'Enumeration');
    node.definition = ExtensionObject.of(EnumDefinition, {
      fields: values.map((value) => ({ name: value.name, ...enumValue(value) })),
    });
    const countsFromZero = values.every(({ value }, i) => value === i);
    this.#parts.builder.property(node, {
      browseName: new QualifiedName(0, countsFromZero ? 'EnumStrings' : 'EnumValues'),
      dataType: countsFromZero ? 'LocalizedText' : 'EnumValueType',
      value: countsFromZero
        ? values.map((value) => enumValue(value).displayName)
        : values.map((value) => ExtensionObject.of(EnumValueType, enumValue(value))),
    });
    return node;
  }

  #dataType(options: TypeOptions, superType: NodeReferenceOption): DataTypeNode {
    const base = this.#parts.names.dataType(superType);
    const { namespace, identifier, name, nameIndex } = this.#identify(options);
    return this.#place(new DataTypeNode(namespace, identifier, name, nameIndex), base, options);
  }

  #field(field: FieldOptions): UaStructureField {
    return {
      name: field.name,
      description: field.description === undefined ? LocalizedText.NULL : toLocalizedText(field.description),
      dataType: this.#parts.names.dataType(field.dataType).nodeId,
      valueRank: field.valueRank ?? -1,
      arrayDimensions: field.arrayDimensions ?? null,
      maxStringLength: field.maxStringLength ?? 0,
      isOptional: field.optional ?? false,
    };
  }

  #addEncoding(node: DataTypeNode, options: StructureTypeOptions): Node {
    return this.#parts.builder.object(node, {
      browseName: BINARY_ENCODING_NAME,
      namespace: node.namespace,
      referenceType: HAS_ENCODING,
      typeDefinition: DATA_TYPE_ENCODING_TYPE,
      ...(options.binaryEncodingId === undefined ? {} : { nodeId: options.binaryEncodingId }),
    });
  }

  #identify(options: TypeOptions): NodeIdentity {
    return this.#parts.builder.identify({ ...options, browseName: options.name }, undefined);
  }

  #place<T extends TypeNode>(node: T, superType: TypeNode, options: TypeOptions): T {
    const { builder, graph, names } = this.#parts;
    node.isAbstract = options.isAbstract ?? false;
    builder.decorate(node, { ...options, browseName: options.name });
    graph.register(node);
    graph.connect(superType, names.referenceType(HAS_SUBTYPE), node);
    return node;
  }
}

function inheritedFields(superType: DataTypeNode): readonly UaStructureField[] {
  const { definition } = superType;
  return definition?.is(StructureDefinition as StructureType<never>) ? (definition.decode(StructureDefinition).fields ?? []) : [];
}

function structureTypeOf(isUnion: boolean, hasOptional: boolean): UaStructureType {
  if (isUnion) return UaStructureType.Union;
  return hasOptional ? UaStructureType.StructureWithOptionalFields : UaStructureType.Structure;
}

function enumValue({ name, value, displayName, description }: EnumerationValueOptions): EnumValueType {
  return {
    value: BigInt(value),
    displayName: toLocalizedText(displayName ?? name),
    description: description === undefined ? LocalizedText.NULL : toLocalizedText(description),
  };
}

function invalid(message: string): UaStatusError {
  return new UaStatusError(StatusCodes.BadTypeDefinitionInvalid, message);
}
