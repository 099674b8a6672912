import type { ParkSink, SessionContext } from '@bulkhead/contracts';
import {
  AttributeIds,
  BuiltInType,
  DataValue,
  NodeClass,
  PermissionType,
  type QualifiedName,
  type ReadValueId,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
  type Variant,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import { attributeValue } from './attribute-values.ts';
import { EncodedVariant } from './encoded-variant.ts';
import { readIndexRange, sliceVariant } from './index-range.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { TurnClock } from './turn-clock.ts';
import type { VariableTypeNode } from './type-nodes.ts';
import type { ValueSources } from './value-sources.ts';
import type { VariableDetails, VariableNode } from './variable-node.ts';

/** Whoever waits for an operation; its signal is asked for only when there is something to cancel. */
export interface OperationCaller {
  readonly signal: AbortSignal;
  readonly parkSink?: ParkSink | undefined;
}

/** A stored value counts as known to be accurate for so long without touching its ServerTimestamp again. */
const SERVER_TIMESTAMP_REUSE_MS = 1000;
const CURRENT_READ = 0x01;

/** Reads attributes. OPC 10000-4 §5.11.2. */
export class AttributeReader {
  readonly #namespaces: NamespaceTable;
  readonly #access: AccessControl;
  readonly #sources: ValueSources;
  readonly #clock: TurnClock;
  /** One DataValue per StatusCode that this class answers with. */
  readonly #statuses = new Map<StatusCode, DataValue>();

  constructor(namespaces: NamespaceTable, access: AccessControl, sources: ValueSources, clock: TurnClock) {
    this.#namespaces = namespaces;
    this.#access = access;
    this.#sources = sources;
    this.#clock = clock;
  }

  /**
   * One attribute as the session may see it. Never throws; what is wrong is in the StatusCode.
   * @param session undefined for reads from inside the server, which may see everything.
   * @param maxAgeMs for values that come from a callback.
   */
  read(
    session: SessionContext | undefined,
    item: ReadValueId,
    timestamps: TimestampsToReturn,
    maxAgeMs: number,
    caller?: OperationCaller,
  ): DataValue | Promise<DataValue> {
    const node = this.#namespaces.find(item.nodeId);
    if (node === undefined) return this.#status(item.nodeId.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown);
    if (item.attributeId !== AttributeIds.Value) return this.#readOther(node, session, item, timestamps);
    if (node.nodeClass !== NodeClass.Variable) return this.#readDefault(node, item, timestamps);
    const denied = this.checkReadable(session, node as VariableNode);
    if (denied !== StatusCodes.Good) return this.#status(denied);
    const value = this.readValue(node as VariableNode, maxAgeMs, caller);
    if (value instanceof Promise) return value.then((late) => this.finish(late, item, timestamps));
    return this.finish(value, item, timestamps);
  }

  /** Good, or why the session can't read the variable's value. */
  checkReadable(session: SessionContext | undefined, node: VariableNode): StatusCode {
    if ((node.accessLevel & CURRENT_READ) === 0) return StatusCodes.BadNotReadable;
    if (!this.#access.allows(session, node, PermissionType.Read)) return StatusCodes.BadUserAccessDenied;
    return this.#access.checkRestrictions(session, node);
  }

  /** The whole value with both timestamps, no access checks. */
  readValue(node: VariableNode, maxAgeMs: number, caller?: OperationCaller): DataValue | Promise<DataValue> {
    const details = node.details;
    if (details !== undefined && (details.read !== undefined || details.encoded !== undefined)) {
      if (details.read !== undefined) return this.#sources.read(node, details, maxAgeMs, caller);
      this.decode(node, details);
    }
    return this.#refreshed(node);
  }

  /** Turns a value that is still bytes into one that isn't. */
  decode(node: VariableNode, details: VariableDetails): DataValue {
    const encoded = details.encoded;
    if (encoded !== undefined) {
      const now = this.#clock.utcNow();
      details.encoded = undefined;
      node.current = new DataValue(encoded.decode(), StatusCodes.Good, now, now);
    }
    return node.current;
  }

  /** A stored value is accurate now; its ServerTimestamp says so again from time to time. */
  #refreshed(node: VariableNode): DataValue {
    const value = node.current;
    const known = value.serverTimestamp;
    const now = this.#clock.utcNow();
    if (known !== undefined && now.unixMs - known.unixMs < SERVER_TIMESTAMP_REUSE_MS) return value;
    const fresh = new DataValue(value.value, value.statusCode, value.sourceTimestamp, now, value.sourcePicoseconds, 0);
    // What was never set has no time to keep.
    if (known !== undefined) node.current = fresh;
    return fresh;
  }

  /** Applies index range, data encoding and timestamps. Returns the same object when nothing is asked for. */
  finish(value: DataValue, item: ReadValueId, timestamps: TimestampsToReturn): DataValue {
    let result = value;
    if (item.dataEncoding.name !== null && item.dataEncoding.name !== '') {
      const status = checkEncoding(item.dataEncoding, value.value);
      if (status !== StatusCodes.Good) return this.#status(status);
    }
    if (item.indexRange !== null && item.indexRange !== '') result = this.#slice(value, item.indexRange);
    return withTimestamps(result, timestamps);
  }

  #slice(value: DataValue, text: string): DataValue {
    const range = readIndexRange(text);
    if (typeof range === 'number') return this.#status(range);
    if (range === undefined || value.value === undefined) return value;
    const part = sliceVariant(value.value, range);
    if (typeof part === 'number') return this.#status(part);
    return new DataValue(
      part,
      value.statusCode,
      value.sourceTimestamp,
      value.serverTimestamp,
      value.sourcePicoseconds,
      value.serverPicoseconds,
    );
  }

  #readOther(node: Node, session: SessionContext | undefined, item: ReadValueId, timestamps: TimestampsToReturn): DataValue {
    const value = attributeValue(node, item.attributeId, session, this.#access);
    if (typeof value === 'number') return this.#status(value);
    if (!this.#access.allows(session, node, PermissionType.Browse)) return this.#status(StatusCodes.BadUserAccessDenied);
    return this.#finishAttribute(value, item, timestamps);
  }

  /** The Value attribute of a VariableType; other classes have none. */
  #readDefault(node: Node, item: ReadValueId, timestamps: TimestampsToReturn): DataValue {
    if (node.nodeClass !== NodeClass.VariableType) return this.#status(StatusCodes.BadAttributeIdInvalid);
    const type = node as VariableTypeNode;
    if (type.default instanceof EncodedVariant) type.default = type.default.decode();
    if (type.default === undefined) return this.#status(StatusCodes.BadAttributeIdInvalid);
    return this.finish(new DataValue(type.default, StatusCodes.Good, undefined, this.#clock.utcNow()), item, timestamps);
  }

  #finishAttribute(value: Variant, item: ReadValueId, timestamps: TimestampsToReturn): DataValue {
    if (item.dataEncoding.name !== null && item.dataEncoding.name !== '') return this.#status(StatusCodes.BadDataEncodingInvalid);
    const now = timestamps === TimestampsToReturn.Source || timestamps === TimestampsToReturn.Neither ? undefined : this.#clock.utcNow();
    const result = new DataValue(value, StatusCodes.Good, undefined, now);
    return item.indexRange === null || item.indexRange === '' ? result : this.#slice(result, item.indexRange);
  }

  #status(statusCode: StatusCode): DataValue {
    let value = this.#statuses.get(statusCode);
    if (value === undefined) {
      value = DataValue.ofStatus(statusCode);
      this.#statuses.set(statusCode, value);
    }
    return value;
  }
}

