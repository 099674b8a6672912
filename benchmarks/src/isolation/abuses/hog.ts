import { AttributeIds, type NodeId, QualifiedName, ReadRequest, TimestampsToReturn } from '@bulkhead/types';
import { encodeRequest } from '../../client/message-body.ts';
import { type Abuse, type AbuseTarget, POLITE_ADDRESS, type RunningAbuse, urlBy, variablesOf, type WebTransport } from './abuse.ts';
import { startPipelining } from './pipelined.ts';

/** Large Reads on their way at a time: over HTTPS each has a connection, and a Session, for itself. */
const SHARED_CONNECTIONS = { sessions: 20, depth: 50 };
const CONNECTION_EACH = { sessions: 50, depth: 1 };

/** Reads everything all the time. */
export const hog: Abuse = { name: 'hog', start: (target) => startHog(target, '127.0.0.2') };

/** The same from behind the address that the polite client has too. */
export const hogBehindOneAddress: Abuse = { name: 'hog behind the same address', start: (target) => startHog(target, POLITE_ADDRESS) };

/** The same by WebSockets, and by HTTPS from 50 connections, beside clients of other transports. */
export const hogsOverTheWeb: readonly Abuse[] = [
  hogOver('opc.wss:'),
  hogOver('opc.wss:', 'opc.https:'),
  hogOver('opc.https:'),
  hogOver('opc.https:', 'opc.wss:'),
];

function hogOver(transport: WebTransport, politeTransport?: WebTransport): Abuse {
  return {
    name: `hog over ${transport.slice(0, -1)}${politeTransport === undefined ? '' : `, beside ${politeTransport.slice(0, -1)}`}`,
    transport,
    ...(politeTransport === undefined ? {} : { politeTransport }),
    start: (target) => startHog({ ...target, url: urlBy(target, transport) ?? target.url }, '127.0.0.2'),
  };
}

function startHog(target: AbuseTarget, address: string): Promise<RunningAbuse> {
  const load = target.url.startsWith('opc.https:') ? CONNECTION_EACH : SHARED_CONNECTIONS;
  const nodesToRead = variablesOf(target).map((nodeId) => ({
    nodeId,
    attributeId: AttributeIds.Value,
    indexRange: null,
    dataEncoding: QualifiedName.NULL,
  }));
  const fields = { maxAge: 0, timestampsToReturn: TimestampsToReturn.Both, nodesToRead };
  const body = (token: NodeId): Buffer => encodeRequest(ReadRequest, fields, token, 1).bytes;
  return startPipelining(target, { ...load, addressOf: () => address, body });
}
