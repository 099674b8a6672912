import type { SessionContext } from '@bulkhead/contracts';
import {
  AccessRestrictionType,
  MessageSecurityMode,
  NodeClass,
  type NodeId,
  PermissionType,
  type RolePermissionType,
  type StatusCode,
  StatusCodes,
} from '@bulkhead/types';
import type { Node } from './node.ts';

const EVERYTHING = 0xffffffff;

/** What a set of roles may do, per list of RolePermissions. */
type RoleSetPermissions = WeakMap<readonly RolePermissionType[], number>;

/**
 * Decides who may do what with a node. Permissions are worked out once per list of RolePermissions and set of roles; both
 * are immutable, so a change makes a new list and needs no invalidation. OPC 10000-3 §4.9, §5.2.9, §5.2.11.
 */
export class AccessControl {
  readonly #isEnforced: boolean;
  readonly #byRoles = new WeakMap<readonly NodeId[], RoleSetPermissions>();

  constructor(isEnforced: boolean) {
    this.#isEnforced = isEnforced;
  }

  /** True when the session's roles have that permission on the node. Calls from inside the server (no session) may do everything. */
  allows(session: SessionContext | undefined, node: Node, permission: number): boolean {
    const list = node.extras?.rolePermissions ?? node.namespace.defaultRolePermissions;
    if (list === undefined || session === undefined || !this.#isEnforced) return true;
    return (this.#permissionsOf(session.identity.roles, list) & permission) !== 0;
  }

  /** The permission bits that the session has on the node; all of them without a list. */
  permissions(session: SessionContext | undefined, node: Node): number {
    const list = node.extras?.rolePermissions ?? node.namespace.defaultRolePermissions;
    if (list === undefined || session === undefined || !this.#isEnforced) return EVERYTHING;
    return this.#permissionsOf(session.identity.roles, list);
  }

  /** Good when the channel is as secure as the node's AccessRestrictions want, else BadSecurityModeInsufficient. */
  checkRestrictions(session: SessionContext | undefined, node: Node): StatusCode {
    const restrictions = node.extras?.accessRestrictions ?? node.namespace.defaultAccessRestrictions;
    if (restrictions === 0 || session === undefined || !this.#isEnforced) return StatusCodes.Good;
    const mode = session.channel.securityMode;
    const isEncrypted = mode === MessageSecurityMode.SignAndEncrypt;
    if ((restrictions & AccessRestrictionType.EncryptionRequired) !== 0 && !isEncrypted) return StatusCodes.BadSecurityModeInsufficient;
    const isSigned = isEncrypted || mode === MessageSecurityMode.Sign;
    if ((restrictions & AccessRestrictionType.SigningRequired) !== 0 && !isSigned) return StatusCodes.BadSecurityModeInsufficient;
    return StatusCodes.Good;
  }

  /** False when the node is to be left out of Browse results. */
  isBrowsable(session: SessionContext | undefined, node: Node): boolean {
    if (!this.allows(session, node, PermissionType.Browse)) return false;
    const restrictions = node.extras?.accessRestrictions ?? node.namespace.defaultAccessRestrictions;
    if ((restrictions & AccessRestrictionType.ApplyRestrictionsToBrowse) === 0) return true;
    return this.checkRestrictions(session, node) === StatusCodes.Good;
  }

  /** The entries of the node's RolePermissions that count for the session. */
  userRolePermissions(session: SessionContext | undefined, node: Node): readonly RolePermissionType[] {
    const list = node.extras?.rolePermissions ?? node.namespace.defaultRolePermissions ?? [];
    if (session === undefined) return list;
    return list.filter(({ roleId }) => session.identity.roles.some((role) => role.equals(roleId)));
  }

  /** AccessLevel without what the session may not do. */
  userAccessLevel(session: SessionContext | undefined, node: Node, accessLevel: number): number {
    const permissions = this.permissions(session, node);
    let level = accessLevel;
    if ((permissions & PermissionType.Read) === 0) level &= ~0x01;
    if ((permissions & PermissionType.Write) === 0) level &= ~0x02;
    if ((permissions & PermissionType.ReadHistory) === 0) level &= ~0x04;
    if ((permissions & (PermissionType.InsertHistory | PermissionType.ModifyHistory | PermissionType.DeleteHistory)) === 0) level &= ~0x08;
    return level;
  }

  /** WriteMask without what the session may not write. */
  userWriteMask(session: SessionContext | undefined, node: Node): number {
    const mask = node.extras?.writeMask ?? 0;
    if (mask === 0 || (this.permissions(session, node) & PermissionType.WriteAttribute) !== 0) return mask;
    return 0;
  }

  mayCall(session: SessionContext | undefined, node: Node): boolean {
    return node.nodeClass !== NodeClass.Method || this.allows(session, node, PermissionType.Call);
  }

  #permissionsOf(roles: readonly NodeId[], list: readonly RolePermissionType[]): number {
    let byList = this.#byRoles.get(roles);
    if (byList === undefined) {
      byList = new WeakMap();
      this.#byRoles.set(roles, byList);
    }
    let permissions = byList.get(list);
    if (permissions === undefined) {
      permissions = 0;
      for (const entry of list) {
        if (roles.some((role) => role.equals(entry.roleId))) permissions = (permissions | entry.permissions) >>> 0;
      }
      byList.set(list, permissions);
    }
    return permissions;
  }
}
