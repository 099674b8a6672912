import { type Node, VariableNode } from '@bulkhead/address-space';
import { IdentityCriteriaType, IdentityMappingRuleType, MethodIds, NodeId, ObjectIds } from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';
import { type StandardNodes, structures } from './standard-nodes.ts';

/** Roles that Sessions get by a fixed rule. All others are given by the host's check of users. */
const rules: ReadonlyMap<number, IdentityCriteriaType> = new Map([
  [ObjectIds.WellKnownRole_Anonymous, IdentityCriteriaType.Anonymous],
  [ObjectIds.WellKnownRole_AuthenticatedUser, IdentityCriteriaType.AuthenticatedUser],
]);

/**
 * The RoleSet: who gets which Role can be read, and is decided by the server alone. Roles that the host gives have no
 * identity mapping rules and say so in CustomConfiguration. OPC 10000-18 §4.4.
 */
export function setServerRoles(nodes: StandardNodes, { space }: ServerParts): void {
  nodes.method(MethodIds.Server_ServerCapabilities_RoleSet_AddRole).executable = false;
  nodes.method(MethodIds.Server_ServerCapabilities_RoleSet_RemoveRole).executable = false;
  for (const role of children(space.getNode(NodeId.numeric(0, ObjectIds.Server_ServerCapabilities_RoleSet)))) {
    if (role.child('Identities') === undefined) continue;
    for (const member of children(role)) {
      if (member.name === 'Identities') setValue(member, structures(IdentityMappingRuleType, rulesOf(role)));
      else if (member.name === 'CustomConfiguration') setValue(member, true);
      else space.deleteStandardNode(member);
    }
  }
}

function rulesOf(role: Node): IdentityMappingRuleType[] {
  const criteriaType = typeof role.identifier === 'number' ? rules.get(role.identifier) : undefined;
  return criteriaType === undefined ? [] : [{ criteriaType, criteria: null }];
}

function setValue(node: Node, value: unknown): void {
  if (node instanceof VariableNode) node.setValue(value);
}

/** A copy, so that nodes can be deleted on the way. */
function children(node: Node | undefined): Node[] {
  return [...(node?.references() ?? [])].filter(({ isForward, type }) => isForward && type.isHierarchical).map(({ target }) => target);
}
