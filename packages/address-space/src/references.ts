import type { Node } from './node.ts';
import type { ReferenceTypeNode } from './type-nodes.ts';

/** A ReferenceType seen from one end. Two per ReferenceType, shared by all references of it. */
export class ReferenceKind {
  readonly type: ReferenceTypeNode;
  readonly isForward: boolean;

  constructor(type: ReferenceTypeNode, isForward: boolean) {
    this.type = type;
    this.isForward = isForward;
  }
}

/**
 * All references of a node, both directions: kind, target, kind, target … Both are undefined where a reference was removed.
 * An array that a reader holds keeps its order: references are appended, blanked, or moved to a new array.
 */
export type ReferenceSlots = (ReferenceKind | Node | undefined)[];

/** The slots of a node without references; never written to. */
export const NO_REFERENCES: ReferenceSlots = [];
/** The slots of a node that was deleted from its address space. */
export const DELETED: ReferenceSlots = [];

/** Up to here arrays fit exactly: nearly all nodes have few references, and there may be millions of nodes. */
const EXACT_SLOTS = 16;
const MIN_BLANKS_TO_COMPACT = 32;

/** Adds one end of a reference. Amortised O(1). */
export function appendReference(node: Node, kind: ReferenceKind, target: Node): void {
  const slots = node.slots;
  if (slots.length >= EXACT_SLOTS) {
    slots.push(kind, target);
    return;
  }
  const grown: ReferenceSlots = new Array(slots.length + 2);
  for (let i = 0; i < slots.length; i++) grown[i] = slots[i];
  grown[slots.length] = kind;
  grown[slots.length + 1] = target;
  node.slots = grown;
}

/** True when the node's side of that reference exists. O(number of references). */
export function hasReference(node: Node, kind: ReferenceKind, target: Node): boolean {
  const slots = node.slots;
  for (let i = slots.length - 2; i >= 0; i -= 2) {
    if (slots[i + 1] === target && slots[i] === kind) return true;
  }
  return false;
}

/** Removes one end of a reference; looks from the newest on. @returns false when there is none. */
export function removeReference(node: Node, kind: ReferenceKind, target: Node): boolean {
  const slots = node.slots;
  let blanks = 0;
  for (let i = slots.length - 2; i >= 0; i -= 2) {
    if (slots[i] === undefined) blanks++;
    if (slots[i + 1] !== target || slots[i] !== kind) continue;
    slots[i] = undefined;
    slots[i + 1] = undefined;
    const scanned = (slots.length - i) / 2;
    if (slots.length <= EXACT_SLOTS || (blanks > MIN_BLANKS_TO_COMPACT && blanks * 2 > scanned)) compact(node);
    return true;
  }
  return false;
}

function compact(node: Node): void {
  node.slots = node.slots.filter((slot) => slot !== undefined);
}
