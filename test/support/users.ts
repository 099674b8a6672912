import type { UserValidator } from '@bulkhead/opcua';
import { NodeId, ObjectIds, UserTokenType } from '@bulkhead/types';
import { userNamed } from './foreign-clients.ts';

/** Passwords are the names backwards. */
const roles: Readonly<Record<string, readonly number[]>> = {
  operator: [ObjectIds.WellKnownRole_Operator],
  observer: [ObjectIds.WellKnownRole_Observer],
  administrator: [
    ObjectIds.WellKnownRole_Operator,
    ObjectIds.WellKnownRole_Engineer,
    ObjectIds.WellKnownRole_Supervisor,
    ObjectIds.WellKnownRole_ConfigureAdmin,
    ObjectIds.WellKnownRole_SecurityAdmin,
    ObjectIds.WellKnownRole_SecurityKeyServerAdmin,
  ],
};

/** Knows an operator, an observer, and an administrator who may see everything. */
export const validateUser: UserValidator = (name, password) => {
  const granted = roles[name];
  if (granted === undefined || password !== passwordOf(name)) return undefined;
  return { kind: UserTokenType.UserName, name, roles: granted.map((id) => NodeId.numeric(0, id)) };
};

export const operator = userNamed('operator', passwordOf('operator'));
export const administrator = userNamed('administrator', passwordOf('administrator'));
export const observer = userNamed('observer', passwordOf('observer'));

function passwordOf(name: string): string {
  return Array.from(name).reverse().join('');
}
