import {
  Argument,
  BuiltInType,
  DataValue,
  ExtensionObject,
  IdentifierType,
  LocalizedText,
  NodeClass,
  NodeId,
  QualifiedName,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { compactText } from './compact-text.ts';
import { MethodNode, ObjectNode, ViewNode } from './instance-nodes.ts';
import type { Namespace } from './namespace.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node, NodeIdentifier } from './node.ts';
import type { NodeGraph } from './node-graph.ts';
import type { NodeNames } from './node-names.ts';
import type {
  ArgumentOptions,
  FolderOptions,
  InstanceOptions,
  MethodOptions,
  NodeOptions,
  ObjectOptions,
  PropertyOptions,
  VariableOptions,
  ViewOptions,
} from './node-options.ts';
import type { TypeNode } from './type-nodes.ts';
import { type TypeTree, WellKnown } from './type-tree.ts';
import type { ValueSources } from './value-sources.ts';
import { NO_VALUE, VariableNode } from './variable-node.ts';

/** What a node needs before it is made. */
export interface NodeIdentity {
  readonly namespace: Namespace;
  readonly identifier: NodeIdentifier;
  readonly name: string;
  readonly nameIndex: number;
}

/** What the builder needs of the rest of the address space. */
export interface NodeBuilderParts {
  readonly namespaces: NamespaceTable;
  readonly names: NodeNames;
  readonly types: TypeTree;
  readonly sources: ValueSources;
  readonly graph: NodeGraph;
}

const CURRENT_READ = 0x01;
const CURRENT_READ_WRITE = 0x03;
/** Fastest sampling of callbacks, where the variable doesn't say. */
const DEFAULT_SOURCE_SAMPLING_MS = 50;
const ARGUMENT_DATA_TYPE = 296;

/** Makes instances from the options that users give. */
export class NodeBuilder {
  readonly #parts: NodeBuilderParts;

  constructor(parts: NodeBuilderParts) {
    this.#parts = parts;
  }

  object(parent: Node, options: ObjectOptions): ObjectNode {
    const type = this.#typeDefinition(options.typeDefinition ?? NodeId.numeric(0, WellKnown.BaseObjectType), NodeClass.ObjectType);
    const { namespace, identifier, name, nameIndex } = this.identify(options, parent);
    const node = new ObjectNode(namespace, identifier, name, nameIndex);
    if (options.eventNotifier !== undefined) node.eventNotifier = options.eventNotifier;
    this.#place(node, type, parent, options);
    return node;
  }

  folder(parent: Node, options: FolderOptions): ObjectNode {
    return this.object(parent, {
      referenceType: NodeId.numeric(0, WellKnown.Organizes),
      ...options,
      typeDefinition: NodeId.numeric(0, WellKnown.FolderType),
    });
  }

  view(parent: Node, options: ViewOptions): ViewNode {
    const { namespace, identifier, name, nameIndex } = this.identify(options, parent);
    const node = new ViewNode(namespace, identifier, name, nameIndex);
    node.containsNoLoops = options.containsNoLoops ?? false;
    node.eventNotifier = options.eventNotifier ?? 0;
    this.#place(node, undefined, parent, { referenceType: NodeId.numeric(0, WellKnown.Organizes), ...options });
    return node;
  }

  variable(parent: Node, options: VariableOptions): VariableNode {
    const type = this.#typeDefinition(options.typeDefinition ?? NodeId.numeric(0, WellKnown.BaseDataVariableType), NodeClass.VariableType);
    const node = this.#makeVariable(parent, options);
    this.#place(node, type, parent, options);
    return node;
  }

  property(parent: Node, options: PropertyOptions): VariableNode {
    return this.variable(parent, {
      ...options,
      typeDefinition: NodeId.numeric(0, WellKnown.PropertyType),
      referenceType: NodeId.numeric(0, WellKnown.HasProperty),
    });
  }

  method(parent: Node, options: MethodOptions): MethodNode {
    const { namespace, identifier, name, nameIndex } = this.identify(options, parent);
    const node = new MethodNode(namespace, identifier, name, nameIndex, options.call);
    if (options.executable !== undefined) node.executable = options.executable;
    // Methods are components wherever they are, folders included. OPC 10000-3 §7.7.
    this.#place(node, undefined, parent, { referenceType: NodeId.numeric(0, WellKnown.HasComponent), ...options });
    if (options.inputArguments !== undefined && options.inputArguments.length > 0) {
      this.#argumentsProperty(node, 'InputArguments', options.inputArguments);
    }
    if (options.outputArguments !== undefined && options.outputArguments.length > 0) {
      this.#argumentsProperty(node, 'OutputArguments', options.outputArguments);
    }
    return node;
  }

  /** The id and name that options ask for. @throws UaStatusError BadNodeIdInvalid, BadBrowseNameInvalid */
  identify(options: NodeOptions, parent: Node | undefined): NodeIdentity {
    const { namespaces } = this.#parts;
    const inherited = parent === undefined || parent.namespace.index === 0 ? namespaces.own : parent.namespace;
    const preferred = options.namespace ?? inherited;
    const { namespace, identifier } = this.#identifier(options.nodeId, preferred);
    const { browseName } = options;
    const name = typeof browseName === 'string' ? browseName : (browseName.name ?? '');
    const nameIndex = typeof browseName === 'string' ? preferred.index : browseName.namespaceIndex;
    if (name === '' || name.length > MAX_NAME_LENGTH)
      throw new UaStatusError(StatusCodes.BadBrowseNameInvalid, 'a BrowseName has 1 to 512 characters');
    return { namespace, identifier: compactIdentifier(identifier), name: compactText(name), nameIndex };
  }

  /** Sets what all classes have. */
  decorate(node: Node, options: NodeOptions): void {
    const { displayName, description, writeMask, rolePermissions, accessRestrictions } = options;
    if (displayName !== undefined) node.displayName = toLocalizedText(displayName);
    if (description !== undefined) node.description = toLocalizedText(description);
    if (writeMask !== undefined) node.editExtras().writeMask = writeMask;
    if (rolePermissions !== undefined) node.editExtras().rolePermissions = rolePermissions;
    if (accessRestrictions !== undefined) node.editExtras().accessRestrictions = accessRestrictions;
  }

  #identifier(nodeId: NodeOptions['nodeId'], preferred: Namespace): { namespace: Namespace; identifier: NodeIdentifier } {
    if (nodeId === undefined) return { namespace: preferred, identifier: preferred.nextIdentifier() };
    if (typeof nodeId === 'number') return { namespace: preferred, identifier: nodeId };
    const id = typeof nodeId === 'string' ? NodeId.parse(nodeId.startsWith('ns=') ? nodeId : `ns=${preferred.index};${nodeId}`) : nodeId;
    const namespace = this.#parts.namespaces.at(id.namespaceIndex);
    if (namespace === undefined || id.isNull) throw new UaStatusError(StatusCodes.BadNodeIdInvalid, `no namespace for ${id.toString()}`);
    return { namespace, identifier: identifierOf(id) };
  }

  #makeVariable(parent: Node, options: VariableOptions): VariableNode {
    const { names, sources } = this.#parts;
    const dataType = names.dataType(options.dataType);
    const { namespace, identifier, name, nameIndex } = this.identify(options, parent);
    const accessLevel = options.accessLevel ?? ((options.writable ?? options.write !== undefined) ? CURRENT_READ_WRITE : CURRENT_READ);
    const node = new VariableNode(namespace, identifier, name, nameIndex, dataType.nodeId, options.valueRank ?? -1, accessLevel, NO_VALUE);
    const { arrayDimensions, value } = options;
    if (value !== undefined) {
      // Any rank will do until the value has told which it is.
      if (options.valueRank === undefined) node.valueRank = -2;
      node.current = sources.complete(value, node, arrayDimensions, StatusCodes.Good, undefined);
      if (options.valueRank === undefined) node.valueRank = rankOf(node.current.value, arrayDimensions);
    } else if (options.valueRank === undefined && arrayDimensions !== undefined) {
      node.valueRank = arrayDimensions.length;
    }
    this.#addDetails(node, options);
    return node;
  }

  #addDetails(node: VariableNode, options: VariableOptions): void {
    const { arrayDimensions, read, write, minimumSamplingInterval, historizing } = options;
    if (arrayDimensions !== undefined) node.editDetails().arrayDimensions = arrayDimensions;
    if (write !== undefined) node.editDetails().write = write;
    if (historizing !== undefined) node.editDetails().historizing = historizing;
    if (read !== undefined) {
      node.editDetails().read = read;
      node.editDetails().minimumSamplingInterval = DEFAULT_SOURCE_SAMPLING_MS;
    }
    if (minimumSamplingInterval !== undefined) node.editDetails().minimumSamplingInterval = minimumSamplingInterval;
  }

  #argumentsProperty(method: MethodNode, name: string, list: readonly ArgumentOptions[]): void {
    const values = list.map((argument) =>
      ExtensionObject.of(Argument, {
        name: argument.name,
        dataType: this.#parts.names.dataType(argument.dataType).nodeId,
        valueRank: argument.valueRank ?? -1,
        arrayDimensions: argument.arrayDimensions ?? null,
        description: argument.description === undefined ? LocalizedText.NULL : toLocalizedText(argument.description),
      }),
    );
    this.property(method, {
      browseName: new QualifiedName(0, name),
      dataType: NodeId.numeric(0, ARGUMENT_DATA_TYPE),
      value: new DataValue(Variant.array(BuiltInType.ExtensionObject, values)),
      valueRank: 1,
      arrayDimensions: [values.length],
    });
  }

  #typeDefinition(option: NonNullable<ObjectOptions['typeDefinition']>, nodeClass: 8 | 16): TypeNode {
    return this.#parts.names.typeDefinition(option, nodeClass);
  }

  #place(node: Node, type: TypeNode | undefined, parent: Node, options: InstanceOptions): void {
    const { graph, names } = this.#parts;
    const referenceType = names.referenceType(options.referenceType ?? NodeId.numeric(0, this.#defaultReference(parent)));
    this.decorate(node, options);
    graph.register(node);
    if (type !== undefined) graph.connect(node, names.referenceType(HAS_TYPE_DEFINITION), type);
    graph.connect(parent, referenceType, node);
  }

  #defaultReference(parent: Node): number {
    const type = this.#parts.types.typeDefinitionOf(parent);
    return type?.namespace.index === 0 && type.identifier === WellKnown.FolderType ? WellKnown.Organizes : WellKnown.HasComponent;
  }
}

const MAX_NAME_LENGTH = 512;
const HAS_TYPE_DEFINITION: NodeId = NodeId.numeric(0, WellKnown.HasTypeDefinition);

/** The compact form that nodes keep. */
export function identifierOf(id: NodeId): NodeIdentifier {
  switch (id.identifierType) {
    case IdentifierType.Numeric:
    case IdentifierType.String:
      return id.identifier as number | string;
    default:
      return id;
  }
}

/** An identifier in memory of its own. */
export function compactIdentifier(identifier: NodeIdentifier): NodeIdentifier {
  return typeof identifier === 'string' ? compactText(identifier) : identifier;
}

export function toLocalizedText(text: string | LocalizedText): LocalizedText {
  return typeof text === 'string' ? new LocalizedText(text) : text;
}

function rankOf(value: Variant | undefined, arrayDimensions: readonly number[] | undefined): number {
  if (arrayDimensions !== undefined && arrayDimensions.length > 0) return arrayDimensions.length;
  if (value === undefined || !value.isArray) return -1;
  return value.dimensions?.length ?? 1;
}
