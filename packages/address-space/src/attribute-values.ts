import type { SessionContext } from '@bulkhead/contracts';
import {
  AttributeIds,
  BuiltInType,
  ExtensionObject,
  NodeClass,
  PermissionType,
  RolePermissionType,
  type StatusCode,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { MethodNode, ObjectNode, ViewNode } from './instance-nodes.ts';
import type { Node } from './node.ts';
import type { DataTypeNode, ReferenceTypeNode, TypeNode, VariableTypeNode } from './type-nodes.ts';
import type { VariableNode } from './variable-node.ts';

const MAX_RANK = 64;

/**
 * An attribute other than Value, as that session sees it.
 * @returns BadAttributeIdInvalid when the node's class has no such attribute, or the node has no value for an optional one.
 * OPC 10000-3 §5.9, Table 20.
 */
export function attributeValue(
  node: Node,
  attributeId: number,
  session: SessionContext | undefined,
  access: AccessControl,
): Variant | StatusCode {
  switch (attributeId) {
    case AttributeIds.NodeId:
      return Variant.scalar(BuiltInType.NodeId, node.nodeId);
    case AttributeIds.NodeClass:
      return Variant.int32(node.nodeClass);
    case AttributeIds.BrowseName:
      return Variant.scalar(BuiltInType.QualifiedName, node.browseName);
    case AttributeIds.DisplayName:
      return Variant.scalar(BuiltInType.LocalizedText, node.displayName);
    case AttributeIds.Description:
      return Variant.scalar(BuiltInType.LocalizedText, node.description);
    case AttributeIds.WriteMask:
      return Variant.uint32(node.extras?.writeMask ?? 0);
    case AttributeIds.UserWriteMask:
      return Variant.uint32(access.userWriteMask(session, node));
    case AttributeIds.RolePermissions:
      return rolePermissions(node, session, access);
    case AttributeIds.UserRolePermissions:
      if ((node.extras?.rolePermissions ?? node.namespace.defaultRolePermissions) === undefined) return StatusCodes.BadAttributeIdInvalid;
      return permissionsVariant(access.userRolePermissions(session, node));
    case AttributeIds.AccessRestrictions:
      return Variant.scalar(BuiltInType.UInt16, node.extras?.accessRestrictions ?? node.namespace.defaultAccessRestrictions);
    default:
      return classAttribute(node, attributeId, session, access);
  }
}

function rolePermissions(node: Node, session: SessionContext | undefined, access: AccessControl): Variant | StatusCode {
  const list = node.extras?.rolePermissions ?? node.namespace.defaultRolePermissions;
  if (list === undefined) return StatusCodes.BadAttributeIdInvalid;
  return access.allows(session, node, PermissionType.ReadRolePermissions) ? permissionsVariant(list) : StatusCodes.BadUserAccessDenied;
}

function permissionsVariant(list: readonly RolePermissionType[]): Variant {
  return Variant.array(
    BuiltInType.ExtensionObject,
    list.map((entry) => ExtensionObject.of(RolePermissionType, entry)),
  );
}

function classAttribute(node: Node, attributeId: number, session: SessionContext | undefined, access: AccessControl): Variant | StatusCode {
  switch (node.nodeClass) {
    case NodeClass.Variable:
      return variableAttribute(node as VariableNode, attributeId, session, access);
    case NodeClass.VariableType:
      return attributeId === AttributeIds.IsAbstract
        ? Variant.boolean((node as TypeNode).isAbstract)
        : dataAttribute(node as VariableTypeNode, attributeId);
    case NodeClass.Object:
      if (attributeId !== AttributeIds.EventNotifier) return StatusCodes.BadAttributeIdInvalid;
      return Variant.scalar(BuiltInType.Byte, (node as ObjectNode).eventNotifier);
    case NodeClass.View:
      if (attributeId === AttributeIds.EventNotifier) return Variant.scalar(BuiltInType.Byte, (node as ViewNode).eventNotifier);
      if (attributeId === AttributeIds.ContainsNoLoops) return Variant.boolean((node as ViewNode).containsNoLoops);
      return StatusCodes.BadAttributeIdInvalid;
    case NodeClass.Method:
      return methodAttribute(node as MethodNode, attributeId, session, access);
    case NodeClass.ReferenceType:
      return referenceTypeAttribute(node as ReferenceTypeNode, attributeId);
    case NodeClass.DataType:
      return dataTypeAttribute(node as DataTypeNode, attributeId);
    default:
      return attributeId === AttributeIds.IsAbstract ? Variant.boolean((node as TypeNode).isAbstract) : StatusCodes.BadAttributeIdInvalid;
  }
}

function variableAttribute(
  node: VariableNode,
  attributeId: number,
  session: SessionContext | undefined,
  access: AccessControl,
): Variant | StatusCode {
  switch (attributeId) {
    case AttributeIds.AccessLevel:
      return Variant.scalar(BuiltInType.Byte, node.accessLevel & 0xff);
    case AttributeIds.UserAccessLevel:
      return Variant.scalar(BuiltInType.Byte, access.userAccessLevel(session, node, node.accessLevel) & 0xff);
    case AttributeIds.AccessLevelEx:
      return Variant.uint32(node.accessLevel >>> 0);
    case AttributeIds.MinimumSamplingInterval:
      return Variant.double(node.details?.minimumSamplingInterval ?? 0);
    case AttributeIds.Historizing:
      return Variant.boolean(node.details?.historizing ?? false);
    default:
      return dataAttribute(node, attributeId);
  }
}

function dataAttribute(node: VariableNode | VariableTypeNode, attributeId: number): Variant | StatusCode {
  switch (attributeId) {
    case AttributeIds.DataType:
      return Variant.scalar(BuiltInType.NodeId, node.dataType);
    case AttributeIds.ValueRank:
      return Variant.int32(node.valueRank);
    case AttributeIds.ArrayDimensions:
      return Variant.array(BuiltInType.UInt32, node.arrayDimensions ?? defaultDimensions(node.valueRank));
    default:
      return StatusCodes.BadAttributeIdInvalid;
  }
}

/** Zeros for "any length" in each dimension; null for scalars. OPC 10000-3 §5.6.2. */
function defaultDimensions(valueRank: number): readonly number[] | null {
  return valueRank < 1 || valueRank > MAX_RANK ? null : new Array<number>(valueRank).fill(0);
}

function methodAttribute(
  node: MethodNode,
  attributeId: number,
  session: SessionContext | undefined,
  access: AccessControl,
): Variant | StatusCode {
  if (attributeId === AttributeIds.Executable) return Variant.boolean(node.executable);
  if (attributeId === AttributeIds.UserExecutable) return Variant.boolean(node.executable && access.mayCall(session, node));
  return StatusCodes.BadAttributeIdInvalid;
}

function referenceTypeAttribute(node: ReferenceTypeNode, attributeId: number): Variant | StatusCode {
  switch (attributeId) {
    case AttributeIds.IsAbstract:
      return Variant.boolean(node.isAbstract);
    case AttributeIds.Symmetric:
      return Variant.boolean(node.isSymmetric);
    case AttributeIds.InverseName:
      // Optional: symmetric types have none.
      return node.inverseName.text === null
        ? StatusCodes.BadAttributeIdInvalid
        : Variant.scalar(BuiltInType.LocalizedText, node.inverseName);
    default:
      return StatusCodes.BadAttributeIdInvalid;
  }
}

function dataTypeAttribute(node: DataTypeNode, attributeId: number): Variant | StatusCode {
  if (attributeId === AttributeIds.IsAbstract) return Variant.boolean(node.isAbstract);
  if (attributeId !== AttributeIds.DataTypeDefinition || node.definition === undefined) return StatusCodes.BadAttributeIdInvalid;
  return Variant.scalar(BuiltInType.ExtensionObject, node.definition);
}
