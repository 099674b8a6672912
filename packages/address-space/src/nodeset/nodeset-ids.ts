import { DecodingError, NodeId, QualifiedName } from '@bulkhead/types';
import type { NamespaceTable } from '../namespace-table.ts';

/** Maps a document's namespace indexes and aliases to those of the server. */
export class NodeSetIds {
  readonly #namespaces: NamespaceTable;
  readonly #uris: readonly string[];
  readonly #aliases: ReadonlyMap<string, string>;
  /** The same few ids are named over and over. */
  readonly #parsed = new Map<string, NodeId>();

  /**
   * @param uris the document's NamespaceUris; its index 1 is the first of them.
   */
  constructor(namespaces: NamespaceTable, uris: readonly string[], aliases: ReadonlyMap<string, string>) {
    this.#namespaces = namespaces;
    this.#uris = uris;
    this.#aliases = aliases;
  }

  /** @throws DecodingError when the text is neither an alias nor a NodeId of a namespace that the document lists. */
  nodeId(text: string): NodeId {
    const trimmed = text.trim();
    let id = this.#parsed.get(trimmed);
    if (id === undefined) {
      id = this.#map(NodeId.parse(this.#aliases.get(trimmed) ?? trimmed));
      this.#parsed.set(trimmed, id);
    }
    return id;
  }

  /** @throws DecodingError */
  browseName(text: string): QualifiedName {
    const name = QualifiedName.parse(text);
    return new QualifiedName(this.index(name.namespaceIndex), name.name);
  }

  /** The server's index for one of the document. @throws DecodingError when the document doesn't list it. */
  index(documentIndex: number): number {
    if (documentIndex === 0) return 0;
    const uri = this.#uris[documentIndex - 1];
    if (uri === undefined) throw DecodingError.malformed(`namespace ${documentIndex} is not in NamespaceUris`);
    return this.#namespaces.register(uri).index;
  }

  #map(id: NodeId): NodeId {
    const index = this.index(id.namespaceIndex);
    if (index === id.namespaceIndex) return id;
    return NodeId.parse(`ns=${index};${id.toString().replace(/^ns=\d+;/u, '')}`);
  }
}
