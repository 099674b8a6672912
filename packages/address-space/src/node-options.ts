import type { ParkSink, SessionContext } from '@bulkhead/contracts';
import type { DataValue, LocalizedText, NodeId, QualifiedName, RolePermissionType, StatusCode, Variant } from '@bulkhead/types';
import type { MethodNode } from './instance-nodes.ts';
import type { Namespace } from './namespace.ts';
import type { Node } from './node.ts';
import type { VariableNode } from './variable-node.ts';

/** A node, its NodeId, or its BrowseName in namespace 0 (`'Double'`, `'AnalogItemType'`). */
export type NodeReferenceOption = Node | NodeId | string;

/** What every node has. */
export interface NodeOptions {
  /** A text is a name in the new node's namespace. */
  readonly browseName: string | QualifiedName;
  /**
   * A NodeId, a number, or a text such as `s=Boiler.Temperature`; without `ns=` it is in the new node's namespace.
   * Left out: the next free number.
   */
  readonly nodeId?: NodeId | number | string;
  /** Namespace of a new id and of a BrowseName given as text. Default: the parent's, or the server's own below standard nodes. */
  readonly namespace?: Namespace;
  /** Default: the BrowseName's text. */
  readonly displayName?: string | LocalizedText;
  readonly description?: string | LocalizedText;
  /** Attributes that clients may write, bits of AttributeWriteMask. Default: none. */
  readonly writeMask?: number;
  /** Who may do what; default: everyone may do everything. OPC 10000-3 §5.2.9. */
  readonly rolePermissions?: readonly RolePermissionType[];
  /** Bits of AccessRestrictionType. OPC 10000-3 §5.2.11. */
  readonly accessRestrictions?: number;
}

export interface InstanceOptions extends NodeOptions {
  /** How the parent refers to the node. Default: Organizes below a folder, else HasComponent. */
  readonly referenceType?: NodeReferenceOption;
}

export interface ObjectOptions extends InstanceOptions {
  /** Default: BaseObjectType. Nothing is made of the type's members. */
  readonly typeDefinition?: NodeReferenceOption;
  /** Bits of EventNotifierType. */
  readonly eventNotifier?: number;
}

export type FolderOptions = Omit<ObjectOptions, 'typeDefinition'>;

export interface ViewOptions extends InstanceOptions {
  readonly containsNoLoops?: boolean;
  readonly eventNotifier?: number;
}

/** What a read callback gets. */
export interface ReadContext {
  readonly variable: VariableNode;
  /** Aborted when the deadline passed or nobody waits for the value any more. */
  readonly signal: AbortSignal;
}

/** What a write callback gets beside the value. */
export interface WriteContext {
  readonly variable: VariableNode;
  readonly session: SessionContext | undefined;
  /** What the client sent, an index range already applied. */
  readonly dataValue: DataValue;
  readonly signal: AbortSignal;
}

/**
 * A variable's source. Returns a plain value of the variable's DataType, a Variant, or a DataValue with status and timestamp.
 * A UaStatusError becomes the value's StatusCode, any other error BadInternalError.
 */
export type ReadCallback = (context: ReadContext) => unknown;

/** Takes a written value; may return a StatusCode. A UaStatusError becomes the StatusCode, any other error BadInternalError. */
// biome-ignore lint/suspicious/noConfusingVoidType: callbacks that return nothing are the usual case
export type WriteCallback = (value: unknown, context: WriteContext) => StatusCode | void | Promise<StatusCode | void>;

export interface VariableOptions extends InstanceOptions {
  /** Default: BaseDataVariableType. */
  readonly typeDefinition?: NodeReferenceOption;
  readonly dataType: NodeReferenceOption;
  /** A plain value of the DataType, a Variant or a DataValue. Arrays may be typed arrays; nested arrays are matrices. */
  readonly value?: unknown;
  /** Default: as the value has it, else -1 (scalar). OPC 10000-3 §5.6.2. */
  readonly valueRank?: number;
  readonly arrayDimensions?: readonly number[];
  /** Clients may write it. Default: when there is a `write` callback. */
  readonly writable?: boolean;
  /** Bits of AccessLevelExType; overrides `writable`. */
  readonly accessLevel?: number;
  readonly read?: ReadCallback;
  readonly write?: WriteCallback;
  /** Milliseconds; fastest sampling that makes sense. Default: 0 for stored values (every change is reported), else 50. */
  readonly minimumSamplingInterval?: number;
  readonly historizing?: boolean;
}

export type PropertyOptions = Omit<VariableOptions, 'typeDefinition' | 'referenceType'>;

/** One argument of a method. */
export interface ArgumentOptions {
  readonly name: string;
  readonly dataType: NodeReferenceOption;
  /** Default: -1 (scalar). */
  readonly valueRank?: number;
  readonly arrayDimensions?: readonly number[];
  readonly description?: string | LocalizedText;
}

