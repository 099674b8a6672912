import type { AddressSpace, BrowseCursor } from '@bulkhead/address-space';
import { BrowseDirection, BrowseResultMask, NodeId, type NodeKey, ObjectIds, ReferenceTypeIds } from '@bulkhead/types';
import { statusName } from '../client/message-body.ts';

const PAGE = 1000;

/** Browses everything below Root, page by page, as a client would. @returns the number of distinct nodes. @throws Error for a bad answer. */
export function browseAll(space: AddressSpace): number {
  const root = NodeId.numeric(0, ObjectIds.RootFolder);
  const seen = new Set<NodeKey>([root.key]);
  const toVisit: NodeId[] = [root];
  for (let nodeId = toVisit.pop(); nodeId !== undefined; nodeId = toVisit.pop()) {
    for (const child of childrenOf(space, nodeId)) {
      if (seen.has(child.key)) continue;
      seen.add(child.key);
      toVisit.push(child);
    }
  }
  return seen.size;
}

function childrenOf(space: AddressSpace, nodeId: NodeId): NodeId[] {
  const description = {
    nodeId,
    browseDirection: BrowseDirection.Forward,
    referenceTypeId: NodeId.numeric(0, ReferenceTypeIds.HierarchicalReferences),
    includeSubtypes: true,
    nodeClassMask: 0,
    resultMask: BrowseResultMask.All,
  };
  const children: NodeId[] = [];
  let cursor: BrowseCursor | undefined;
  do {
    const page = space.browse(undefined, description, cursor, PAGE);
    if (page.statusCode !== 0) throw new Error(`${nodeId.toString()}: ${statusName(page.statusCode)}`);
    for (const reference of page.references) children.push(reference.nodeId.nodeId);
    cursor = page.next;
  } while (cursor !== undefined);
  return children;
}
