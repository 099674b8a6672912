import type { MonitoredSource, MonitoredTarget, Runtime, SessionContext } from '@bulkhead/contracts';
import {
  type BrowseDescription,
  type BrowsePath,
  type BrowsePathResult,
  type CallMethodRequest,
  type CallMethodResult,
  type DataValue,
  type NodeId,
  NodeId as NodeIds,
  ObjectIds,
  type ReadValueId,
  type StatusCode,
  StatusCodes,
  type TimestampsToReturn,
  type ViewDescription,
  type WriteValue,
} from '@bulkhead/types';
import { AccessControl } from './access-control.ts';
import { AttributeReader, type OperationCaller } from './attribute-reader.ts';
import { AttributeWriter } from './attribute-writer.ts';
import { BrowsePaths } from './browse-paths.ts';
import { type BrowseCursor, type BrowsePage, Browser } from './browser.ts';
import { CallbackErrors } from './callback-errors.ts';
import { unpackCoreNamespace } from './core-namespace/reader.ts';
import { readCoreNamespaceFile } from './core-namespace-file.ts';
import { DataItems } from './data-items.ts';
import type { MethodNode, ObjectNode, ViewNode } from './instance-nodes.ts';
import { MethodCalls } from './method-calls.ts';
import { MonitoredTargets } from './monitored-targets.ts';
import { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import { NodeBuilder } from './node-builder.ts';
import { NodeGraph } from './node-graph.ts';
import type { NodeHost } from './node-host.ts';
import { NodeNames } from './node-names.ts';
import type {
  AnalogItemOptions,
  EnumerationTypeOptions,
  FolderOptions,
  MethodOptions,
  MultiStateOptions,
  MultiStateValueOptions,
  NodeReferenceOption,
  ObjectOptions,
  PropertyOptions,
  ReferenceTypeOptions,
  StructureTypeOptions,
  TwoStateOptions,
  TypeOptions,
  VariableOptions,
  VariableTypeOptions,
  ViewOptions,
} from './node-options.ts';
import { loadNodeSet, type NodeSetResult } from './nodeset/nodeset-loader.ts';
import { PlainValues } from './plain-values.ts';
import { StructureTypes } from './structure-types.ts';
import { TurnClock } from './turn-clock.ts';
import { TypeBuilder } from './type-builder.ts';
import type { DataTypeNode, ObjectTypeNode, ReferenceTypeNode, VariableTypeNode } from './type-nodes.ts';
import { TypeTree } from './type-tree.ts';
import { ValueBounds } from './value-bounds.ts';
import { ValueChecker } from './value-checker.ts';
import { ValueConverter } from './value-converter.ts';
import { ValueSources } from './value-sources.ts';
import type { SetValueOptions, VariableNode } from './variable-node.ts';
import { WriteCallbacks } from './write-callbacks.ts';

export interface AddressSpaceOptions {
  /** Where time, timers and the log come from. */
  readonly runtime: Pick<Runtime, 'clock' | 'timers'> & Partial<Pick<Runtime, 'log'>>;
  /** Becomes the URI of namespace 1. */
  readonly applicationUri: string;
  /** Milliseconds after which a read or write callback counts as BadTimeout. Default: 10,000. */
  readonly sourceTimeoutMs?: number;
  /** RolePermissions and AccessRestrictions count. Default: true. */
  readonly enforcePermissions?: boolean;
}

/**
 * All nodes of a server, and what services do with them. Operations for clients take the Session and never throw: what is
 * wrong is in the StatusCode. Everything for the server's own code throws UaStatusError. OPC 10000-3.
 */
export class AddressSpace implements NodeHost {
  readonly namespaces: NamespaceTable;
  readonly types: TypeTree;
  /** How values of structured DataTypes are encoded. */
  readonly structures: StructureTypes;
  /** Opens what MonitoredItems watch. */
  readonly monitoredSource: MonitoredSource;
  readonly #clock: TurnClock;
  readonly #graph: NodeGraph;
  readonly #names: NodeNames;
  readonly #builder: NodeBuilder;
  readonly #dataItems: DataItems;
  readonly #typeBuilder: TypeBuilder;
  readonly #sources: ValueSources;
  readonly #reader: AttributeReader;
  readonly #writer: AttributeWriter;
  readonly #browser: Browser;
  readonly #browsePaths: BrowsePaths;
  readonly #methodCalls: MethodCalls;

  constructor(options: AddressSpaceOptions) {
    const { runtime, applicationUri, sourceTimeoutMs = DEFAULT_SOURCE_TIMEOUT_MS, enforcePermissions = true } = options;
    const clock = new TurnClock(runtime.clock);
    const errors = new CallbackErrors(runtime.log);
    const namespaces = new NamespaceTable(applicationUri, this);
    const access = new AccessControl(enforcePermissions);
    const types = new TypeTree(namespaces);
    const structures = new StructureTypes(types);
    const checker = new ValueChecker(types);
    const converter = new ValueConverter(types, structures);
    const plainValues = new PlainValues(structures);
    const sources = new ValueSources(clock, runtime.timers, sourceTimeoutMs, converter, checker, errors);
    const reader = new AttributeReader(namespaces, access, sources, clock);
    const graph = new NodeGraph(namespaces);
    const names = new NodeNames(namespaces);
    const stored = (node: VariableNode): DataValue => this.decodeValue(node);
    const bounds = new ValueBounds(types, structures, (node) => stored(node).value);
    const store = (node: VariableNode, value: DataValue): void => this.#store(node, value);
    this.namespaces = namespaces;
    this.types = types;
    this.structures = structures;
    this.#clock = clock;
    this.#graph = graph;
    this.#names = names;
    this.#sources = sources;
    this.#reader = reader;
    const callbacks = new WriteCallbacks({ timers: runtime.timers, timeoutMs: sourceTimeoutMs, errors, plainValues, store });
    this.#writer = new AttributeWriter({ namespaces, access, checker, bounds, clock, callbacks, store, stored });
    this.#browser = new Browser(namespaces, types, access);
    this.#browsePaths = new BrowsePaths(namespaces, types, access);
    this.#methodCalls = new MethodCalls({ namespaces, types, access, checker, converter, plainValues, errors, stored });
    this.monitoredSource = new MonitoredTargets({ namespaces, types, access, reader });
    this.#builder = new NodeBuilder({ namespaces, names, types, sources, graph });
    this.#dataItems = new DataItems(this.#builder);
    this.#typeBuilder = new TypeBuilder({ builder: this.#builder, graph, names, types });
  }

  /** Number of nodes in all namespaces. */
  get nodeCount(): number {
    return this.namespaces.all.reduce((sum, namespace) => sum + namespace.nodeCount, 0);
  }

  getNode(nodeId: NodeId): Node | undefined {
    return this.namespaces.find(nodeId);
  }

  /** The Objects folder, the usual parent. @throws UaStatusError BadNodeIdUnknown before namespace 0 is loaded. */
  get objectsFolder(): ObjectNode {
    return this.#names.node(NodeIds.numeric(0, ObjectIds.ObjectsFolder)) as ObjectNode;
  }

  // For services.

  /** Read of one attribute. @param caller asked for its signal only when a source doesn't answer at once. */
  readAttribute(
    session: SessionContext | undefined,
    item: ReadValueId,
    timestamps: TimestampsToReturn,
    maxAgeMs: number,
    caller?: OperationCaller,
  ): DataValue | Promise<DataValue> {
    return this.#reader.read(session, item, timestamps, maxAgeMs, caller);
  }

  /**
   * Lets all operations until `releaseTime` happen at the same instant. Only around synchronous work: it spares asking the
   * clock for each of many operations.
   */
  holdTime(): void {
    this.#clock.hold();
  }

  releaseTime(): void {
    this.#clock.release();
  }

  /** Write of one attribute. */
  writeAttribute(session: SessionContext | undefined, item: WriteValue, caller?: OperationCaller): StatusCode | Promise<StatusCode> {
    return this.#writer.write(session, item, caller);
  }

  /** Good, BadViewIdUnknown. */
  checkView(view: ViewDescription): StatusCode {
    return this.#browser.checkView(view);
  }

  /** At most `max` (>= 1) references of a node, from a cursor on. */
  browse(session: SessionContext | undefined, description: BrowseDescription, from: BrowseCursor | undefined, max: number): BrowsePage {
    return this.#browser.browse(session, description, from, max);
  }

  translateBrowsePath(session: SessionContext | undefined, path: BrowsePath): BrowsePathResult {
    return this.#browsePaths.translate(session, path);
  }

  /** The method that a call means; undefined when it doesn't belong to the object. */
  findMethod(objectId: NodeId, methodId: NodeId): MethodNode | undefined {
    const object = this.getNode(objectId);
    return object === undefined ? undefined : this.#methodCalls.find(object, methodId);
  }

  callMethod(
    session: SessionContext | undefined,
    request: CallMethodRequest,
    caller?: OperationCaller,
  ): CallMethodResult | Promise<CallMethodResult> {
    return this.#methodCalls.call(session, request, caller);
  }

  /** A target for a MonitoredItem, or why there is none. */
  openMonitoredTarget(item: ReadValueId, session: SessionContext): MonitoredTarget | StatusCode {
    return this.monitoredSource.open(item, session);
  }

  // For the server's own code.

  /** Adds an Object to the Objects folder, or to a parent. @throws UaStatusError BadNodeIdExists, BadNodeIdUnknown … */
  addObject(options: ObjectOptions): ObjectNode;
  addObject(parent: Node, options: ObjectOptions): ObjectNode;
  addObject(...args: [ObjectOptions] | [Node, ObjectOptions]): ObjectNode {
    return this.#builder.object(...this.#withParent(args));
  }

  /** Adds a Folder to the Objects folder, or to a parent. @throws UaStatusError */
  addFolder(options: FolderOptions): ObjectNode;
  addFolder(parent: Node, options: FolderOptions): ObjectNode;
  addFolder(...args: [FolderOptions] | [Node, FolderOptions]): ObjectNode {
    return this.#builder.folder(...this.#withParent(args));
  }

  /** Adds a Variable to the Objects folder, or to a parent. @throws UaStatusError BadTypeMismatch … */
  addVariable(options: VariableOptions): VariableNode;
  addVariable(parent: Node, options: VariableOptions): VariableNode;
  addVariable(...args: [VariableOptions] | [Node, VariableOptions]): VariableNode {
    return this.#builder.variable(...this.#withParent(args));
  }

  /** Adds a Method to the Objects folder, or to a parent. @throws UaStatusError */
  addMethod(options: MethodOptions): MethodNode;
  addMethod(parent: Node, options: MethodOptions): MethodNode;
  addMethod(...args: [MethodOptions] | [Node, MethodOptions]): MethodNode {
    return this.#builder.method(...this.#withParent(args));
  }

  /** Adds a Property to a node. @throws UaStatusError */
  addProperty(parent: Node, options: PropertyOptions): VariableNode {
    return this.#builder.property(parent, options);
  }

  /** Adds a View to the Views folder. @throws UaStatusError */
  addView(options: ViewOptions): ViewNode {
    return this.#builder.view(this.#names.node(NodeIds.numeric(0, ObjectIds.ViewsFolder)), options);
  }

  /** Adds an AnalogItemType variable with EURange and units. @throws UaStatusError */
  addAnalogItem(parent: Node, options: AnalogItemOptions): VariableNode {
    return this.#dataItems.analogItem(parent, options);
  }

  /** Adds a TwoStateDiscreteType variable: a Boolean whose states have names. @throws UaStatusError */
  addTwoStateDiscrete(parent: Node, options: TwoStateOptions): VariableNode {
    return this.#dataItems.twoState(parent, options);
  }

  /** Adds a MultiStateDiscreteType variable: names for 0, 1, 2 … @throws UaStatusError */
  addMultiStateDiscrete(parent: Node, options: MultiStateOptions): VariableNode {
    return this.#dataItems.multiState(parent, options);
  }

  /** Adds a MultiStateValueDiscreteType variable: names for chosen values. @throws UaStatusError */
  addMultiStateValueDiscrete(parent: Node, options: MultiStateValueOptions): VariableNode {
    return this.#dataItems.multiStateValue(parent, options);
  }

  /** Adds an ObjectType below BaseObjectType or `superType`; members are added to the node. @throws UaStatusError */
  addObjectType(options: TypeOptions): ObjectTypeNode {
    return this.#typeBuilder.objectType(options);
  }

  /** @throws UaStatusError */
  addVariableType(options: VariableTypeOptions): VariableTypeNode {
    return this.#typeBuilder.variableType(options);
  }

  /** Adds a ReferenceType below NonHierarchicalReferences or `superType`. @throws UaStatusError */
  addReferenceType(options: ReferenceTypeOptions): ReferenceTypeNode {
    return this.#typeBuilder.referenceType(options);
  }

  /** Adds a DataType without a definition, such as a subtype of Double. @throws UaStatusError */
  addDataType(options: TypeOptions): DataTypeNode {
    return this.#typeBuilder.dataType(options);
  }

  /**
   * Adds a structured DataType with its definition and encoding. Its values are plain objects by field name.
   * @throws UaStatusError
   */
  addStructureType(options: StructureTypeOptions): DataTypeNode {
    return this.#typeBuilder.structureType(options);
  }

  /** Adds an enumeration with its definition. Its values are numbers. @throws UaStatusError */
  addEnumerationType(options: EnumerationTypeOptions): DataTypeNode {
    return this.#typeBuilder.enumerationType(options);
  }

  /** Connects two nodes. @returns false when the reference exists already. @throws UaStatusError BadReferenceTypeIdInvalid … */
  addReference(source: NodeReferenceOption, referenceType: NodeReferenceOption, target: NodeReferenceOption): boolean {
    return this.#graph.connect(this.#names.node(source), this.#names.referenceType(referenceType), this.#names.node(target));
  }

  /** @returns false when there is no such reference. @throws UaStatusError */
  deleteReference(source: NodeReferenceOption, referenceType: NodeReferenceOption, target: NodeReferenceOption): boolean {
    return this.#graph.disconnect(this.#names.node(source), this.#names.referenceType(referenceType), this.#names.node(target));
  }

  /**
   * Removes a node with the components and properties that have no other parent. Who watches their values gets
   * BadNodeIdUnknown. @throws UaStatusError BadNodeIdUnknown, BadNoDeleteRights for nodes of namespace 0.
   */
  deleteNode(node: NodeReferenceOption): void {
    this.#graph.delete(this.#names.node(node));
  }

  /**
   * Removes an instance of namespace 0 like `deleteNode`: a part of the standard model that the server doesn't support.
   * @throws UaStatusError BadNodeIdUnknown, BadNoDeleteRights for types.
   */
  deleteStandardNode(node: NodeReferenceOption): void {
    this.#graph.deleteStandard(this.#names.node(node));
  }

  /**
   * Loads the standard namespace 0 from its precompiled form; synchronous and quick.
   * @throws UaStatusError BadNodeIdExists when it is there already. @throws Error ENOENT when the package was not built.
   */
  loadCoreNamespace(): void {
    unpackCoreNamespace(this.namespaces.core, readCoreNamespaceFile());
  }

  /**
   * Loads a NodeSet2 XML document, such as that of a companion specification.
   * @throws UaStatusError BadDecodingError (malformed), BadConfigurationError (a required model is missing), BadNodeIdExists.
   */
  loadNodeSet(xml: string | Iterable<string> | AsyncIterable<string>): Promise<NodeSetResult> {
    return loadNodeSet(this, xml);
  }

  /** Registers a made node without references: for loaders. @throws UaStatusError BadNodeIdExists */
  register(node: Node): void {
    this.#graph.register(node);
  }

  /** Connects two nodes: for loaders. @returns false when the reference exists already. */
  connect(source: Node, type: ReferenceTypeNode, target: Node): boolean {
    return this.#graph.connect(source, type, target);
  }

  setValue(variable: VariableNode, value: unknown, options: SetValueOptions | undefined): void {
    const { statusCode = StatusCodes.Good, sourceTimestamp } = options ?? {};
    this.#store(variable, this.#sources.complete(value, variable, variable.arrayDimensions, statusCode, sourceTimestamp));
  }

  decodeValue(variable: VariableNode): DataValue {
    return variable.details?.encoded === undefined ? variable.current : this.#reader.decode(variable, variable.details);
  }

  #store(variable: VariableNode, value: DataValue): void {
    variable.current = value;
    const details = variable.details;
    if (details === undefined) return;
    details.encoded = undefined;
    details.observers?.tell(value);
  }

  #withParent<Options>(args: [Options] | [Node, Options]): [Node, Options] {
    return args.length === 2 ? args : [this.objectsFolder, args[0]];
  }
}

const DEFAULT_SOURCE_TIMEOUT_MS = 10_000;
