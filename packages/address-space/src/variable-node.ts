import { DataValue, type DateTime, NodeClass, type NodeId, type StatusCode, StatusCodes, type Variant } from '@bulkhead/types';
import type { EncodedVariant } from './encoded-variant.ts';
import type { Namespace } from './namespace.ts';
import { Node, type NodeIdentifier } from './node.ts';
import type { ReadCallback, WriteCallback } from './node-options.ts';
import type { PendingRead } from './pending-read.ts';
import { type ValueObserver, ValueObservers } from './value-observers.ts';

/** Where a VariableType keeps its default. */
export type DataValueHolder = Variant | EncodedVariant;

/** Quality and time of a value that is set. */
export interface SetValueOptions {
  /** Default: Good. */
  readonly statusCode?: StatusCode;
  /** Default: now. */
  readonly sourceTimestamp?: DateTime;
}

/** What only some variables have. */
export class VariableDetails {
  arrayDimensions: readonly number[] | undefined = undefined;
  minimumSamplingInterval = 0;
  historizing = false;
  read: ReadCallback | undefined = undefined;
  write: WriteCallback | undefined = undefined;
  /** The value not decoded yet; counts instead of `current` when set. */
  encoded: EncodedVariant | undefined = undefined;
  observers: ValueObservers | undefined = undefined;
  /** The read of the source that is under way; further reads join it. */
  pending: PendingRead | undefined = undefined;
}

/** The value of variables that nobody has given one yet. */
export const NO_VALUE: DataValue = DataValue.ofStatus(StatusCodes.BadWaitingForInitialData);

/** OPC 10000-3 §5.6.2. */
export class VariableNode extends Node {
  dataType: NodeId;
  valueRank: number;
  /** Bits of AccessLevelExType; the lowest eight are the AccessLevel attribute. */
  accessLevel: number;
  /** The value last set, written, or got from the source; ready to be sent with both timestamps. */
  current: DataValue;
  details: VariableDetails | undefined = undefined;

  constructor(
    namespace: Namespace,
    identifier: NodeIdentifier,
    name: string,
    nameIndex: number,
    dataType: NodeId,
    valueRank: number,
    accessLevel: number,
    current: DataValue,
  ) {
    super(namespace, identifier, name, nameIndex);
    this.dataType = dataType;
    this.valueRank = valueRank;
    this.accessLevel = accessLevel;
    this.current = current;
  }

  get nodeClass(): NodeClass {
    return NodeClass.Variable;
  }

  /** The value last set, written, or got from the source. */
  get dataValue(): DataValue {
    return this.details?.encoded === undefined ? this.current : this.namespace.host.decodeValue(this);
  }

  get arrayDimensions(): readonly number[] | undefined {
    return this.details?.arrayDimensions;
  }

  editDetails(): VariableDetails {
    return (this.details ??= new VariableDetails());
  }

  /**
   * Sets the value and tells everyone who watches it.
   * @param value a plain value of the DataType, a Variant, or a DataValue (which then brings its own status and timestamps).
   * @throws UaStatusError BadTypeMismatch when the value doesn't fit the DataType, BadOutOfRange for numbers that don't fit.
   */
  setValue(value: unknown, options?: SetValueOptions): void {
    this.namespace.host.setValue(this, value, options);
  }

  /** Gives the variable its source and sink: for variables that came with a loaded namespace. */
  bind(callbacks: { readonly read?: ReadCallback; readonly write?: WriteCallback; readonly minimumSamplingInterval?: number }): void {
    const details = this.editDetails();
    details.encoded = undefined;
    if (callbacks.read !== undefined) details.read = callbacks.read;
    if (callbacks.write !== undefined) details.write = callbacks.write;
    if (callbacks.minimumSamplingInterval !== undefined) details.minimumSamplingInterval = callbacks.minimumSamplingInterval;
  }

  /** Reports each new value from now on. @returns how to stop. */
  observe(observer: ValueObserver): () => void {
    const details = this.editDetails();
    details.observers ??= new ValueObservers();
    details.observers.add(observer);
    return () => {
      details.observers?.delete(observer);
      if (details.observers?.count === 0) details.observers = undefined;
    };
  }
}
