import { AttributeIds, type NodeId, QualifiedName, ReadRequest, ReadResponse, TimestampsToReturn } from '@bulkhead/types';
import { decodeResponse, encodeRequest, statusName } from '../client/message-body.ts';
import type { ClientSession } from '../client/session.ts';
import { RequestLoad } from './request-load.ts';

/** Different requests that are sent in turn, so that not the same node is read each time. */
const DISTINCT_REQUESTS = 200;
/** One value in so many is decoded and checked. */
const VALUES_PER_CHECK = 20_000;
const MIN_RESPONSES_PER_CHECK = 50;

export interface ReadLoadOptions {
  /** Nodes to choose from; all have a good Value. */
  readonly nodes: readonly NodeId[];
  readonly nodesPerRequest: number;
  /** Requests in flight. */
  readonly depth: number;
}

/** Reads Values with both timestamps. */
export function startReadLoad(session: ClientSession, options: ReadLoadOptions): RequestLoad {
  const { nodes, nodesPerRequest, depth } = options;
  const distinct = nodesPerRequest < nodes.length ? Math.max(DISTINCT_REQUESTS, depth) : depth;
  const bodies = Array.from({ length: distinct }, (_, index) => {
    const nodesToRead = Array.from({ length: nodesPerRequest }, (_unused, i) => ({
      nodeId: nodes[(index * nodesPerRequest + i) % nodes.length] as NodeId,
      attributeId: AttributeIds.Value,
      indexRange: null,
      dataEncoding: QualifiedName.NULL,
    }));
    const fields = { maxAge: 0, timestampsToReturn: TimestampsToReturn.Both, nodesToRead };
    return encodeRequest(ReadRequest, fields, session.authenticationToken, 0);
  });
  return new RequestLoad(session, {
    bodies,
    depth,
    responseTypeId: ReadResponse.binaryEncodingId,
    verify: (bytes, start, end) => verifyValues(decodeResponse(ReadResponse, bytes, start, end), nodesPerRequest),
    verifyEvery: Math.max(MIN_RESPONSES_PER_CHECK, Math.ceil(VALUES_PER_CHECK / nodesPerRequest)),
  });
}

function verifyValues({ results }: ReadResponse, count: number): void {
  if (results?.length !== count) throw new Error(`${results?.length ?? 0} results for ${count} nodes`);
  for (const { statusCode, value, sourceTimestamp, serverTimestamp } of results) {
    if (statusCode !== 0) throw new Error(`a node could not be read: ${statusName(statusCode)}`);
    if (value === undefined || value.isNull) throw new Error('a node without a value');
    if (sourceTimestamp === undefined || serverTimestamp === undefined) throw new Error('a value without its timestamps');
  }
}
