import { LocalizedText, type NodeClass, NodeId, QualifiedName, type RolePermissionType } from '@bulkhead/types';
import type { MethodNode, ObjectNode } from './instance-nodes.ts';
import type { Namespace } from './namespace.ts';
import type { AnalogItemOptions, FolderOptions, MethodOptions, ObjectOptions, PropertyOptions, VariableOptions } from './node-options.ts';
import { DELETED, NO_REFERENCES, type ReferenceKind, type ReferenceSlots } from './references.ts';
import type { ReferenceTypeNode } from './type-nodes.ts';
import type { VariableNode } from './variable-node.ts';

/** A number or a string for those kinds of NodeId; the NodeId itself for GUIDs and opaque identifiers. */
export type NodeIdentifier = number | string | NodeId;

/** Attributes that few nodes have. */
export class NodeExtras {
  description: LocalizedText | undefined = undefined;
  /** Attributes that clients may write: bits of AttributeWriteMask. */
  writeMask = 0;
  rolePermissions: readonly RolePermissionType[] | undefined = undefined;
  /** Bits of AccessRestrictionType; undefined when the namespace's default counts. */
  accessRestrictions: number | undefined = undefined;
  symbolicName: string | undefined = undefined;
}

/** One reference as seen from a node. */
export interface NodeReference {
  readonly type: ReferenceTypeNode;
  readonly isForward: boolean;
  readonly target: Node;
}

/**
 * A node of an address space. Built for millions: ids and names are kept as plain values, and `nodeId` and `browseName`
 * make their objects when asked. OPC 10000-3 §5.2.
 */
export abstract class Node {
  readonly namespace: Namespace;
  readonly identifier: NodeIdentifier;
  /** Name part of the BrowseName. */
  name: string;
  /** Namespace index of the BrowseName. */
  nameIndex: number;
  /** Undefined when the DisplayName is the BrowseName's text without a locale. */
  ownDisplayName: LocalizedText | undefined = undefined;
  extras: NodeExtras | undefined = undefined;
  /** For this package's algorithms; others use `references()`. */
  slots: ReferenceSlots = NO_REFERENCES;

  constructor(namespace: Namespace, identifier: NodeIdentifier, name: string, nameIndex: number) {
    this.namespace = namespace;
    this.identifier = identifier;
    this.name = name;
    this.nameIndex = nameIndex;
  }

  abstract get nodeClass(): NodeClass;

  /** Made on each call; type nodes keep theirs. */
  get nodeId(): NodeId {
    const identifier = this.identifier;
    if (typeof identifier === 'number') return NodeId.numeric(this.namespace.index, identifier);
    if (typeof identifier === 'string') return NodeId.string(this.namespace.index, identifier);
    return identifier;
  }

  get browseName(): QualifiedName {
    return new QualifiedName(this.nameIndex, this.name);
  }

  get displayName(): LocalizedText {
    return this.ownDisplayName ?? new LocalizedText(this.name);
  }

  set displayName(value: LocalizedText) {
    this.ownDisplayName = value;
  }

  get description(): LocalizedText {
    return this.extras?.description ?? LocalizedText.NULL;
  }

  set description(value: LocalizedText) {
    this.editExtras().description = value;
  }

  /** The node's rarely used attributes, made when there are none. */
  editExtras(): NodeExtras {
    return (this.extras ??= new NodeExtras());
  }

  /** True once the node was deleted from its address space. */
  get isDeleted(): boolean {
    return this.slots === DELETED;
  }

  /** All references, both directions, in the order in which they were added. */
  *references(): Generator<NodeReference, void, undefined> {
    const slots = this.slots;
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind !== undefined) yield { type: kind.type, isForward: kind.isForward, target: slots[i + 1] as Node };
    }
  }

  /** Targets of forward references of a type or its subtypes. */
  *targets(referenceType: ReferenceTypeNode): Generator<Node, void, undefined> {
    for (const { type, isForward, target } of this.references()) {
      if (isForward && type.isSubtypeOf(referenceType)) yield target;
    }
  }

  /** Adds an Object as a component (or by `referenceType`). @throws UaStatusError BadNodeIdExists, BadNodeIdUnknown … */
  addObject(options: ObjectOptions): ObjectNode {
    return this.namespace.host.addObject(this, options);
  }

  /** Adds a Folder, organized by this node. @throws UaStatusError */
  addFolder(options: FolderOptions): ObjectNode {
    return this.namespace.host.addFolder(this, options);
  }

  /** Adds a Variable as a component (or by `referenceType`). @throws UaStatusError BadNodeIdExists, BadTypeMismatch … */
  addVariable(options: VariableOptions): VariableNode {
    return this.namespace.host.addVariable(this, options);
  }

  /** Adds an analog item: a Variable with EURange and units. @throws UaStatusError */
  addAnalogItem(options: AnalogItemOptions): VariableNode {
    return this.namespace.host.addAnalogItem(this, options);
  }

  /** Adds a Property. @throws UaStatusError */
  addProperty(options: PropertyOptions): VariableNode {
    return this.namespace.host.addProperty(this, options);
  }

  /** Adds a Method as a component. @throws UaStatusError */
  addMethod(options: MethodOptions): MethodNode {
    return this.namespace.host.addMethod(this, options);
  }

  /** The child (forward hierarchical reference) with that BrowseName; the namespace counts only when given. */
  child(name: string, namespaceIndex?: number): Node | undefined {
    const slots = this.slots;
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind === undefined || !kind.isForward || !kind.type.isHierarchical) continue;
      const target = slots[i + 1] as Node;
      if (target.name === name && (namespaceIndex === undefined || target.nameIndex === namespaceIndex)) return target;
    }
    return undefined;
  }

  toString(): string {
    return `${this.browseName.toString()} (${this.nodeId.toString()})`;
  }
}
