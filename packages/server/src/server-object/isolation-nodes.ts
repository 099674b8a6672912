import { type MethodNode, ObjectNode, type StructureValue } from '@bulkhead/address-space';
import { DateTime, NodeId, ObjectIds, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { RefusalEntry } from '../isolation/refusal-log.ts';
import type { ServerParts } from '../wiring.ts';
import { addOwnerNodes } from './owner-nodes.ts';

/**
 * Adds VendorServerInfo/Isolation in the server's own namespace: a Method by which a client learns what was refused to it, and
 * nothing about others; and for administrators who uses the server. OPC 10000-5 §6.3.6 leaves VendorServerInfo to the vendor.
 */
export function addIsolationNodes(parts: ServerParts): MethodNode {
  const { space, isolation, owners } = parts;
  const refusalType = space.addStructureType({
    name: 'ResourceRefusal',
    nodeId: 's=Server.Isolation.ResourceRefusal',
    binaryEncodingId: 's=Server.Isolation.ResourceRefusal.Binary',
    fields: [
      { name: 'Id', dataType: 'Double', description: 'Also in the fault, if there was one.' },
      { name: 'Time', dataType: 'UtcTime' },
      { name: 'Stage', dataType: 'String' },
      { name: 'Reason', dataType: 'String' },
      { name: 'Usage', dataType: 'Double', description: 'How full the limit was.' },
      { name: 'Limit', dataType: 'Double' },
      { name: 'IsShadow', dataType: 'Boolean', description: 'It was admitted, and would not have been.' },
    ],
  });
  const vendorInfo = space.getNode(NodeId.numeric(0, ObjectIds.Server_VendorServerInfo));
  if (!(vendorInfo instanceof ObjectNode)) throw new UaStatusError(StatusCodes.BadNodeIdUnknown, 'no VendorServerInfo');
  const folder = space.addObject(vendorInfo, { browseName: 'Isolation', nodeId: 's=Server.Isolation' });
  addOwnerNodes(parts, folder);
  return space.addMethod(folder, {
    browseName: 'GetOwnRefusals',
    nodeId: 's=Server.Isolation.GetOwnRefusals',
    outputArguments: [{ name: 'Refusals', dataType: refusalType, valueRank: 1, description: 'The last ones, the oldest first.' }],
    call: (_inputs, { session }) => {
      if (session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
      const { key } = owners.ownerOf(session.channel, session);
      return [isolation.refusals(key).map(structureOf)];
    },
  });
}

function structureOf({ id, at, stage, reason, usage, limit, isShadow }: RefusalEntry): StructureValue {
  return {
    Id: id,
    Time: DateTime.fromUnixMs(at.getTime()),
    Stage: stage,
    Reason: reason,
    Usage: usage,
    Limit: limit,
    IsShadow: isShadow,
  };
}
