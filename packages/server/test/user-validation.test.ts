import { NodeId, ObjectIds, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { UserValidator } from '../src/index.ts';
import { createUserValidator } from '../src/user-validation.ts';

const roleIds = (...ids: number[]): NodeId[] => ids.map((id) => NodeId.numeric(0, id));
const { WellKnownRole_Anonymous: ANONYMOUS, WellKnownRole_AuthenticatedUser: AUTHENTICATED, WellKnownRole_Operator: OPERATOR } = ObjectIds;

async function rolesGiven(answer: Awaited<ReturnType<UserValidator>>): Promise<string[] | undefined> {
  const identity = await createUserValidator(() => answer)?.('someone', Buffer.from('secret'), undefined as never);
  return identity?.roles.map((role) => role.toString());
}

describe('the roles of a user who logged in', () => {
  const common = roleIds(ANONYMOUS, AUTHENTICATED).map(String);

  it('are those of everybody when the host only says yes', async () => {
    expect(await rolesGiven(true)).toEqual(common);
  });

  it('are those of everybody and those that the host names, each once', async () => {
    const identity = { kind: UserTokenType.UserName, name: 'someone', roles: roleIds(OPERATOR, AUTHENTICATED) };
    expect(await rolesGiven(identity)).toEqual([...common, NodeId.numeric(0, OPERATOR).toString()]);
  });

  it('are none for who is refused', async () => {
    expect(await rolesGiven(false)).toBeUndefined();
    expect(await rolesGiven(undefined)).toBeUndefined();
  });
});
