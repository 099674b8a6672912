/** A node of a `LinkedList`; it can be in one list at a time. The list alone writes these fields. */
export interface Linked<T> {
  previousLink: T | undefined;
  nextLink: T | undefined;
}

/** A doubly linked list whose nodes are the elements themselves: O(1) for all, nothing allocated per element. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined = undefined;
  #last: T | undefined = undefined;

  get first(): T | undefined {
    return this.#first;
  }

  get last(): T | undefined {
    return this.#last;
  }

  pushBack(node: T): void {
    node.previousLink = this.#last;
    node.nextLink = undefined;
    if (this.#last === undefined) this.#first = node;
    else this.#last.nextLink = node;
    this.#last = node;
  }

  pushFront(node: T): void {
    node.previousLink = undefined;
    node.nextLink = this.#first;
    if (this.#first === undefined) this.#last = node;
    else this.#first.previousLink = node;
    this.#first = node;
  }

  /** @param before in this list; undefined puts `node` to the front. */
  insertAfter(before: T | undefined, node: T): void {
    if (before === undefined) return this.pushFront(node);
    const next = before.nextLink;
    if (next === undefined) return this.pushBack(node);
    node.previousLink = before;
    node.nextLink = next;
    before.nextLink = node;
    next.previousLink = node;
  }

  /** @param node in this list, or the links of another list break. */
  remove(node: T): void {
    const { previousLink, nextLink } = node;
    if (previousLink === undefined) this.#first = nextLink;
    else previousLink.nextLink = nextLink;
    if (nextLink === undefined) this.#last = previousLink;
    else nextLink.previousLink = previousLink;
    node.previousLink = undefined;
    node.nextLink = undefined;
  }

  /** Moves the first element to the end. */
  rotate(): void {
    const first = this.#first;
    if (first === undefined || first === this.#last) return;
    this.remove(first);
    this.pushBack(first);
  }
}
