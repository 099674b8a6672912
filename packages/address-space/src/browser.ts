import type { SessionContext } from '@bulkhead/contracts';
import {
  type BrowseDescription,
  BrowseDirection,
  BrowseResultMask,
  ExpandedNodeId,
  LocalizedText,
  NodeClass,
  NodeId,
  QualifiedName,
  type ReferenceDescription,
  type StatusCode,
  StatusCodes,
  type ViewDescription,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { ReferenceKind, ReferenceSlots } from './references.ts';
import type { ReferenceTypeNode } from './type-nodes.ts';
import type { TypeTree } from './type-tree.ts';

/**
 * Where a Browse goes on. Holds no copy of the references: nodes added meanwhile may show up, nodes deleted meanwhile don't.
 */
export interface BrowseCursor {
  readonly slots: ReferenceSlots;
  readonly position: number;
}

/** A part of a Browse result. */
export interface BrowsePage {
  readonly statusCode: StatusCode;
  readonly references: readonly ReferenceDescription[];
  /** Set when there are more references than were asked for. */
  readonly next: BrowseCursor | undefined;
}

/** What a reference has to be to be in the result. */
interface BrowseFilter {
  readonly direction: BrowseDirection;
  /** Undefined: any. */
  readonly referenceType: ReferenceTypeNode | undefined;
  readonly includeSubtypes: boolean;
  readonly nodeClassMask: number;
  readonly resultMask: number;
}

/** Looks along references. OPC 10000-4 §5.9.2. */
export class Browser {
  readonly #namespaces: NamespaceTable;
  readonly #types: TypeTree;
  readonly #access: AccessControl;

  constructor(namespaces: NamespaceTable, types: TypeTree, access: AccessControl) {
    this.#namespaces = namespaces;
    this.#types = types;
    this.#access = access;
  }

  /**
   * The node's references that fit the description, at most `max` of them. Never throws.
   * @param from where to go on; undefined to start. The description must be the same as before.
   * @param max at least 1; Infinity for all of them.
   */
  browse(session: SessionContext | undefined, description: BrowseDescription, from: BrowseCursor | undefined, max: number): BrowsePage {
    const node = this.#namespaces.find(description.nodeId);
    if (node === undefined) return failed(description.nodeId.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown);
    const filter = this.#filter(description);
    if (typeof filter === 'number') return failed(filter);
    if (!this.#access.isBrowsable(session, node)) return failed(StatusCodes.BadNodeIdUnknown);
    return this.#collect(session, filter, from ?? { slots: node.slots, position: 0 }, max);
  }

  /** Good when the view is null (the whole address space) or exists. OPC 10000-4 §7.45. */
  checkView(view: ViewDescription): StatusCode {
    if (view.viewId.isNull) return StatusCodes.Good;
    const node = this.#namespaces.find(view.viewId);
    return node?.nodeClass === NodeClass.View ? StatusCodes.Good : StatusCodes.BadViewIdUnknown;
  }

  #filter(description: BrowseDescription): BrowseFilter | StatusCode {
    const { browseDirection: direction, includeSubtypes, nodeClassMask, resultMask } = description;
    if (direction !== BrowseDirection.Forward && direction !== BrowseDirection.Inverse && direction !== BrowseDirection.Both) {
      return StatusCodes.BadBrowseDirectionInvalid;
    }
    let referenceType: ReferenceTypeNode | undefined;
    if (!description.referenceTypeId.isNull) {
      referenceType = this.#types.referenceType(description.referenceTypeId);
      if (referenceType === undefined) return StatusCodes.BadReferenceTypeIdInvalid;
    }
    return { direction, referenceType, includeSubtypes, nodeClassMask, resultMask };
  }

  #collect(session: SessionContext | undefined, filter: BrowseFilter, from: BrowseCursor, max: number): BrowsePage {
    const references: ReferenceDescription[] = [];
    const slots = from.slots;
    let lastKind: ReferenceKind | undefined;
    let lastFits = false;
    for (let i = from.position; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind === undefined) continue;
      if (kind !== lastKind) {
        lastKind = kind;
        lastFits = fits(kind, filter);
      }
      if (!lastFits) continue;
      const target = slots[i + 1] as Node;
      if (filter.nodeClassMask !== 0 && (filter.nodeClassMask & target.nodeClass) === 0) continue;
      if (target.isDeleted || !this.#access.isBrowsable(session, target)) continue;
      // Only now is it certain that there is more.
      if (references.length >= max) return { statusCode: StatusCodes.Good, references, next: { slots, position: i } };
      references.push(this.#describe(kind, target, filter.resultMask));
    }
    return { statusCode: StatusCodes.Good, references, next: undefined };
  }

  #describe(kind: ReferenceKind, target: Node, mask: number): ReferenceDescription {
    const nodeClass = target.nodeClass;
    return {
      referenceTypeId: mask & BrowseResultMask.ReferenceTypeId ? kind.type.nodeId : NodeId.NULL,
      isForward: mask & BrowseResultMask.IsForward ? kind.isForward : false,
      nodeId: new ExpandedNodeId(target.nodeId),
      browseName: mask & BrowseResultMask.BrowseName ? target.browseName : QualifiedName.NULL,
      displayName: mask & BrowseResultMask.DisplayName ? target.displayName : LocalizedText.NULL,
      nodeClass: mask & BrowseResultMask.NodeClass ? nodeClass : NodeClass.Unspecified,
      typeDefinition: mask & BrowseResultMask.TypeDefinition ? this.#typeDefinition(target) : ExpandedNodeId.NULL,
    };
  }

  #typeDefinition(target: Node): ExpandedNodeId {
    const type = this.#types.typeDefinitionOf(target);
    return type === undefined ? ExpandedNodeId.NULL : new ExpandedNodeId(type.nodeId);
  }
}

function fits(kind: ReferenceKind, filter: BrowseFilter): boolean {
  if (filter.direction !== BrowseDirection.Both && kind.isForward !== (filter.direction === BrowseDirection.Forward)) return false;
  if (filter.referenceType === undefined || kind.type === filter.referenceType) return true;
  return filter.includeSubtypes && kind.type.isSubtypeOf(filter.referenceType);
}

function failed(statusCode: StatusCode): BrowsePage {
  return { statusCode, references: [], next: undefined };
}
