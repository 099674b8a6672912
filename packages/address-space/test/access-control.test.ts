import {
  AccessRestrictionType,
  AttributeIds,
  DataValue,
  MessageSecurityMode,
  type NodeId,
  PermissionType,
  type RolePermissionType,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { browseAll, call, createFixture, Roles, readNow, session, write } from './harness.ts';

const permission = (roleId: NodeId, permissions: number): RolePermissionType => ({ roleId, permissions });

describe('role permissions', () => {
  const rolePermissions = [
    permission(Roles.Anonymous, PermissionType.Browse),
    permission(Roles.AuthenticatedUser, PermissionType.Browse | PermissionType.Read),
    permission(Roles.Operator, PermissionType.Write | PermissionType.Call | PermissionType.ReadRolePermissions),
  ];
  const both = session([Roles.AuthenticatedUser, Roles.Operator]);
  const reader = session([Roles.AuthenticatedUser]);

  it('add up over the roles of a session', async () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1, writable: true, rolePermissions });
    const value = new DataValue(Variant.double(2));
    expect(readNow(space, node.nodeId).statusCode).toBe(StatusCodes.BadUserAccessDenied);
    expect(readNow(space, node.nodeId, { session: reader }).statusCode).toBe(StatusCodes.Good);
    expect(await write(space, node.nodeId, value, { session: reader })).toBe(StatusCodes.BadUserAccessDenied);
    expect(await write(space, node.nodeId, value, { session: both })).toBe(StatusCodes.Good);
  });

  it('show in the attributes that are about the user', () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1, writable: true, rolePermissions });
    const attribute = (attributeId: number, as = reader): unknown => readNow(space, node.nodeId, { attributeId, session: as }).value?.value;
    expect(attribute(AttributeIds.UserAccessLevel)).toBe(1);
    expect(attribute(AttributeIds.UserAccessLevel, both)).toBe(3);
    expect(attribute(AttributeIds.UserRolePermissions)).toHaveLength(1);
    expect(readNow(space, node.nodeId, { attributeId: AttributeIds.RolePermissions, session: reader }).statusCode).toBe(
      StatusCodes.BadUserAccessDenied,
    );
    expect(attribute(AttributeIds.RolePermissions, both)).toHaveLength(3);
  });

  it('take effect at once when they change', () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1, rolePermissions });
    expect(readNow(space, node.nodeId, { session: reader }).statusCode).toBe(StatusCodes.Good);
    node.editExtras().rolePermissions = [permission(Roles.Operator, PermissionType.Read)];
    expect(readNow(space, node.nodeId, { session: reader }).statusCode).toBe(StatusCodes.BadUserAccessDenied);
  });

  it('hide nodes without Browse', () => {
    const { space } = createFixture();
    const folder = space.addFolder({ browseName: 'F' });
    const secret = folder.addObject({ browseName: 'Secret', rolePermissions: [permission(Roles.SecurityAdmin, PermissionType.Browse)] });
    expect(browseAll(space, folder.nodeId).map(({ browseName }) => browseName.name)).not.toContain('Secret');
    expect(readNow(space, secret.nodeId, { attributeId: AttributeIds.DisplayName }).statusCode).toBe(StatusCodes.BadUserAccessDenied);
    const open = createFixture({ enforcePermissions: false }).space;
    const folder2 = open.addFolder({ browseName: 'F' });
    folder2.addObject({ browseName: 'Secret', rolePermissions: [permission(Roles.SecurityAdmin, PermissionType.Browse)] });
    expect(browseAll(open, folder2.nodeId).map(({ browseName }) => browseName.name)).toContain('Secret');
  });

  it('come from the namespace where the node has none', () => {
    const { space } = createFixture();
    const namespace = space.namespaces.register('urn:test:guarded');
    namespace.defaultRolePermissions = [permission(Roles.Operator, PermissionType.Read)];
    const node = space.addVariable({ browseName: 'V', namespace, dataType: 'Double', value: 1 });
    expect(readNow(space, node.nodeId).statusCode).toBe(StatusCodes.BadUserAccessDenied);
    expect(readNow(space, node.nodeId, { session: session([Roles.Operator]) }).statusCode).toBe(StatusCodes.Good);
  });

  it('guard method calls', async () => {
    const { space } = createFixture();
    const method = space.addMethod({ browseName: 'M', call: () => [], rolePermissions });
    expect(await call(space, space.objectsFolder.nodeId, method.nodeId)).toMatchObject({ statusCode: StatusCodes.BadUserAccessDenied });
    expect(await call(space, space.objectsFolder.nodeId, method.nodeId, [], both)).toMatchObject({ statusCode: StatusCodes.Good });
    expect(readNow(space, method.nodeId, { attributeId: AttributeIds.UserExecutable }).value?.value).toBe(false);
  });
});

describe('access restrictions', () => {
  it('want a channel that signs or encrypts', () => {
    const { space } = createFixture();
    const signed = space.addVariable({
      browseName: 'S',
      dataType: 'Double',
      value: 1,
      accessRestrictions: AccessRestrictionType.SigningRequired,
    });
    const encrypted = space.addVariable({
      browseName: 'E',
      dataType: 'Double',
      value: 1,
      accessRestrictions: AccessRestrictionType.EncryptionRequired,
    });
    const status = (node: typeof signed, mode: MessageSecurityMode): number =>
      readNow(space, node.nodeId, { session: session([Roles.Anonymous], mode) }).statusCode;
    expect(status(signed, MessageSecurityMode.None)).toBe(StatusCodes.BadSecurityModeInsufficient);
    expect(status(signed, MessageSecurityMode.Sign)).toBe(StatusCodes.Good);
    expect(status(encrypted, MessageSecurityMode.Sign)).toBe(StatusCodes.BadSecurityModeInsufficient);
    expect(status(encrypted, MessageSecurityMode.SignAndEncrypt)).toBe(StatusCodes.Good);
  });
});
