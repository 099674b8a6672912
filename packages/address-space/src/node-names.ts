import { NodeClass, NodeId, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { NamespaceTable } from './namespace-table.ts';
import { Node } from './node.ts';
import type { NodeReferenceOption } from './node-options.ts';
import { DataTypeNode, ReferenceTypeNode, TypeNode } from './type-nodes.ts';

/** Finds nodes that callers name by node, NodeId, NodeId text, or BrowseName of a type in namespace 0. */
export class NodeNames {
  readonly #namespaces: NamespaceTable;
  /** Types of namespace 0 by class and name; made when the first name is looked up. */
  #coreTypes: ReadonlyMap<string, TypeNode> | undefined;

  constructor(namespaces: NamespaceTable) {
    this.#namespaces = namespaces;
  }

  /** @throws UaStatusError BadNodeIdUnknown */
  node(option: NodeReferenceOption): Node {
    if (option instanceof Node) return option;
    const id = typeof option === 'string' ? NodeId.parse(option) : option;
    const node = this.#namespaces.find(id);
    if (node === undefined) throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `there is no node ${id.toString()}`);
    return node;
  }

  /** @throws UaStatusError BadNodeIdUnknown, or BadTypeDefinitionInvalid when it is no DataType. */
  dataType(option: NodeReferenceOption): DataTypeNode {
    const node = this.#type(option, NodeClass.DataType);
    if (node instanceof DataTypeNode) return node;
    throw new UaStatusError(StatusCodes.BadTypeDefinitionInvalid, `${node.toString()} is no DataType`);
  }

  /** @throws UaStatusError BadNodeIdUnknown, or BadReferenceTypeIdInvalid when it is no ReferenceType. */
  referenceType(option: NodeReferenceOption): ReferenceTypeNode {
    const node = this.#type(option, NodeClass.ReferenceType);
    if (node instanceof ReferenceTypeNode) return node;
    throw new UaStatusError(StatusCodes.BadReferenceTypeIdInvalid, `${node.toString()} is no ReferenceType`);
  }

  /** @throws UaStatusError BadNodeIdUnknown, or BadTypeDefinitionInvalid when it is a node of another class. */
  typeDefinition(option: NodeReferenceOption, nodeClass: typeof NodeClass.ObjectType | typeof NodeClass.VariableType): TypeNode {
    const node = this.#type(option, nodeClass);
    if (node instanceof TypeNode && node.nodeClass === nodeClass) return node;
    throw new UaStatusError(StatusCodes.BadTypeDefinitionInvalid, `${node.toString()} is no type for this node`);
  }

  #type(option: NodeReferenceOption, nodeClass: NodeClass): Node {
    if (typeof option !== 'string' || /^(?:ns=\d+;)?[isgb]=/u.test(option)) return this.node(option);
    this.#coreTypes ??= this.#indexCoreTypes();
    const node = this.#coreTypes.get(`${nodeClass}:${option}`);
    if (node === undefined) throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `namespace 0 has no type ${option}`);
    return node;
  }

  #indexCoreTypes(): ReadonlyMap<string, TypeNode> {
    const types = new Map<string, TypeNode>();
    for (const node of this.#namespaces.core.nodes()) {
      if (node instanceof TypeNode) types.set(`${node.nodeClass}:${node.name}`, node);
    }
    return types;
  }
}