/** Drops the timestamps that weren't asked for. */
export function withTimestamps(value: DataValue, timestamps: TimestampsToReturn): DataValue {
  switch (timestamps) {
    case TimestampsToReturn.Both:
      return value;
    case TimestampsToReturn.Source:
      return new DataValue(value.value, value.statusCode, value.sourceTimestamp, undefined, value.sourcePicoseconds, 0);
    case TimestampsToReturn.Server:
      return new DataValue(value.value, value.statusCode, undefined, value.serverTimestamp, 0, value.serverPicoseconds);
    default:
      return new DataValue(value.value, value.statusCode);
  }
}

/**
 * Whether a value can be had in a data encoding: only structures have a choice, and Default Binary is the one that is offered.
 * OPC 10000-4 §5.11.2.
 */
export function checkEncoding(encoding: QualifiedName, value: Variant | undefined): StatusCode {
  const isStructure = value?.type === BuiltInType.ExtensionObject;
  if (!isStructure || encoding.namespaceIndex !== 0) return StatusCodes.BadDataEncodingInvalid;
  switch (encoding.name) {
    case 'Default Binary':
      return StatusCodes.Good;
    case 'Default XML':
    case 'Default JSON':
      return StatusCodes.BadDataEncodingUnsupported;
    default:
      return StatusCodes.BadDataEncodingInvalid;
  }
}
