import { type BuiltInType, type ExtensionObject, LocalizedText, NodeClass, type NodeId, type StructureType } from '@bulkhead/types';
import type { Namespace } from './namespace.ts';
import { Node, type NodeIdentifier } from './node.ts';
import { ReferenceKind } from './references.ts';
import type { DataValueHolder } from './variable-node.ts';

/** Numeric id (namespace 0) of HierarchicalReferences. */
const HIERARCHICAL_REFERENCES = 33;

/** A node that others are instances of. Knows its supertype, so that subtype checks are a short walk. */
export abstract class TypeNode extends Node {
  isAbstract = false;
  /** Source of the HasSubtype reference to this node; kept up to date by the address space. */
  superType: TypeNode | undefined = undefined;
  readonly #nodeId: NodeId;

  constructor(namespace: Namespace, identifier: NodeIdentifier, name: string, nameIndex: number) {
    super(namespace, identifier, name, nameIndex);
    this.#nodeId = super.nodeId;
  }

  /** Always the same object. */
  override get nodeId(): NodeId {
    return this.#nodeId;
  }

  /** True when this is that type or one of its direct or indirect subtypes. */
  isSubtypeOf(base: TypeNode): boolean {
    if (this === base) return true;
    for (let type = this.superType; type !== undefined; type = type.superType) {
      if (type === base) return true;
    }
    return false;
  }
}

/** OPC 10000-3 §5.5.2. */
export class ObjectTypeNode extends TypeNode {
  get nodeClass(): NodeClass {
    return NodeClass.ObjectType;
  }
}

/** OPC 10000-3 §5.6.5. */
export class VariableTypeNode extends TypeNode {
  dataType: NodeId;
  valueRank = -2;
  arrayDimensions: readonly number[] | undefined = undefined;
  /** Default value for instances; undefined when there is none. */
  default: DataValueHolder | undefined = undefined;

  constructor(namespace: Namespace, identifier: NodeIdentifier, name: string, nameIndex: number, dataType: NodeId) {
    super(namespace, identifier, name, nameIndex);
    this.dataType = dataType;
  }

  get nodeClass(): NodeClass {
    return NodeClass.VariableType;
  }
}

/** OPC 10000-3 §5.3. */
export class ReferenceTypeNode extends TypeNode {
  isSymmetric = false;
  inverseName: LocalizedText = LocalizedText.NULL;
  readonly forward: ReferenceKind;
  readonly inverse: ReferenceKind;

  constructor(namespace: Namespace, identifier: NodeIdentifier, name: string, nameIndex: number) {
    super(namespace, identifier, name, nameIndex);
    this.forward = new ReferenceKind(this, true);
    this.inverse = new ReferenceKind(this, false);
  }

  get nodeClass(): NodeClass {
    return NodeClass.ReferenceType;
  }

  /** True for HierarchicalReferences and its subtypes. */
  get isHierarchical(): boolean {
    if (isHierarchicalReferences(this)) return true;
    for (let type = this.superType; type !== undefined; type = type.superType) {
      if (isHierarchicalReferences(type)) return true;
    }
    return false;
  }
}

/** OPC 10000-3 §5.8.3. */
export class DataTypeNode extends TypeNode {
  /** StructureDefinition or EnumDefinition; undefined for types that have none. OPC 10000-3 §8.47. */
  definition: ExtensionObject | undefined = undefined;
  /** The type that values of this DataType have on the wire; resolved and kept by the TypeTree. */
  builtInType: BuiltInType | undefined = undefined;
  /** How values are encoded; resolved and kept by the StructureTypes. */
  structureType: StructureType<unknown> | undefined = undefined;

  get nodeClass(): NodeClass {
    return NodeClass.DataType;
  }
}

function isHierarchicalReferences(type: TypeNode): boolean {
  return type.identifier === HIERARCHICAL_REFERENCES && type.namespace.index === 0;
}
