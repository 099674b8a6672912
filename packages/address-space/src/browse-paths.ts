import type { SessionContext } from '@bulkhead/contracts';
import {
  type BrowsePath,
  type BrowsePathResult,
  type BrowsePathTarget,
  ExpandedNodeId,
  type RelativePathElement,
  type StatusCode,
  StatusCodes,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { ReferenceKind } from './references.ts';
import type { ReferenceTypeNode } from './type-nodes.ts';
import type { TypeTree } from './type-tree.ts';

/** "The whole path was followed." OPC 10000-4 §5.9.4. */
const PATH_COMPLETE = 0xffffffff;
const MAX_ELEMENTS = 128;
/** A path through nodes with many like-named children could fan out without end. */
const MAX_TARGETS = 1000;
/** References looked at for one path, beyond which no further node is looked at: a path may go back and forth through a large one. */
const MAX_REFERENCES = 250_000;

/** What a path has cost so far. */
interface Effort {
  references: number;
}

/** Follows relative paths of browse names. OPC 10000-4 §5.9.4. */
export class BrowsePaths {
  readonly #namespaces: NamespaceTable;
  readonly #types: TypeTree;
  readonly #access: AccessControl;

  constructor(namespaces: NamespaceTable, types: TypeTree, access: AccessControl) {
    this.#namespaces = namespaces;
    this.#types = types;
    this.#access = access;
  }

  /** The nodes at the end of a path. Never throws. */
  translate(session: SessionContext | undefined, path: BrowsePath): BrowsePathResult {
    const start = this.#namespaces.find(path.startingNode);
    if (start === undefined) return failed(path.startingNode.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown);
    const elements = path.relativePath.elements;
    if (elements === null || elements.length === 0) return failed(StatusCodes.BadNothingToDo);
    if (elements.length > MAX_ELEMENTS) return failed(StatusCodes.BadTooManyMatches);
    let nodes: ReadonlySet<Node> = new Set([start]);
    const effort: Effort = { references: 0 };
    for (const [i, element] of elements.entries()) {
      const isLast = i === elements.length - 1;
      // Without a name, the last element gives all targets.
      if (element.targetName.isNull && !isLast) return failed(StatusCodes.BadBrowseNameInvalid);
      const next = this.#follow(session, nodes, element, effort);
      if (typeof next === 'number') return failed(next);
      if (next.size === 0) return failed(StatusCodes.BadNoMatch);
      nodes = next;
    }
    const targets = Array.from(
      nodes,
      (node): BrowsePathTarget => ({
        targetId: new ExpandedNodeId(node.nodeId),
        remainingPathIndex: PATH_COMPLETE,
      }),
    );
    return { statusCode: StatusCodes.Good, targets };
  }

  #follow(
    session: SessionContext | undefined,
    nodes: ReadonlySet<Node>,
    element: RelativePathElement,
    effort: Effort,
  ): Set<Node> | StatusCode {
    let referenceType: ReferenceTypeNode | undefined;
    if (!element.referenceTypeId.isNull) {
      referenceType = this.#types.referenceType(element.referenceTypeId);
      // An unknown type can't match anything.
      if (referenceType === undefined) return StatusCodes.BadNoMatch;
    }
    const found = new Set<Node>();
    for (const node of nodes) {
      if (effort.references > MAX_REFERENCES) return StatusCodes.BadQueryTooComplex;
      const slots = node.slots;
      effort.references += slots.length / 2;
      for (let i = 0; i < slots.length; i += 2) {
        const kind = slots[i] as ReferenceKind | undefined;
        if (kind === undefined || kind.isForward === element.isInverse || !isWanted(kind, referenceType, element.includeSubtypes)) continue;
        const target = slots[i + 1] as Node;
        if (!hasName(target, element) || !this.#access.isBrowsable(session, target)) continue;
        found.add(target);
        if (found.size > MAX_TARGETS) return StatusCodes.BadTooManyMatches;
      }
    }
    return found;
  }
}

function isWanted(kind: ReferenceKind, type: ReferenceTypeNode | undefined, includeSubtypes: boolean): boolean {
  return type === undefined || kind.type === type || (includeSubtypes && kind.type.isSubtypeOf(type));
}

function hasName(target: Node, element: RelativePathElement): boolean {
  const { targetName } = element;
  return targetName.isNull || (target.name === targetName.name && target.nameIndex === targetName.namespaceIndex);
}

function failed(statusCode: StatusCode): BrowsePathResult {
  return { statusCode, targets: [] };
}
