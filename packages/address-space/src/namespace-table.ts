import { type NodeId, StatusCodes, UaStatusError } from '@bulkhead/types';
import { Namespace } from './namespace.ts';
import type { Node } from './node.ts';
import type { NodeHost } from './node-host.ts';

export const UA_NAMESPACE_URI = 'http://opcfoundation.org/UA/';
/** The NamespaceArray's index is 16 bits on the wire. */
const MAX_NAMESPACES = 0x10000;

/** The namespaces of a server, in the order of its NamespaceArray: 0 is OPC UA's, 1 the server's own ApplicationUri. */
export class NamespaceTable {
  readonly #namespaces: Namespace[] = [];
  readonly #byUri = new Map<string, Namespace>();
  readonly #host: NodeHost;
  readonly #listeners: (() => void)[] = [];

  constructor(applicationUri: string, host: NodeHost) {
    this.#host = host;
    this.#add(UA_NAMESPACE_URI);
    this.#add(applicationUri);
  }

  get uris(): readonly string[] {
    return this.#namespaces.map((namespace) => namespace.uri);
  }

  get all(): readonly Namespace[] {
    return this.#namespaces;
  }

  /** Namespace 0. */
  get core(): Namespace {
    return this.#namespaces[0] as Namespace;
  }

  /** Namespace 1, the server's own. */
  get own(): Namespace {
    return this.#namespaces[1] as Namespace;
  }

  at(index: number): Namespace | undefined {
    return this.#namespaces[index];
  }

  /** The index of a URI; undefined when it is not registered. */
  getIndex(uri: string): number | undefined {
    return this.#byUri.get(uri)?.index;
  }

  /** The namespace with that URI, added when it is new. @throws UaStatusError BadTooManyOperations past 65536 namespaces. */
  register(uri: string): Namespace {
    const known = this.#byUri.get(uri);
    if (known !== undefined) return known;
    if (this.#namespaces.length >= MAX_NAMESPACES) throw new UaStatusError(StatusCodes.BadTooManyOperations, 'too many namespaces');
    const namespace = this.#add(uri);
    for (const listener of this.#listeners) listener();
    return namespace;
  }

  /** Calls the listener after each registration from now on: for whoever publishes the NamespaceArray. */
  onRegistered(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The node with that id. No key is built for numeric and string ids. */
  find(id: NodeId): Node | undefined {
    return this.#namespaces[id.namespaceIndex]?.find(id);
  }

  #add(uri: string): Namespace {
    const namespace = new Namespace(this.#namespaces.length, uri, this.#host);
    this.#namespaces.push(namespace);
    this.#byUri.set(uri, namespace);
    return namespace;
  }
}
