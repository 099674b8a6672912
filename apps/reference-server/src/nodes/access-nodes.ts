import type { NodeOptions, ObjectNode, VariableOptions } from '@bulkhead/address-space';
import {
  AccessLevelExType,
  AccessRestrictionType,
  AttributeWriteMask,
  NodeId,
  ObjectIds,
  PermissionType,
  type RolePermissionType,
} from '@bulkhead/types';

const { CurrentRead, CurrentWrite, StatusWrite, TimestampWrite } = AccessLevelExType;
const { EncryptionRequired, SigningRequired, ApplyRestrictionsToBrowse } = AccessRestrictionType;
const readWrite = CurrentRead | CurrentWrite;

const anonymous = NodeId.numeric(0, ObjectIds.WellKnownRole_Anonymous);
const authenticated = NodeId.numeric(0, ObjectIds.WellKnownRole_AuthenticatedUser);
const observer = NodeId.numeric(0, ObjectIds.WellKnownRole_Observer);
const operator = NodeId.numeric(0, ObjectIds.WellKnownRole_Operator);

const see = PermissionType.Browse | PermissionType.ReadRolePermissions;
const everybodySees = [permit(anonymous, see), permit(authenticated, see)];
const operatorChanges = permit(operator, see | PermissionType.Read | PermissionType.Write);

/** Access levels, by BrowseName. */
const levels: Readonly<Record<string, number>> = {
  ReadOnly: CurrentRead,
  WriteOnly: CurrentWrite,
  ReadWrite: readWrite,
  None: 0,
  StatusWrite: readWrite | StatusWrite,
  TimestampWrite: readWrite | TimestampWrite,
  StatusAndTimestampWrite: readWrite | StatusWrite | TimestampWrite,
};

type Protection = Pick<NodeOptions, 'rolePermissions' | 'accessRestrictions' | 'writeMask'>;

/** Writable for those who pass, by BrowseName. */
const protections: Readonly<Record<string, Protection>> = {
  OperatorOnly: { rolePermissions: [...everybodySees, operatorChanges] },
  ObserverReadsOperatorWrites: { rolePermissions: [...everybodySees, permit(observer, see | PermissionType.Read), operatorChanges] },
  OperatorBrowses: { rolePermissions: [operatorChanges] },
  SigningRequired: { accessRestrictions: SigningRequired },
  EncryptionRequired: { accessRestrictions: EncryptionRequired },
  EncryptionRequiredToBrowse: { accessRestrictions: EncryptionRequired | ApplyRestrictionsToBrowse },
  WritableAttributes: { writeMask: AttributeWriteMask.DisplayName | AttributeWriteMask.Description },
};

/** One node per access right. */
export function addAccessNodes(parent: ObjectNode): void {
  const folder = parent.addFolder({ browseName: 'Access', nodeId: 's=Access' });
  for (const [name, accessLevel] of Object.entries(levels)) folder.addVariable(variable(name, { accessLevel }));
  for (const [name, protection] of Object.entries(protections))
    folder.addVariable(variable(name, { ...protection, accessLevel: readWrite }));
  folder.addMethod({
    browseName: 'OperatorCalls',
    nodeId: 's=Access.OperatorCalls',
    rolePermissions: [...everybodySees, permit(operator, see | PermissionType.Call)],
    call: () => [],
  });
}

function variable(name: string, options: Protection & { readonly accessLevel: number }): VariableOptions {
  return { browseName: name, nodeId: `s=Access.${name}`, dataType: 'Double', value: 12.5, ...options };
}

function permit(roleId: NodeId, permissions: number): RolePermissionType {
  return { roleId, permissions };
}
