import type { SessionContext } from '@bulkhead/contracts';
import {
  AttributeIds,
  AttributeWriteMask,
  BuiltInType,
  type LocalizedText,
  NodeClass,
  PermissionType,
  type QualifiedName,
  type StatusCode,
  StatusCodes,
  type Variant,
  type WriteValue,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import { attributeValue } from './attribute-values.ts';
import type { MethodNode, ObjectNode } from './instance-nodes.ts';
import type { Node } from './node.ts';
import type { ReferenceTypeNode } from './type-nodes.ts';
import type { VariableNode } from './variable-node.ts';

/** Attributes that can be written when the WriteMask allows it: their bit and what they hold. */
const WRITABLE: Readonly<Record<number, { readonly mask: number; readonly type: BuiltInType }>> = {
  [AttributeIds.BrowseName]: { mask: AttributeWriteMask.BrowseName, type: BuiltInType.QualifiedName },
  [AttributeIds.DisplayName]: { mask: AttributeWriteMask.DisplayName, type: BuiltInType.LocalizedText },
  [AttributeIds.Description]: { mask: AttributeWriteMask.Description, type: BuiltInType.LocalizedText },
  [AttributeIds.InverseName]: { mask: AttributeWriteMask.InverseName, type: BuiltInType.LocalizedText },
  [AttributeIds.EventNotifier]: { mask: AttributeWriteMask.EventNotifier, type: BuiltInType.Byte },
  [AttributeIds.MinimumSamplingInterval]: { mask: AttributeWriteMask.MinimumSamplingInterval, type: BuiltInType.Double },
  [AttributeIds.Historizing]: { mask: AttributeWriteMask.Historizing, type: BuiltInType.Boolean },
  [AttributeIds.Executable]: { mask: AttributeWriteMask.Executable, type: BuiltInType.Boolean },
  [AttributeIds.AccessLevel]: { mask: AttributeWriteMask.AccessLevel, type: BuiltInType.Byte },
};

/** Writes an attribute other than Value, as far as the node's WriteMask names it. OPC 10000-3 §5.2.7. */
export function writeNodeAttribute(node: Node, item: WriteValue, session: SessionContext | undefined, access: AccessControl): StatusCode {
  const present = attributeValue(node, item.attributeId, undefined, access);
  if (present === StatusCodes.BadAttributeIdInvalid) return present;
  const rule = WRITABLE[item.attributeId];
  if (rule === undefined || ((node.extras?.writeMask ?? 0) & rule.mask) === 0) return StatusCodes.BadNotWritable;
  if (!access.allows(session, node, PermissionType.WriteAttribute)) return StatusCodes.BadUserAccessDenied;
  if (item.indexRange !== null && item.indexRange !== '') return StatusCodes.BadIndexRangeNoData;
  const { value, statusCode, sourceTimestamp, serverTimestamp } = item.value;
  if (statusCode !== StatusCodes.Good || sourceTimestamp !== undefined || serverTimestamp !== undefined)
    return StatusCodes.BadWriteNotSupported;
  if (value === undefined || value.type !== rule.type || value.isArray) return StatusCodes.BadTypeMismatch;
  store(node, item.attributeId, value);
  return StatusCodes.Good;
}

function store(node: Node, attributeId: number, value: Variant): void {
  switch (attributeId) {
    case AttributeIds.BrowseName: {
      const { name, namespaceIndex } = value.value as QualifiedName;
      // The DisplayName stays what it was.
      node.ownDisplayName = node.displayName;
      node.name = name ?? '';
      node.nameIndex = namespaceIndex;
      return;
    }
    case AttributeIds.DisplayName:
      node.displayName = value.value as LocalizedText;
      return;
    case AttributeIds.Description:
      node.description = value.value as LocalizedText;
      return;
    case AttributeIds.InverseName:
      (node as ReferenceTypeNode).inverseName = value.value as LocalizedText;
      return;
    case AttributeIds.EventNotifier:
      (node as ObjectNode).eventNotifier = value.value as number;
      return;
    case AttributeIds.Executable:
      (node as MethodNode).executable = value.value as boolean;
      return;
    default:
      if (node.nodeClass === NodeClass.Variable) storeVariableAttribute(node as VariableNode, attributeId, value);
  }
}

function storeVariableAttribute(node: VariableNode, attributeId: number, value: Variant): void {
  if (attributeId === AttributeIds.AccessLevel) node.accessLevel = (node.accessLevel & ~0xff) | (value.value as number);
  else if (attributeId === AttributeIds.Historizing) node.editDetails().historizing = value.value as boolean;
  else if (attributeId === AttributeIds.MinimumSamplingInterval) node.editDetails().minimumSamplingInterval = value.value as number;
}
