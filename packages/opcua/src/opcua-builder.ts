import { type AddNodes, OpcUaServer, type ServerOptions } from '@bulkhead/server';

/** Starts a description of what an application offers over OPC UA. */
export function addOpcUa(): OpcUaBuilder {
  return new OpcUaBuilder();
}

/** First step: says that a server is wanted. */
export class OpcUaBuilder {
  /** @param options only `applicationName` has no default. */
  addServer(options: ServerOptions): OpcUaServerBuilder {
    return new OpcUaServerBuilder(options, []);
  }
}

/** Describes a server step by step; each step gives a new builder, so that a common beginning can be used twice. */
export class OpcUaServerBuilder {
  readonly #options: ServerOptions;
  readonly #addNodes: readonly AddNodes[];

  constructor(options: ServerOptions, addNodes: readonly AddNodes[]) {
    this.#options = options;
    this.#addNodes = addNodes;
  }

  /**
   * Bounds what unfinished messages of all connections may hold together.
   * @param maxBytes at least one `maxMessageSize`; checked when the server starts.
   */
  withChunkReassemblyBudget(maxBytes: number): OpcUaServerBuilder {
    return new OpcUaServerBuilder({ ...this.#options, maxReassemblyBytes: maxBytes }, this.#addNodes);
  }

  /** Adds nodes before the server listens; may be called several times, and may be asynchronous. */
  addNodes(add: AddNodes): OpcUaServerBuilder {
    return new OpcUaServerBuilder(this.#options, [...this.#addNodes, add]);
  }

  /**
   * Starts the server.
   * @throws OptionsError for a wrong option, UaStatusError BadConfigurationError for certificates that can't be used, Error of
   * node:net (such as EADDRINUSE) when it can't listen.
   */
  start(): Promise<OpcUaServer> {
    return OpcUaServer.start(this.#options, this.#addNodes);
  }
}
