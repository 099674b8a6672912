import { BrowseDirection, type BrowseResult, type ClientSession, NodeClass, type ReferenceDescription, resolveNodeId } from 'node-opcua';

const NODES_PER_REQUEST = 40;
/** Every field of a ReferenceDescription. */
const EVERYTHING = 0x3f;

/** A node as the first reference to it described it, with its references of both directions. */
export interface SeenNode {
  readonly nodeClass: NodeClass;
  readonly browseName: string;
  readonly references: readonly ReferenceDescription[];
}

/** What a client finds that follows references from Root, a few per answer. */
export interface SeenSpace {
  readonly nodes: ReadonlyMap<string, SeenNode>;
  /** Answers that had more to give. */
  readonly continuations: number;
}

/** Browses everything that hangs together with Root, with `maxReferences` per node and answer. */
export async function browseAll(session: ClientSession, maxReferences: number): Promise<SeenSpace> {
  const root = resolveNodeId('RootFolder').toString();
  const described = new Map([[root, { nodeClass: NodeClass.Object, browseName: 'Root' }]]);
  const nodes = new Map<string, SeenNode>();
  const waiting = [root];
  let continuations = 0;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, NODES_PER_REQUEST);
    const pages = await browseWhole(session, batch, maxReferences);
    continuations += pages.continuations;
    for (const [i, nodeId] of batch.entries()) {
      const references = pages.references[i] ?? [];
      nodes.set(nodeId, { ...(described.get(nodeId) as Omit<SeenNode, 'references'>), references });
      for (const { nodeId: targetId, nodeClass, browseName } of references) {
        const target = targetId.toString();
        if (described.has(target)) continue;
        described.set(target, { nodeClass, browseName: browseName.toString() });
        waiting.push(target);
      }
    }
  }
  return { nodes, continuations };
}

/** All references of some nodes. */
async function browseWhole(
  session: ClientSession,
  nodeIds: readonly string[],
  maxReferences: number,
): Promise<{ references: ReferenceDescription[][]; continuations: number }> {
  session.requestedMaxReferencesPerNode = maxReferences;
  const results = await session.browse(
    nodeIds.map((nodeId) => ({
      nodeId,
      browseDirection: BrowseDirection.Both,
      includeSubtypes: true,
      nodeClassMask: 0,
      resultMask: EVERYTHING,
    })),
  );
  const references = results.map(referencesOf);
  let continuations = 0;
  let open = results.map(({ continuationPoint }, i) => ({ continuationPoint, i })).filter(isOpen);
  while (open.length > 0) {
    continuations += open.length;
    const points = open.map(({ continuationPoint }) => continuationPoint);
    const next: BrowseResult[] = await session.browseNext(points, false);
    for (const [position, { i }] of open.entries()) references[i]?.push(...referencesOf(next[position] as BrowseResult));
    open = open.map(({ i }, position) => ({ continuationPoint: next[position]?.continuationPoint as Buffer, i })).filter(isOpen);
  }
  return { references, continuations };
}

function isOpen({ continuationPoint }: { continuationPoint: Buffer | null | undefined }): boolean {
  return (continuationPoint?.length ?? 0) > 0;
}

function referencesOf(result: BrowseResult): ReferenceDescription[] {
  if (!result.statusCode.isGood()) throw new Error(`browse: ${result.statusCode.toString()}`);
  return [...(result.references ?? [])];
}
