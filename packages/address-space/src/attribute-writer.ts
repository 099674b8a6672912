import type { SessionContext } from '@bulkhead/contracts';
import {
  AccessLevelExType,
  AttributeIds,
  DataValue,
  NodeClass,
  PermissionType,
  type StatusCode,
  StatusCodes,
  Variant,
  type WriteValue,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { OperationCaller } from './attribute-reader.ts';
import { readIndexRange, replaceSlice } from './index-range.ts';
import type { NamespaceTable } from './namespace-table.ts';
import { writeNodeAttribute } from './node-attribute-writes.ts';
import type { TurnClock } from './turn-clock.ts';
import type { ValueBounds } from './value-bounds.ts';
import type { ValueChecker } from './value-checker.ts';
import type { VariableNode } from './variable-node.ts';
import type { WriteCallbacks } from './write-callbacks.ts';

/** What the writer needs of the rest of the address space. */
export interface AttributeWriterParts {
  readonly namespaces: NamespaceTable;
  readonly access: AccessControl;
  readonly checker: ValueChecker;
  readonly bounds: ValueBounds;
  readonly clock: TurnClock;
  readonly callbacks: WriteCallbacks;
  /** Stores a value and tells the observers. */
  readonly store: (node: VariableNode, value: DataValue) => void;
  /** The stored value, decoded if need be. */
  readonly stored: (node: VariableNode) => DataValue;
}

/** Writes attributes. OPC 10000-4 §5.11.4. */
export class AttributeWriter {
  readonly #parts: AttributeWriterParts;

  constructor(parts: AttributeWriterParts) {
    this.#parts = parts;
  }

  /** Writes one attribute for a session. Never throws or rejects. */
  write(session: SessionContext | undefined, item: WriteValue, caller?: OperationCaller): StatusCode | Promise<StatusCode> {
    const node = this.#parts.namespaces.find(item.nodeId);
    if (node === undefined) return item.nodeId.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown;
    if (item.attributeId !== AttributeIds.Value) return writeNodeAttribute(node, item, session, this.#parts.access);
    if (node.nodeClass !== NodeClass.Variable) {
      return node.nodeClass === NodeClass.VariableType ? StatusCodes.BadNotWritable : StatusCodes.BadAttributeIdInvalid;
    }
    return this.#writeValue(session, node as VariableNode, item, caller);
  }

  #writeValue(
    session: SessionContext | undefined,
    node: VariableNode,
    item: WriteValue,
    caller: OperationCaller | undefined,
  ): StatusCode | Promise<StatusCode> {
    const denied = this.#checkWritable(session, node, item);
    if (denied !== StatusCodes.Good) return denied;
    const value = this.#valueToStore(node, item);
    if (typeof value === 'number') return value;
    const details = node.details;
    if (details?.write !== undefined) return this.#parts.callbacks.write(session, node, details, value, caller);
    // A variable that is only read from somewhere has no place to write to.
    if (details?.read !== undefined) return StatusCodes.BadNotWritable;
    this.#parts.store(node, value);
    return StatusCodes.Good;
  }

  #checkWritable(session: SessionContext | undefined, node: VariableNode, item: WriteValue): StatusCode {
    if (!(node.accessLevel & AccessLevelExType.CurrentWrite)) return StatusCodes.BadNotWritable;
    if (!this.#parts.access.allows(session, node, PermissionType.Write)) return StatusCodes.BadUserAccessDenied;
    const restricted = this.#parts.access.checkRestrictions(session, node);
    if (restricted !== StatusCodes.Good) return restricted;
    const { statusCode, sourceTimestamp, serverTimestamp, sourcePicoseconds, serverPicoseconds } = item.value;
    if (statusCode !== StatusCodes.Good && !(node.accessLevel & AccessLevelExType.StatusWrite)) return StatusCodes.BadWriteNotSupported;
    const hasTime = sourceTimestamp !== undefined || serverTimestamp !== undefined || sourcePicoseconds !== 0 || serverPicoseconds !== 0;
    if (hasTime && !(node.accessLevel & AccessLevelExType.TimestampWrite)) return StatusCodes.BadWriteNotSupported;
    return StatusCodes.Good;
  }

  /** The whole new value: checked, and with the rest of the old one around it when an index range was given. */
  #valueToStore(node: VariableNode, item: WriteValue): DataValue | StatusCode {
    const { checker, bounds, clock } = this.#parts;
    const sent = item.value;
    const range = readIndexRange(item.indexRange);
    if (typeof range === 'number') return range;
    // A value that is null may be left out. OPC 10000-6 §5.2.2.17.
    let variant = sent.value ?? Variant.NULL;
    if (range !== undefined) {
      if (node.accessLevel & AccessLevelExType.WriteFullArrayOnly) return StatusCodes.BadWriteNotSupported;
      const old = this.#parts.stored(node).value;
      if (old === undefined) return StatusCodes.BadIndexRangeNoData;
      const whole = replaceSlice(old, range, variant);
      if (typeof whole === 'number') return whole;
      variant = whole;
    }
    const { dataType, valueRank, arrayDimensions } = node;
    const accepted = checker.accept(variant, { dataType, valueRank, arrayDimensions });
    if (typeof accepted === 'number') return accepted;
    if (!bounds.allows(node, accepted)) return StatusCodes.BadOutOfRange;
    const now = clock.utcNow();
    return new DataValue(accepted, sent.statusCode, sent.sourceTimestamp ?? now, now, sent.sourcePicoseconds, 0);
  }
}
