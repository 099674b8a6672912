import type { MonitoredSource, MonitoredTarget, SessionContext, SessionHolder } from '@bulkhead/contracts';
import {
  AttributeIds,
  BuiltInType,
  DataValue,
  type ExtensionObject,
  NodeClass,
  Range,
  type ReadValueId,
  type StatusCode,
  StatusCodes,
  type StructureType,
  TimestampsToReturn,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { AttributeReader } from './attribute-reader.ts';
import { attributeValue } from './attribute-values.ts';
import { readIndexRange } from './index-range.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { TypeTree } from './type-tree.ts';
import type { VariableNode } from './variable-node.ts';

/** Attributes other than Value rarely change. */
const OTHER_ATTRIBUTE_SAMPLING_MS = 100;

/** What monitored targets need of the rest of the address space. */
export interface MonitoredTargetsParts {
  readonly namespaces: NamespaceTable;
  readonly types: TypeTree;
  readonly access: AccessControl;
  readonly reader: AttributeReader;
}

/** Opens what MonitoredItems watch: stored variables report each change, everything else is sampled. */
export class MonitoredTargets implements MonitoredSource {
  readonly #parts: MonitoredTargetsParts;

  constructor(parts: MonitoredTargetsParts) {
    this.#parts = parts;
  }

  /**
   * An item that the session may not read is opened all the same; its values say so. OPC 10000-4 §5.13.2.
   */
  open(item: ReadValueId): MonitoredTarget | StatusCode {
    const node = this.#parts.namespaces.find(item.nodeId);
    if (node === undefined) return item.nodeId.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown;
    const range = readIndexRange(item.indexRange);
    if (typeof range === 'number') return range;
    if (item.attributeId !== AttributeIds.Value) return this.#openAttribute(node, item);
    if (node.nodeClass !== NodeClass.Variable) return StatusCodes.BadAttributeIdInvalid;
    const encodingStatus = this.#checkEncoding(node as VariableNode, item);
    return encodingStatus === StatusCodes.Good ? new ValueTarget(this.#parts, node as VariableNode, item) : encodingStatus;
  }

  #openAttribute(node: Node, item: ReadValueId): MonitoredTarget | StatusCode {
    if (attributeValue(node, item.attributeId, undefined, this.#parts.access) === StatusCodes.BadAttributeIdInvalid) {
      return StatusCodes.BadAttributeIdInvalid;
    }
    if (!item.dataEncoding.isNull) return StatusCodes.BadDataEncodingInvalid;
    return new AttributeTarget(this.#parts.reader, item);
  }

  #checkEncoding(node: VariableNode, item: ReadValueId): StatusCode {
    const { name, namespaceIndex } = item.dataEncoding;
    if (name === null || name === '') return StatusCodes.Good;
    const builtInType = this.#parts.types.builtInTypeOf(node.dataType);
    const mayBeStructure = builtInType === BuiltInType.ExtensionObject || builtInType === BuiltInType.Variant;
    if (!mayBeStructure || namespaceIndex !== 0) return StatusCodes.BadDataEncodingInvalid;
    if (name === 'Default Binary') return StatusCodes.Good;
    return name === 'Default XML' || name === 'Default JSON' ? StatusCodes.BadDataEncodingUnsupported : StatusCodes.BadDataEncodingInvalid;
  }
}

/** An attribute other than Value. */
class AttributeTarget implements MonitoredTarget {
  readonly minimumSamplingIntervalMs: number = OTHER_ATTRIBUTE_SAMPLING_MS;
  readonly numericType: number | undefined = undefined;
  readonly euRange: undefined = undefined;
  readonly #reader: AttributeReader;
  readonly #item: ReadValueId;

  constructor(reader: AttributeReader, item: ReadValueId) {
    this.#reader = reader;
    this.#item = item;
  }

  read(session: SessionContext): DataValue | Promise<DataValue> {
    return this.#reader.read(session, this.#item, TimestampsToReturn.Both, 0);
  }

  observe(): undefined {
    return undefined;
  }
}

/** The value of a variable. */
class ValueTarget implements MonitoredTarget {
  readonly minimumSamplingIntervalMs: number;
  readonly numericType: number | undefined;
  readonly #parts: MonitoredTargetsParts;
  readonly #node: VariableNode;
  readonly #item: ReadValueId;

  constructor(parts: MonitoredTargetsParts, node: VariableNode, item: ReadValueId) {
    this.#parts = parts;
    this.#node = node;
    this.#item = item;
    this.minimumSamplingIntervalMs = Math.max(0, node.details?.minimumSamplingInterval ?? 0);
    this.numericType = this.#numericType();
  }

  /** Read from the property each time: percent deadbands follow when it changes. */
  get euRange(): { readonly low: number; readonly high: number } | undefined {
    const property = this.#node.child('EURange', 0);
    if (property?.nodeClass !== NodeClass.Variable) return undefined;
    const value = (property as VariableNode).dataValue.value?.value as ExtensionObject | undefined;
    return value?.is?.(Range as StructureType<never>) ? value.decode(Range) : undefined;
  }

  read(session: SessionContext): DataValue | Promise<DataValue> {
    return this.#parts.reader.read(session, this.#item, TimestampsToReturn.Both, 0);
  }

  observe(onValue: (value: DataValue) => void, holder: SessionHolder): (() => void) | undefined {
    const node = this.#node;
    if (node.details?.read !== undefined || this.#parts.reader.checkReadable(holder.session, node) !== StatusCodes.Good) return undefined;
    const isWhole = (this.#item.indexRange ?? '') === '' && this.#item.dataEncoding.isNull;
    return node.observe((value) => {
      // Permissions, the node's or the user's, may have changed since, or the Session.
      const denied = this.#parts.reader.checkReadable(holder.session, node);
      if (denied !== StatusCodes.Good) onValue(DataValue.ofStatus(denied));
      else onValue(isWhole ? value : this.#parts.reader.finish(value, this.#item, TimestampsToReturn.Both));
    });
  }

  #numericType(): number | undefined {
    const declared = this.#parts.types.builtInTypeOf(this.#node.dataType);
    if (isNumeric(declared)) return this.#parts.types.isEnumeration(this.#node.dataType) ? undefined : declared;
    if (declared !== BuiltInType.Variant || !this.#parts.types.isNumber(this.#node.dataType)) return undefined;
    const type = this.#node.current.value?.type;
    return type !== undefined && isNumeric(type) ? type : BuiltInType.Double;
  }
}

function isNumeric(type: BuiltInType): boolean {
  return type >= BuiltInType.SByte && type <= BuiltInType.Double;
}
