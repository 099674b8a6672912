import { NodeId } from './node-id.ts';

/** A NodeId that may name its namespace by URI and a remote server. OPC 10000-4 §7.17, OPC 10000-6 §5.2.2.10. */
export class ExpandedNodeId {
  readonly nodeId: NodeId;
  /** When set, it counts instead of `nodeId.namespaceIndex`. */
  readonly namespaceUri: string | undefined;
  /** Index into the ServerArray; 0 is the local server. */
  readonly serverIndex: number;

  constructor(nodeId: NodeId, namespaceUri?: string | undefined, serverIndex = 0) {
    this.nodeId = nodeId;
    this.namespaceUri = namespaceUri;
    this.serverIndex = serverIndex;
  }

  static readonly NULL: ExpandedNodeId = new ExpandedNodeId(NodeId.NULL);

  /** True when the id needs neither a namespace URI look-up nor another server. */
  get isLocal(): boolean {
    return this.serverIndex === 0 && this.namespaceUri === undefined;
  }

  equals(other: ExpandedNodeId): boolean {
    return this.serverIndex === other.serverIndex && this.namespaceUri === other.namespaceUri && this.nodeId.equals(other.nodeId);
  }

  /** The text form `svr=<n>;nsu=<uri>;<id>`. OPC 10000-6 §5.3.1.11. */
  toString(): string {
    const server = this.serverIndex === 0 ? '' : `svr=${this.serverIndex};`;
    if (this.namespaceUri === undefined) return server + this.nodeId.toString();
    const escaped = this.namespaceUri.replaceAll('%', '%25').replaceAll(';', '%3B');
    return `${server}nsu=${escaped};${this.nodeId.toString().replace(/^ns=\d+;/u, '')}`;
  }
}
