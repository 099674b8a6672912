import { DataValue, NodeId, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { AddressSpace } from '../address-space.ts';
import { compactText } from '../compact-text.ts';
import { MethodNode, ObjectNode, ViewNode } from '../instance-nodes.ts';
import type { LoadedModel } from '../namespace.ts';
import type { Node } from '../node.ts';
import { compactIdentifier, identifierOf } from '../node-builder.ts';
import { DataTypeNode, ObjectTypeNode, ReferenceTypeNode, VariableTypeNode } from '../type-nodes.ts';
import { WellKnown } from '../type-tree.ts';
import { NO_VALUE, VariableNode } from '../variable-node.ts';
import { DataTypeDefinitions } from './data-type-definitions.ts';
import type { NodeSetModel, ParsedDefinition, ParsedNode } from './nodeset-document.ts';
import { NodeSetReader, parseDimensions } from './nodeset-reader.ts';
import { XmlChildren } from './xml-element.ts';
import { XmlValues } from './xml-values.ts';

/** A reference that leads nowhere: its type or its target is neither in the document nor in the address space. */
export interface MissingTarget {
  readonly source: NodeId;
  readonly referenceType: NodeId;
  readonly target: NodeId;
}

/** What came of loading a document. */
export interface NodeSetResult {
  /** URIs of the namespaces that the document names, in its order. */
  readonly namespaceUris: readonly string[];
  readonly nodeCount: number;
  readonly missingTargets: readonly MissingTarget[];
  /** What was wrong but could be left out: values that can't be read, older required models … */
  readonly problems: readonly string[];
}

/**
 * Loads a NodeSet2 document.
 * @throws UaStatusError BadDecodingError when it is malformed, BadConfigurationError when a required model is not loaded,
 * BadNodeIdExists when one of its nodes exists. No node was added then.
 */
export async function loadNodeSet(space: AddressSpace, xml: string | Iterable<string> | AsyncIterable<string>): Promise<NodeSetResult> {
  const reader = new NodeSetReader(space.namespaces);
  const children = new XmlChildren(
    (root) => {
      if (root.name !== 'UANodeSet') throw new UaStatusError(StatusCodes.BadDecodingError, `<${root.name}> is no UANodeSet`);
    },
    (child) => reader.read(child),
  );
  if (typeof xml === 'string') children.write(xml);
  else for await (const chunk of xml) children.write(chunk);
  children.close();
  return new NodeSetLoader(space, reader).load();
}

class NodeSetLoader {
  readonly #space: AddressSpace;
  readonly #document: NodeSetReader;
  readonly #missing: MissingTarget[] = [];
  readonly #problems: string[] = [];

  constructor(space: AddressSpace, document: NodeSetReader) {
    this.#space = space;
    this.#document = document;
  }

  load(): NodeSetResult {
    const { models, nodes, namespaceUris } = this.#document;
    for (const model of models) this.#checkRequired(model);
    const made = this.#makeNodes(nodes);
    for (const [i, parsed] of nodes.entries()) this.#connect(made[i] as Node, parsed);
    for (const [i, parsed] of nodes.entries()) this.#connectParent(made[i] as Node, parsed);
    this.#addDefinitions(nodes, made);
    this.#addValues(nodes, made);
    for (const model of models) this.#remember(model);
    return { namespaceUris: [...namespaceUris], nodeCount: nodes.length, missingTargets: this.#missing, problems: this.#problems };
  }

  #checkRequired(model: NodeSetModel): void {
    for (const required of model.requiredModels) {
      const index = this.#space.namespaces.getIndex(required.uri);
      const loaded = index === undefined ? undefined : this.#space.namespaces.at(index)?.model;
      const isHere = loaded !== undefined || this.#document.models.some(({ uri }) => uri === required.uri);
      if (!isHere) {
        throw new UaStatusError(
          StatusCodes.BadConfigurationError,
          `${model.uri} needs ${required.uri} ${required.version ?? ''}: load that first`,
        );
      }
      if (loaded !== undefined && isOlder(loaded, required)) {
        this.#problems.push(`${model.uri} needs ${required.uri} of ${required.publicationDate}, loaded is ${loaded.publicationDate}`);
      }
    }
  }

  #remember(model: NodeSetModel): void {
    const namespace = this.#space.namespaces.register(model.uri);
    namespace.model = { version: model.version, publicationDate: model.publicationDate };
    if (model.rolePermissions !== undefined) namespace.defaultRolePermissions = model.rolePermissions;
    namespace.defaultAccessRestrictions = model.accessRestrictions;
  }

  #makeNodes(parsed: readonly ParsedNode[]): Node[] {
    const seen = new Set<number | string>();
    for (const { nodeId } of parsed) {
      if (seen.has(nodeId.key) || this.#space.getNode(nodeId) !== undefined) {
        throw new UaStatusError(StatusCodes.BadNodeIdExists, `${nodeId.toString()} exists`);
      }
      seen.add(nodeId.key);
    }
    return parsed.map((entry) => {
      const node = this.#makeNode(entry);
      decorate(node, entry);
      this.#space.register(node);
      return node;
    });
  }

  #makeNode(parsed: ParsedNode): Node {
    const { nodeId, browseName, attributes } = parsed;
    const namespace = this.#space.namespaces.at(nodeId.namespaceIndex);
    if (namespace === undefined) throw new UaStatusError(StatusCodes.BadNodeIdInvalid, nodeId.toString());
    const args = [
      namespace,
      compactIdentifier(identifierOf(nodeId)),
      compactText(browseName.name ?? ''),
      browseName.namespaceIndex,
    ] as const;
    switch (parsed.element) {
      case 'UAVariable':
        return this.#makeVariable(parsed, args);
      case 'UAVariableType': {
        const node = new VariableTypeNode(...args, this.#dataType(parsed));
        node.valueRank = Number(attributes['ValueRank'] ?? -1);
        node.arrayDimensions = parseDimensions(attributes['ArrayDimensions']);
        return abstractable(node, parsed);
      }
      case 'UAObject': {
        const node = new ObjectNode(...args);
        node.eventNotifier = Number(attributes['EventNotifier'] ?? 0);
        return node;
      }
      case 'UAView': {
        const node = new ViewNode(...args);
        node.eventNotifier = Number(attributes['EventNotifier'] ?? 0);
        node.containsNoLoops = attributes['ContainsNoLoops'] === 'true';
        return node;
      }
      case 'UAMethod': {
        const node = new MethodNode(...args);
        node.executable = attributes['Executable'] !== 'false';
        return node;
      }
      case 'UAReferenceType': {
        const node = new ReferenceTypeNode(...args);
        node.isSymmetric = attributes['Symmetric'] === 'true';
        if (parsed.inverseName !== undefined) node.inverseName = parsed.inverseName;
        return abstractable(node, parsed);
      }
      case 'UADataType':
        return abstractable(new DataTypeNode(...args), parsed);
      default:
        return abstractable(new ObjectTypeNode(...args), parsed);
    }
  }

  #makeVariable(parsed: ParsedNode, args: NodeArguments): VariableNode {
    const { attributes } = parsed;
    const accessLevel = Number(attributes['AccessLevel'] ?? 1);
    const node = new VariableNode(...args, this.#dataType(parsed), Number(attributes['ValueRank'] ?? -1), accessLevel, NO_VALUE);
    const dimensions = parseDimensions(attributes['ArrayDimensions']);
    if (dimensions !== undefined) node.editDetails().arrayDimensions = dimensions;
    const sampling = Number(attributes['MinimumSamplingInterval'] ?? 0);
    if (sampling !== 0) node.editDetails().minimumSamplingInterval = sampling;
    if (attributes['Historizing'] === 'true') node.editDetails().historizing = true;
    return node;
  }

  #dataType(parsed: ParsedNode): NodeId {
    return parsed.dataType ?? BASE_DATA_TYPE;
  }

  #connect(node: Node, parsed: ParsedNode): void {
    for (const { type, target, isForward } of parsed.references) {
      const referenceType = this.#space.getNode(type);
      const other = this.#space.getNode(target);
      if (other === undefined || !(referenceType instanceof ReferenceTypeNode)) {
        this.#missing.push({ source: parsed.nodeId, referenceType: type, target });
      } else if (isForward) this.#space.connect(node, referenceType, other);
      else this.#space.connect(other, referenceType, node);
    }
  }

  /** ParentNodeId is a hint; it counts only for nodes that nothing refers to. */
  #connectParent(node: Node, { parentNodeId }: ParsedNode): void {
    const parent = parentNodeId === undefined ? undefined : this.#space.getNode(parentNodeId);
    if (parent === undefined) return;
    for (const { isForward, type } of node.references()) {
      if (!isForward && type.isHierarchical) return;
    }
    const definition = this.#space.types.typeDefinitionOf(node);
    const isProperty = definition?.identifier === WellKnown.PropertyType && definition.namespace.index === 0;
    const type = this.#space.types.coreReferenceType(isProperty ? WellKnown.HasProperty : WellKnown.HasComponent);
    if (type !== undefined) this.#space.connect(parent, type, node);
  }

  #addDefinitions(parsed: readonly ParsedNode[], made: readonly Node[]): void {
    const definitions = new Map<DataTypeNode, ParsedDefinition>();
    for (const [i, { definition }] of parsed.entries()) {
      const node = made[i];
      if (definition !== undefined && node instanceof DataTypeNode) definitions.set(node, definition);
    }
    new DataTypeDefinitions(this.#space.types, definitions).buildAll();
  }

  #addValues(parsed: readonly ParsedNode[], made: readonly Node[]): void {
    const values = new XmlValues(this.#document.ids, this.#space.structures);
    for (const [i, { value }] of parsed.entries()) {
      const node = made[i];
      if (value === undefined) continue;
      try {
        const variant = values.variant(value);
        if (node instanceof VariableTypeNode) node.default = variant;
        else if (node instanceof VariableNode) node.setValue(new DataValue(variant));
      } catch (error) {
        this.#problems.push(`value of ${node?.toString()}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

const BASE_DATA_TYPE: NodeId = NodeId.numeric(0, WellKnown.BaseDataType);

type NodeArguments = readonly [namespace: Node['namespace'], identifier: Node['identifier'], name: string, nameIndex: number];

function decorate(node: Node, parsed: ParsedNode): void {
  const { displayName, description, writeMask, rolePermissions, accessRestrictions, symbolicName } = parsed;
  if (displayName !== undefined && (displayName.text !== node.name || displayName.locale !== null)) node.displayName = displayName;
  if (description !== undefined) node.description = description;
  if (writeMask !== 0) node.editExtras().writeMask = writeMask;
  if (rolePermissions !== undefined) node.editExtras().rolePermissions = rolePermissions;
  if (accessRestrictions !== undefined) node.editExtras().accessRestrictions = accessRestrictions;
  if (symbolicName !== undefined) node.editExtras().symbolicName = symbolicName;
}

function abstractable<T extends ObjectTypeNode | VariableTypeNode | ReferenceTypeNode | DataTypeNode>(node: T, parsed: ParsedNode): T {
  node.isAbstract = parsed.attributes['IsAbstract'] === 'true';
  return node;
}

/** Models are compared by date: versions have no agreed order. */
function isOlder(loaded: LoadedModel, required: NodeSetModel): boolean {
  return (
    loaded.publicationDate !== undefined &&
    required.publicationDate !== undefined &&
    Date.parse(loaded.publicationDate) < Date.parse(required.publicationDate)
  );
}
