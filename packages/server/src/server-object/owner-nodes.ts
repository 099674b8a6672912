import type { ObjectNode, StructureValue } from '@bulkhead/address-space';
import { stageNames } from '@bulkhead/resource-isolation';
import { NodeId, ObjectIds, PermissionType, RolePermissionType } from '@bulkhead/types';
import type { OwnerReport, StageUsage } from '../isolation/server-isolation.ts';
import type { ServerParts } from '../wiring.ts';
import { Snapshot } from './snapshot.ts';
import { LIVE_SAMPLING_MS } from './standard-nodes.ts';

const { Browse, Read, ReadRolePermissions } = PermissionType;

/** Who uses a server is for those who run it: names of users and addresses are among the keys. */
const administrators: readonly RolePermissionType[] = [
  ObjectIds.WellKnownRole_SecurityAdmin,
  ObjectIds.WellKnownRole_ConfigureAdmin,
  ObjectIds.WellKnownRole_Supervisor,
].map((id) => RolePermissionType.create({ roleId: NodeId.numeric(0, id), permissions: Browse | Read | ReadRolePermissions }));

/**
 * Adds the Variables Owners and Stages: who has how much in use and what it costs, as `server.isolation` tells. Made at most every half
 * second, however often they are read.
 */
export function addOwnerNodes({ space, isolation, runtime }: ServerParts, folder: ObjectNode): void {
  const ownerType = space.addStructureType({
    name: 'OwnerUsage',
    nodeId: 's=Server.Isolation.OwnerUsage',
    binaryEncodingId: 's=Server.Isolation.OwnerUsage.Binary',
    fields: [
      { name: 'Key', dataType: 'String' },
      { name: 'OwnerClass', dataType: 'String' },
      { name: 'ExecutionMs', dataType: 'Double', description: 'How long its requests have held the event loop.' },
      { name: 'RefusalCount', dataType: 'Double', description: 'Since it has had something in use without a break.' },
      { name: 'RetainedBytes', dataType: 'Double', description: 'Kept for it when its requests are done.' },
      { name: 'Usage', dataType: 'Double', valueRank: 1, description: 'In use, by stage, in the order of Stages.' },
    ],
  });
  const stageType = space.addStructureType({
    name: 'StageUsage',
    nodeId: 's=Server.Isolation.StageUsage',
    binaryEncodingId: 's=Server.Isolation.StageUsage.Binary',
    fields: [
      { name: 'Stage', dataType: 'String' },
      { name: 'Unit', dataType: 'String', description: 'count or bytes.' },
      { name: 'Used', dataType: 'Double' },
      { name: 'Total', dataType: 'Double', description: '0 where the provider tells no limits.' },
    ],
  });
  const live = (make: () => StructureValue[]): Snapshot<StructureValue[]> => new Snapshot(runtime.clock, LIVE_SAMPLING_MS, make);
  const owners = live(() => isolation.owners().map((report) => ownerValue(report, isolation.retained.ofOwner(report.key))));
  const stages = live(() => isolation.usage().map(stageValue));
  for (const [name, dataType, snapshot] of [
    ['Owners', ownerType, owners],
    ['Stages', stageType, stages],
  ] as const) {
    folder.addVariable({
      browseName: name,
      nodeId: `s=Server.Isolation.${name}`,
      dataType,
      valueRank: 1,
      read: () => snapshot.value,
      minimumSamplingInterval: LIVE_SAMPLING_MS,
      rolePermissions: administrators,
    });
  }
}

function ownerValue({ key, ownerClass, executionMs, refusalCount, usage }: OwnerReport, retainedBytes: number): StructureValue {
  return {
    Key: key,
    OwnerClass: ownerClass,
    ExecutionMs: executionMs,
    RefusalCount: refusalCount,
    RetainedBytes: retainedBytes,
    Usage: stageNames.map((stage) => usage[stage]),
  };
}

function stageValue({ stage, unit, used, total = 0 }: StageUsage): StructureValue {
  return { Stage: stage, Unit: unit, Used: used, Total: total };
}
