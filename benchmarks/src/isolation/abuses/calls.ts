import { CallRequest, NodeId } from '@bulkhead/types';
import { encodeRequest } from '../../client/message-body.ts';
import { type Abuse, type AbuseTarget, abuserAddress, type RunningAbuse } from './abuse.ts';
import { startPipelining } from './pipelined.ts';

const SESSIONS = 20;
/** Together more than a server lets run at a time. */
const DEPTH = 20;
const CALLERS = 10;

/** Method calls that wait, until no execution slot is left. */
export const slowCalls: Abuse = {
  name: 'slow method calls',
  needsMethods: true,
  start: (target) => startCalls(target, target.methods.slow),
};

/** The same of a method that tells the server that its calls only wait. */
export const waitingCalls: Abuse = {
  name: 'slow method calls that park',
  needsMethods: true,
  start: (target) => startCalls(target, target.methods.waiting),
};

/** Method calls that hold the processor. */
export const burningCalls: Abuse = {
  name: 'CPU-burning method calls',
  needsMethods: true,
  start: (target) => startCalls(target, target.methods.burning),
};

function startCalls(target: AbuseTarget, method: string): Promise<RunningAbuse> {
  const objectId = NodeId.parse(target.methods.object);
  const methodsToCall = [{ objectId, methodId: NodeId.parse(method), inputArguments: null }];
  const body = (token: NodeId): Buffer => encodeRequest(CallRequest, { methodsToCall }, token, 1).bytes;
  return startPipelining(target, { sessions: SESSIONS, depth: DEPTH, addressOf: (index) => abuserAddress(index, CALLERS), body });
}
