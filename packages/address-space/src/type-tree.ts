import { BuiltInType, NodeClass, type NodeId } from '@bulkhead/types';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { ReferenceKind } from './references.ts';
import { DataTypeNode, ReferenceTypeNode, TypeNode } from './type-nodes.ts';

/** Numeric ids of namespace 0 that the type rules name. */
export const WellKnown = {
  BaseDataType: 24,
  Number: 26,
  Integer: 27,
  UInteger: 28,
  Enumeration: 29,
  Structure: 22,
  HasTypeDefinition: 40,
  HasSubtype: 45,
  HasProperty: 46,
  HasComponent: 47,
  HasEncoding: 38,
  Organizes: 35,
  HasInterface: 17603,
  GeneratesEvent: 41,
  FolderType: 61,
  BaseObjectType: 58,
  BaseDataVariableType: 63,
  PropertyType: 68,
  DataTypeEncodingType: 76,
} as const;

/** Answers questions about types. Supertypes are links between nodes, so a check is a walk of a few steps. */
export class TypeTree {
  readonly #namespaces: NamespaceTable;

  constructor(namespaces: NamespaceTable) {
    this.#namespaces = namespaces;
  }

  /** True when both are type nodes and the first is the second or one of its subtypes. */
  isSubtypeOf(type: NodeId, base: NodeId): boolean {
    if (type.equals(base)) return true;
    const typeNode = this.#namespaces.find(type);
    const baseNode = this.#namespaces.find(base);
    return typeNode instanceof TypeNode && baseNode instanceof TypeNode && typeNode.isSubtypeOf(baseNode);
  }

  dataType(id: NodeId): DataTypeNode | undefined {
    const node = this.#namespaces.find(id);
    return node instanceof DataTypeNode ? node : undefined;
  }

  referenceType(id: NodeId): ReferenceTypeNode | undefined {
    const node = this.#namespaces.find(id);
    return node instanceof ReferenceTypeNode ? node : undefined;
  }

  /** A ReferenceType of namespace 0. */
  coreReferenceType(identifier: number): ReferenceTypeNode | undefined {
    const node = this.#namespaces.core.findNumeric(identifier);
    return node instanceof ReferenceTypeNode ? node : undefined;
  }

  /**
   * The built-in type that values of a DataType have on the wire: Int32 for enumerations, ExtensionObject for structures.
   * Abstract types without one (BaseDataType, Number, Integer, UInteger) give Variant; so do unknown types.
   */
  builtInTypeOf(dataType: NodeId): BuiltInType {
    const identifier = dataType.identifier;
    if (dataType.namespaceIndex === 0 && typeof identifier === 'number' && identifier <= BuiltInType.DiagnosticInfo)
      return builtInById(dataType);
    const node = this.dataType(dataType);
    if (node === undefined) return BuiltInType.Variant;
    if (node.builtInType !== undefined) return node.builtInType;
    let builtIn: BuiltInType = BuiltInType.Variant;
    for (let type: TypeNode | undefined = node; type !== undefined; type = type.superType) {
      if (type.namespace.index !== 0 || typeof type.identifier !== 'number') continue;
      if (type.identifier === WellKnown.Enumeration) builtIn = BuiltInType.Int32;
      else if (type.identifier <= BuiltInType.DiagnosticInfo) builtIn = builtInById(type.nodeId);
      else continue;
      break;
    }
    node.builtInType = builtIn;
    return builtIn;
  }

  isEnumeration(dataType: NodeId): boolean {
    return this.#isBelow(dataType, WellKnown.Enumeration);
  }

  isStructure(dataType: NodeId): boolean {
    return this.#isBelow(dataType, WellKnown.Structure);
  }

  isNumber(dataType: NodeId): boolean {
    return this.#isBelow(dataType, WellKnown.Number);
  }

  #isBelow(dataType: NodeId, coreType: number): boolean {
    const base = this.#namespaces.core.findNumeric(coreType);
    return base instanceof TypeNode && this.dataType(dataType)?.isSubtypeOf(base) === true;
  }

  /** Target of the node's HasTypeDefinition reference. */
  typeDefinitionOf(node: Node): TypeNode | undefined {
    if (node.nodeClass !== NodeClass.Object && node.nodeClass !== NodeClass.Variable) return undefined;
    const slots = node.slots;
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind?.isForward && kind.type.identifier === WellKnown.HasTypeDefinition && kind.type.namespace.index === 0) {
        return slots[i + 1] as TypeNode;
      }
    }
    return undefined;
  }

  /** The DataType that an encoding object (Default Binary, Default XML …) belongs to. */
  dataTypeOfEncoding(encodingId: NodeId): DataTypeNode | undefined {
    const encoding = this.#namespaces.find(encodingId);
    if (encoding === undefined) return undefined;
    if (encoding instanceof DataTypeNode) return encoding;
    for (const { type, isForward, target } of encoding.references()) {
      if (!isForward && type.identifier === WellKnown.HasEncoding && type.namespace.index === 0 && target instanceof DataTypeNode)
        return target;
    }
    return undefined;
  }

  /** NodeId of a DataType's encoding object by its name, `Default Binary` unless told otherwise. */
  encodingOf(dataType: DataTypeNode, name = 'Default Binary'): NodeId | undefined {
    for (const { type, isForward, target } of dataType.references()) {
      if (isForward && type.identifier === WellKnown.HasEncoding && type.namespace.index === 0 && target.name === name)
        return target.nodeId;
    }
    return undefined;
  }
}

function builtInById(dataType: NodeId): BuiltInType {
  // BaseDataType (24) has the id of the built-in type Variant.
  return dataType.identifier as BuiltInType;
}
