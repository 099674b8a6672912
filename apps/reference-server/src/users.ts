import { createHash, timingSafeEqual } from 'node:crypto';
import type { UserIdentity } from '@bulkhead/contracts';
import { NodeId, ObjectIds, UserTokenType } from '@bulkhead/types';
import type { ConfiguredUser } from './configuration.ts';
import { type RoleName, roleIds } from './roles.ts';

interface Account {
  readonly passwordDigest: Buffer;
  readonly identity: UserIdentity;
}

/**
 * Checks names and passwords against a list.
 * @returns who it is, or undefined; how long that takes doesn't tell how much of a password was right.
 */
export function createUserValidator(users: readonly ConfiguredUser[]): (name: string, password: string) => UserIdentity | undefined {
  const accounts = new Map<string, Account>(
    users.map(({ name, password, roles }) => [name, { passwordDigest: digest(password), identity: identify(name, roles) }]),
  );
  const nobody = digest('');
  return (name, password) => {
    const account = accounts.get(name);
    const matches = timingSafeEqual(account?.passwordDigest ?? nobody, digest(password));
    return matches ? account?.identity : undefined;
  };
}

function identify(name: string, roles: readonly RoleName[]): UserIdentity {
  // Every session has the first, everyone who logged in the second. OPC 10000-18 §4.2.
  const ids = [ObjectIds.WellKnownRole_Anonymous, ObjectIds.WellKnownRole_AuthenticatedUser, ...roles.map((role) => roleIds[role])];
  return { kind: UserTokenType.UserName, name, roles: ids.map((id) => NodeId.numeric(0, id)) };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
