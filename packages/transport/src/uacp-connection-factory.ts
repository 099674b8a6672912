import type { ByteTransport, ByteTransportEvents, CallerOwners, RequestSink, Runtime } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { SecureChannelEndpoints } from '@bulkhead/secure-channel';
import { ConnectionAdmission, ConnectionLeases, type ConnectionRateGate } from './connection-admission.ts';
import type { ConnectionEnvironment } from './connection-environment.ts';
import { type ConnectionLimits, planConnectionLimits } from './connection-limits.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import { ReadTurns } from './read-turns.ts';
import { RequestHeadDecoder } from './request-head.ts';
import { ResponseWriter } from './response-writer.ts';
import { SecureChannelSource } from './secure-channel-source.ts';
import { type ConnectionRefusal, TransportDiagnostics } from './transport-diagnostics.ts';
import { UacpConnection } from './uacp-connection.ts';
import { WaitingConnection } from './waiting-connection.ts';

/** What a listener needs: somebody who takes the connections it accepts. */
export interface ConnectionAcceptor {
  /**
   * Takes over a transport, or refuses it before anything is kept for it.
   * @returns whom to tell about its bytes; undefined when it is refused: the listener destroys it then.
   */
  accept(transport: ByteTransport): ByteTransportEvents | undefined;
}

export interface UacpConnectionFactoryOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly sink: RequestSink;
  /** Whom to charge for what comes over a channel. */
  readonly owners: CallerOwners;
  readonly endpoints: SecureChannelEndpoints;
  readonly limits?: Partial<ConnectionLimits>;
  /** Shortest token lifetime granted, ms; default 1,000. */
  readonly minTokenLifetimeMs?: number;
  /** Longest token lifetime granted, ms; default 3,600,000. */
  readonly maxTokenLifetimeMs?: number;
  /** Asked first for each accepted transport; without one, any rate is fine. */
  readonly rateGate?: ConnectionRateGate;
}

/** Admits connections and drives them. One per server, shared by all its listeners. */
export class UacpConnectionFactory implements ConnectionAcceptor {
  readonly registry: ConnectionRegistry = new ConnectionRegistry();
  readonly diagnostics: TransportDiagnostics = new TransportDiagnostics();
  readonly limits: ConnectionLimits;
  readonly #environment: ConnectionEnvironment;
  /** Each takes the place of a connection that is being reclaimed, so there are never more than those. */
  readonly #waiting: Set<WaitingConnection> = new Set();
  #isClosed = false;
  #emptied: (() => void)[] = [];

  /** @throws RangeError that names the limit which is wrong. */
  constructor(options: UacpConnectionFactoryOptions) {
    const { runtime, provider, sink, owners, endpoints, rateGate, minTokenLifetimeMs = 1000, maxTokenLifetimeMs = 3_600_000 } = options;
    const limits = planConnectionLimits(options.limits);
    this.limits = limits;
    this.#environment = {
      runtime,
      sink,
      provider,
      owners,
      limits,
      admission: new ConnectionAdmission(provider, runtime.clock, rateGate),
      registry: this.registry,
      diagnostics: this.diagnostics,
      readTurns: new ReadTurns(runtime.clock, runtime.turns, limits.readSliceMs),
      responseWriter: new ResponseWriter(runtime.clock),
      headDecoder: new RequestHeadDecoder(),
      channels: new SecureChannelSource({
        runtime,
        endpoints,
        minTokenLifetimeMs,
        maxTokenLifetimeMs,
        messageTimeoutMs: limits.messageTimeoutMs,
      }),
    };
    this.registry.onRemoved(() => this.#connectionRemoved());
  }

  accept(transport: ByteTransport): ByteTransportEvents | undefined {
    if (this.#isClosed) return this.#refuse('Shutdown');
    const { admission } = this.#environment;
    const rate = admission.checkRate();
    if (rate) return this.#refuse(rate.reason);
    const answer = admission.tryAdmit(transport.remote.address);
    if (answer instanceof ConnectionLeases) return this.#open(transport, answer);
    // Only a full server makes room, and never for a caller that is over its own limit.
    if (answer.reason === 'Capacity' && admission.isForConnection(answer) && this.registry.reclaimOldest()) return this.#wait(transport);
    return this.#refuse(answer.reason);
  }

  /** Refuses new connections, tells the others that the server stops, and resolves once all transports are closed. Idempotent. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.refuse();
    this.#waiting.clear();
    for (const connection of [...this.registry]) connection.shutDown();
    if (this.registry.connectionCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  #open(transport: ByteTransport, leases: ConnectionLeases): UacpConnection {
    this.diagnostics.acceptedConnections++;
    return new UacpConnection(this.#environment, transport, leases);
  }

  #refuse(reason: ConnectionRefusal): undefined {
    this.diagnostics.countRefused(reason);
    return undefined;
  }

  #wait(transport: ByteTransport): WaitingConnection {
    const waiting = new WaitingConnection(transport, () => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
    return waiting;
  }

  #connectionRemoved(): void {
    const [waiting] = this.#waiting;
    if (waiting !== undefined) this.#admitWaiting(waiting);
    if (this.registry.connectionCount > 0) return;
    const emptied = this.#emptied;
    this.#emptied = [];
    for (const resolve of emptied) resolve();
  }

  #admitWaiting(waiting: WaitingConnection): void {
    this.#waiting.delete(waiting);
    const { transport } = waiting;
    const answer = this.#environment.admission.tryAdmit(transport.remote.address);
    if (answer instanceof ConnectionLeases) waiting.start(this.#open(transport, answer));
    else {
      this.#refuse(answer.reason);
      waiting.refuse();
    }
  }
}