/** What a method callback gets beside its arguments. */
export interface MethodContext {
  readonly session: SessionContext | undefined;
  /** The Object (or ObjectType) that the method was called on. */
  readonly object: Node;
  readonly method: MethodNode;
  /** The arguments as sent. */
  readonly inputArguments: readonly Variant[];
  readonly signal: AbortSignal;
  /** Where to say that the call waits; only when the server's `RequestParkingPolicy` selects it. */
  readonly parkSink?: ParkSink | undefined;
}

/** A method's outputs in order, as plain values or Variants. */
export type MethodOutputs = readonly unknown[];

/** Runs a method: plain argument values in, output values out. A UaStatusError becomes the call's StatusCode. */
export type MethodCallback = (
  inputs: readonly unknown[],
  context: MethodContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a method without outputs returns nothing
) => MethodOutputs | void | Promise<MethodOutputs | void>;

export interface MethodOptions extends InstanceOptions {
  readonly inputArguments?: readonly ArgumentOptions[];
  readonly outputArguments?: readonly ArgumentOptions[];
  /** Default: true. */
  readonly executable?: boolean;
  readonly call?: MethodCallback;
}

/** One field of a structure. */
export interface FieldOptions {
  readonly name: string;
  readonly dataType: NodeReferenceOption;
  /** Default: -1 (scalar). */
  readonly valueRank?: number;
  readonly arrayDimensions?: readonly number[];
  /** May be left out of a value. Default: false. */
  readonly optional?: boolean;
  readonly description?: string | LocalizedText;
  /** Bytes or characters; 0 when unlimited. */
  readonly maxStringLength?: number;
}

export interface TypeOptions extends Omit<NodeOptions, 'browseName'> {
  /** The BrowseName's text. */
  readonly name: string;
  /** Default: the base type of the class. */
  readonly superType?: NodeReferenceOption;
  readonly isAbstract?: boolean;
}

export interface StructureTypeOptions extends TypeOptions {
  /** In encoding order, after those of the supertype. */
  readonly fields: readonly FieldOptions[];
  /** Exactly one field is set in a value. Default: false. */
  readonly isUnion?: boolean;
  /** NodeId of the Default Binary encoding. Default: the next free number. */
  readonly binaryEncodingId?: NodeOptions['nodeId'];
}

/** One value of an enumeration. */
export interface EnumerationValueOptions {
  readonly name: string;
  readonly value: number;
  readonly displayName?: string | LocalizedText;
  readonly description?: string | LocalizedText;
}

export interface EnumerationTypeOptions extends TypeOptions {
  /** Names alone count from 0. */
  readonly values: readonly (string | EnumerationValueOptions)[];
}

export interface ReferenceTypeOptions extends TypeOptions {
  readonly inverseName?: string | LocalizedText;
  readonly isSymmetric?: boolean;
}

export interface VariableTypeOptions extends TypeOptions {
  /** Default: the supertype's. */
  readonly dataType?: NodeReferenceOption;
  readonly valueRank?: number;
  readonly arrayDimensions?: readonly number[];
}

/** A range of numbers. OPC 10000-8 §5.6.2. */
export interface RangeOptions {
  readonly low: number;
  readonly high: number;
}

/** A unit; a text is its short name, such as `°C`. OPC 10000-8 §5.6.3. */
export interface UnitOptions {
  readonly displayName: string | LocalizedText;
  readonly description?: string | LocalizedText;
  /** Default: -1, no code. */
  readonly unitId?: number;
  /** Default: that of the UNECE codes. */
  readonly namespaceUri?: string;
}

export interface AnalogItemOptions extends Omit<VariableOptions, 'typeDefinition'> {
  /** What the value may be in normal operation; percent deadbands refer to it. */
  readonly euRange: RangeOptions;
  readonly engineeringUnits?: string | UnitOptions;
  readonly instrumentRange?: RangeOptions;
}

export interface TwoStateOptions extends Omit<VariableOptions, 'typeDefinition' | 'dataType'> {
  readonly trueState: string | LocalizedText;
  readonly falseState: string | LocalizedText;
}

export interface MultiStateOptions extends Omit<VariableOptions, 'typeDefinition' | 'dataType'> {
  /** Names of the values 0, 1, 2 … */
  readonly enumStrings: readonly (string | LocalizedText)[];
  /** Default: UInt32. */
  readonly dataType?: NodeReferenceOption;
}

export interface MultiStateValueOptions extends Omit<VariableOptions, 'typeDefinition' | 'dataType'> {
  readonly enumValues: readonly EnumerationValueOptions[];
  /** Default: Int32. */
  readonly dataType?: NodeReferenceOption;
}
