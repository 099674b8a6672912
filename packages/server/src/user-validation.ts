import type { UserIdentity } from '@bulkhead/contracts';
import type { UserValidator as SessionUserValidator } from '@bulkhead/session';
import { NodeId, ObjectIds, UserTokenType } from '@bulkhead/types';
import type { UserValidator } from './server-options.ts';

/** What every user has who logged in, whatever other roles there are. OPC 10000-18 §4.3.2. */
const AUTHENTICATED_ROLES: readonly NodeId[] = [
  NodeId.numeric(0, ObjectIds.WellKnownRole_Anonymous),
  NodeId.numeric(0, ObjectIds.WellKnownRole_AuthenticatedUser),
];

/**
 * What a host's validator says as an identity.
 * @param name of a user of whom it says no more than that he may.
 */
export function asIdentity(answer: UserIdentity | boolean | undefined, kind: UserTokenType, name: string): UserIdentity | undefined {
  if (answer === true) return { kind, name, roles: AUTHENTICATED_ROLES };
  return answer === false || answer === undefined ? undefined : withAuthenticatedRoles(answer);
}

/** Adapts the host's check of names and passwords to what Sessions ask for. */
export function createUserValidator(validate: UserValidator | undefined): SessionUserValidator | undefined {
  if (validate === undefined) return undefined;
  return async (userName, password): Promise<UserIdentity | undefined> => {
    const answer = await validate(userName, password.toString('utf8'));
    return asIdentity(answer, UserTokenType.UserName, userName);
  };
}

/** The host names the roles that this user has beyond those of everybody. */
function withAuthenticatedRoles(identity: UserIdentity): UserIdentity {
  const others = identity.roles.filter((role) => !AUTHENTICATED_ROLES.some((common) => common.equals(role)));
  return { ...identity, roles: [...AUTHENTICATED_ROLES, ...others] };
}
