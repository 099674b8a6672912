import { IdentifierType, type NodeId, type RolePermissionType, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Node, NodeIdentifier } from './node.ts';
import type { NodeHost } from './node-host.ts';

/** Which release of a model was loaded. */
export interface LoadedModel {
  readonly version: string | undefined;
  /** ISO 8601. */
  readonly publicationDate: string | undefined;
}

/** One namespace: its URI, its nodes and its defaults. */
export class Namespace {
  readonly index: number;
  readonly uri: string;
  readonly host: NodeHost;
  /** For nodes that have none of their own. OPC 10000-3 §5.2.9. */
  defaultRolePermissions: readonly RolePermissionType[] | undefined = undefined;
  /** For nodes that have none of their own. OPC 10000-3 §5.2.11. */
  defaultAccessRestrictions = 0;
  /** Set when a NodeSet for this namespace was loaded. */
  model: LoadedModel | undefined = undefined;
  readonly #byNumber = new Map<number, Node>();
  readonly #byString = new Map<string, Node>();
  /** GUIDs and opaque identifiers by their text. */
  readonly #byText = new Map<string, Node>();
  #nextNumber = 1;

  constructor(index: number, uri: string, host: NodeHost) {
    this.index = index;
    this.uri = uri;
    this.host = host;
  }

  get nodeCount(): number {
    return this.#byNumber.size + this.#byString.size + this.#byText.size;
  }

  /** Every node, numeric ids first, each kind in the order of adding. */
  *nodes(): Generator<Node, void, undefined> {
    yield* this.#byNumber.values();
    yield* this.#byString.values();
    yield* this.#byText.values();
  }

  /** The node with that id; the id's namespace index is not looked at. */
  find(id: NodeId): Node | undefined {
    switch (id.identifierType) {
      case IdentifierType.Numeric:
        return this.#byNumber.get(id.identifier as number);
      case IdentifierType.String:
        return this.#byString.get(id.identifier as string);
      default:
        return this.#byText.get(id.toString());
    }
  }

  findNumeric(identifier: number): Node | undefined {
    return this.#byNumber.get(identifier);
  }

  /** A number that no node has yet. */
  nextIdentifier(): number {
    while (this.#byNumber.has(this.#nextNumber)) this.#nextNumber++;
    return this.#nextNumber++;
  }

  /** @throws UaStatusError BadNodeIdExists */
  add(node: Node): void {
    if (this.has(node.identifier)) throw new UaStatusError(StatusCodes.BadNodeIdExists, `${node.nodeId.toString()} exists`);
    const identifier = node.identifier;
    if (typeof identifier === 'number') this.#byNumber.set(identifier, node);
    else if (typeof identifier === 'string') this.#byString.set(identifier, node);
    else this.#byText.set(identifier.toString(), node);
  }

  has(identifier: NodeIdentifier): boolean {
    if (typeof identifier === 'number') return this.#byNumber.has(identifier);
    return typeof identifier === 'string' ? this.#byString.has(identifier) : this.#byText.has(identifier.toString());
  }

  delete(node: Node): void {
    const identifier = node.identifier;
    if (typeof identifier === 'number') this.#byNumber.delete(identifier);
    else if (typeof identifier === 'string') this.#byString.delete(identifier);
    else this.#byText.delete(identifier.toString());
  }
}
