import { AttributeIds, type NodeId, QualifiedName, ReadRequest, TimestampsToReturn } from '@bulkhead/types';
import { encodeRequest } from '../../client/message-body.ts';
import { type Abuse, type AbuseTarget, POLITE_ADDRESS, type RunningAbuse, variablesOf } from './abuse.ts';
import { startPipelining } from './pipelined.ts';

const SESSIONS = 20;
const DEPTH = 50;

/** Reads everything all the time. */
export const hog: Abuse = { name: 'hog', start: (target) => startHog(target, '127.0.0.2') };

/** The same from behind the address that the polite client has too. */
export const hogBehindOneAddress: Abuse = { name: 'hog behind the same address', start: (target) => startHog(target, POLITE_ADDRESS) };

/** The same by opc.wss; the polite client comes by opc.tcp. */
export const hogOverWss: Abuse = {
  name: 'hog over opc.wss',
  overWss: true,
  start: (target) => startHog({ ...target, url: target.wssUrl ?? target.url }, '127.0.0.2'),
};

function startHog(target: AbuseTarget, address: string): Promise<RunningAbuse> {
  const nodesToRead = variablesOf(target).map((nodeId) => ({
    nodeId,
    attributeId: AttributeIds.Value,
    indexRange: null,
    dataEncoding: QualifiedName.NULL,
  }));
  const fields = { maxAge: 0, timestampsToReturn: TimestampsToReturn.Both, nodesToRead };
  const body = (token: NodeId): Buffer => encodeRequest(ReadRequest, fields, token, 1).bytes;
  return startPipelining(target, { sessions: SESSIONS, depth: DEPTH, addressOf: () => address, body });
}
