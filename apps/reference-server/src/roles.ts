import { ObjectIds } from '@bulkhead/types';

/** Well-known roles of OPC 10000-18 §4.2 that a configuration can give to users. */
export const roleNames = ['Observer', 'Operator', 'Engineer', 'Supervisor', 'ConfigureAdmin', 'SecurityAdmin'] as const;

export type RoleName = (typeof roleNames)[number];

/** Their NodeIds in namespace 0. */
export const roleIds: Readonly<Record<RoleName, number>> = {
  Observer: ObjectIds.WellKnownRole_Observer,
  Operator: ObjectIds.WellKnownRole_Operator,
  Engineer: ObjectIds.WellKnownRole_Engineer,
  Supervisor: ObjectIds.WellKnownRole_Supervisor,
  ConfigureAdmin: ObjectIds.WellKnownRole_ConfigureAdmin,
  SecurityAdmin: ObjectIds.WellKnownRole_SecurityAdmin,
};
