import { DataValue, NodeClass, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import { appendReference, DELETED, hasReference, NO_REFERENCES, type ReferenceKind, removeReference } from './references.ts';
import { type ReferenceTypeNode, TypeNode } from './type-nodes.ts';
import { WellKnown } from './type-tree.ts';
import type { VariableNode } from './variable-node.ts';

const AGGREGATES = 44;

/** Adds and removes nodes and references, and keeps both ends of every reference. */
export class NodeGraph {
  readonly #namespaces: NamespaceTable;

  constructor(namespaces: NamespaceTable) {
    this.#namespaces = namespaces;
  }

  /** @throws UaStatusError BadNodeIdExists */
  register(node: Node): void {
    node.namespace.add(node);
  }

  /**
   * Connects two nodes, both ends.
   * @returns false when the reference exists already.
   */
  connect(source: Node, type: ReferenceTypeNode, target: Node): boolean {
    const isForwardSmaller = source.slots.length <= target.slots.length;
    if (isForwardSmaller ? hasReference(source, type.forward, target) : hasReference(target, type.inverse, source)) return false;
    appendReference(source, type.forward, target);
    appendReference(target, type.inverse, source);
    if (isHasSubtype(type) && source instanceof TypeNode && target instanceof TypeNode && !source.isSubtypeOf(target)) {
      // A circle in a document must not send subtype checks round for ever.
      target.superType = source;
    }
    return true;
  }

  /** @returns false when there is no such reference. */
  disconnect(source: Node, type: ReferenceTypeNode, target: Node): boolean {
    if (!removeReference(source, type.forward, target)) return false;
    removeReference(target, type.inverse, source);
    if (isHasSubtype(type) && target instanceof TypeNode && target.superType === source) target.superType = undefined;
    return true;
  }

  /**
   * Removes a node, its references, and the components and properties that have no other parent.
   * @throws UaStatusError BadNoDeleteRights for nodes of namespace 0, BadNodeIdUnknown when it was deleted already.
   */
  delete(node: Node): void {
    if (node.namespace.index === 0) throw new UaStatusError(StatusCodes.BadNoDeleteRights, 'nodes of namespace 0 stay');
    this.#deleteTree(node, false);
  }

  /**
   * Like `delete`, for instances of namespace 0.
   * @throws UaStatusError BadNoDeleteRights for types, BadNodeIdUnknown when it was deleted already.
   */
  deleteStandard(node: Node): void {
    if (node instanceof TypeNode) throw new UaStatusError(StatusCodes.BadNoDeleteRights, 'types of namespace 0 stay');
    this.#deleteTree(node, true);
  }

  #deleteTree(node: Node, standardToo: boolean): void {
    if (node.isDeleted) throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `${node.toString()} was deleted already`);
    // Not recursive: a chain of components may be long.
    const doomed: Node[] = [node];
    for (let next = doomed.pop(); next !== undefined; next = doomed.pop()) this.#deleteOne(next, doomed, standardToo);
  }

  #deleteOne(node: Node, doomed: Node[], standardToo: boolean): void {
    const slots = node.slots === NO_REFERENCES ? [] : node.slots;
    node.namespace.delete(node);
    node.slots = DELETED;
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind === undefined) continue;
      const target = slots[i + 1] as Node;
      if (target.isDeleted) continue;
      removeReference(target, kind.isForward ? kind.type.inverse : kind.type.forward, node);
      const mayGo = standardToo || target.namespace.index !== 0;
      if (mayGo && kind.isForward && this.#isAggregate(kind.type) && !this.#hasParent(target)) doomed.push(target);
    }
    if (node.nodeClass === NodeClass.Variable) tellObservers(node as VariableNode);
  }

  #isAggregate(type: ReferenceTypeNode): boolean {
    const aggregates = this.#namespaces.core.findNumeric(AGGREGATES);
    return aggregates instanceof TypeNode && type.isSubtypeOf(aggregates);
  }

  #hasParent(node: Node): boolean {
    for (const { isForward, type } of node.references()) {
      if (!isForward && type.isHierarchical) return true;
    }
    return false;
  }
}

function isHasSubtype(type: ReferenceTypeNode): boolean {
  return type.identifier === WellKnown.HasSubtype && type.namespace.index === 0;
}

function tellObservers(variable: VariableNode): void {
  variable.details?.observers?.tell(DataValue.ofStatus(StatusCodes.BadNodeIdUnknown));
}
