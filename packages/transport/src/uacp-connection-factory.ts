import type { ByteTransport, ByteTransportEvents, CallerOwners, RequestSink, RetainedBytesAccounts, Runtime } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { SecureChannelEndpoints } from '@bulkhead/secure-channel';
import { BlockPool } from '@bulkhead/uacp';
import { ChannelIds } from './channel-ids.ts';
import { ConnectionAdmission, ConnectionLeases, type ConnectionRateGate } from './connection-admission.ts';
import type { ConnectionEnvironment } from './connection-environment.ts';
import { type ConnectionLimits, planConnectionLimits } from './connection-limits.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import type { ConnectionStart } from './connection-start.ts';
import type { ConnectionThrottles } from './connection-throttles.ts';
import { type ConnectionGate, IncomingConnection } from './incoming-connection.ts';
import { type ConnectionInitiator, OutgoingConnection } from './outgoing-connection.ts';
import { PlainMessages } from './plain-messages.ts';
import { ReadTurns } from './read-turns.ts';
import { Reclamation } from './reclamation.ts';
import { RequestHeadDecoder } from './request-head.ts';
import { ResponseWriter } from './response-writer.ts';
import { SecureChannelSource } from './secure-channel-source.ts';
import { ThrottledByteTransport } from './throttled-byte-transport.ts';
import { type ConnectionRefusal, TransportDiagnostics } from './transport-diagnostics.ts';
import { UacpConnection } from './uacp-connection.ts';
import { UnsentBytes } from './unsent-bytes.ts';
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
  /** Where unsent bytes are charged too, with what else is retained for their owner. Default: bounded by the limits alone. */
  readonly retainedBytes?: RetainedBytesAccounts;
  readonly limits?: Partial<ConnectionLimits>;
  /** Shortest token lifetime granted, ms; default 1,000. */
  readonly minTokenLifetimeMs?: number;
  /** Longest token lifetime granted, ms; default 3,600,000. */
  readonly maxTokenLifetimeMs?: number;
  /** Asked for each accepted transport whose caller is within its limits; without one, any rate is fine. */
  readonly rateGate?: ConnectionRateGate;
  /** Bytes per second of connections; without it they are not limited. */
  readonly throttles?: ConnectionThrottles | undefined;
}

/** What connections have in common, whatever their protocol: one of each per server. */
export interface SharedTransportParts {
  readonly channelIds: ChannelIds;
  readonly unsent: UnsentBytes;
  readonly messages: PlainMessages;
  /** Undefined where bytes per second aren't limited. */
  readonly throttles: ConnectionThrottles | undefined;
}

/** Admits connections and drives them, whoever opened them. One per server, shared by all its listeners. */
export class UacpConnectionFactory implements ConnectionAcceptor, ConnectionGate, ConnectionInitiator {
  readonly registry: ConnectionRegistry = new ConnectionRegistry();
  readonly diagnostics: TransportDiagnostics = new TransportDiagnostics();
  readonly limits: ConnectionLimits;
  /** For listeners of protocols without a SecureChannel. */
  readonly shared: SharedTransportParts;
  readonly #environment: ConnectionEnvironment;
  readonly #reclamation: Reclamation;
  readonly #throttles: ConnectionThrottles | undefined;
  #isClosed = false;
  #emptied: (() => void)[] = [];

  /** @throws RangeError that names the limit which is wrong. */
  constructor(options: UacpConnectionFactoryOptions) {
    const { runtime, provider, sink, owners, endpoints, rateGate, minTokenLifetimeMs = 1000, maxTokenLifetimeMs = 3_600_000 } = options;
    const limits = planConnectionLimits(options.limits);
    this.limits = limits;
    const channelIds = new ChannelIds(runtime.random);
    const unsent = new UnsentBytes(limits.maxUnsentBytesPerOwner, options.retainedBytes);
    this.shared = { channelIds, unsent, messages: new PlainMessages(runtime.clock), throttles: options.throttles };
    this.#throttles = options.throttles;
    const blockPool = new BlockPool(limits.receiveBufferSize);
    this.#environment = {
      runtime,
      sink,
      provider,
      owners,
      limits,
      admission: new ConnectionAdmission(provider, runtime.clock, rateGate),
      registry: this.registry,
      diagnostics: this.diagnostics,
      unsent,
      readTurns: new ReadTurns(runtime.clock, runtime.turns, limits.readSliceMs),
      responseWriter: new ResponseWriter(runtime.clock),
      headDecoder: new RequestHeadDecoder(),
      channels: new SecureChannelSource({
        runtime,
        ids: channelIds,
        endpoints,
        minTokenLifetimeMs,
        maxTokenLifetimeMs,
        messageTimeoutMs: limits.messageTimeoutMs,
        blockPool,
      }),
      blockPool,
    };
    this.#reclamation = new Reclamation(this.#environment.admission, this.registry, {
      open: (transport, leases) => this.#accepted(transport, leases),
      refused: ({ reason }) => this.#refuse(reason),
    });
    this.registry.onRemoved((connection) => this.#connectionRemoved(connection));
  }

  accept(transport: ByteTransport): ByteTransportEvents | undefined {
    if (this.#isClosed) return this.#refuse('Shutdown');
    const { admission } = this.#environment;
    const owner = admission.ownerOf(transport.remote.address);
    const answer = admission.tryAdmitAtRate(owner);
    if (answer.kind === 'leases') return this.#accepted(transport, answer);
    // Only a full server makes room, and never for a caller that is over its own limit or comes too fast.
    if (answer.reason !== 'Capacity' || !admission.isForConnection(answer)) return this.#refuse(answer.reason);
    const rate = admission.checkRate(owner);
    const waiting = rate ?? this.#reclamation.tryWait(transport, answer);
    return waiting instanceof WaitingConnection ? waiting : this.#refuse(waiting.reason);
  }

  admitIncoming(address: string): IncomingConnection | ConnectionRefusal {
    const { admission, runtime } = this.#environment;
    const answer = this.#isClosed ? ({ reason: 'Shutdown' } as const) : admission.tryAdmitAtRate(admission.ownerOf(address));
    if (answer instanceof ConnectionLeases) {
      this.diagnostics.acceptedConnections++;
      return new IncomingConnection(answer, runtime.clock.nowMs(), (transport, leases, start) => this.#open(transport, leases, start));
    }
    this.#refuse(answer.reason);
    return answer.reason;
  }

  admitOutgoing(address: string): OutgoingConnection | ConnectionRefusal {
    const { admission, runtime } = this.#environment;
    const answer = this.#isClosed ? ({ reason: 'Shutdown' } as const) : admission.tryAdmit(admission.ownerOf(address));
    if (answer instanceof ConnectionLeases) {
      return new OutgoingConnection(answer, runtime.clock.nowMs(), (transport, leases, start) => {
        this.diagnostics.outgoingConnections++;
        return this.#open(transport, leases, start);
      });
    }
    this.#refuse(answer.reason);
    return answer.reason;
  }

  /** Refuses new connections, tells the others that the server stops, and resolves once all transports are closed. Idempotent. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#reclamation.close();
    for (const connection of [...this.registry]) connection.shutDown();
    if (this.registry.connectionCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  #accepted(transport: ByteTransport, leases: ConnectionLeases): ByteTransportEvents {
    this.diagnostics.acceptedConnections++;
    return this.#open(transport, leases, { startedAtMs: this.#environment.runtime.clock.nowMs(), outgoing: undefined });
  }

  /** @returns whom to tell about the transport's bytes. */
  #open(transport: ByteTransport, leases: ConnectionLeases, start: ConnectionStart): ByteTransportEvents {
    if (this.#throttles === undefined) return new UacpConnection(this.#environment, transport, leases, start);
    const { runtime } = this.#environment;
    const throttled = new ThrottledByteTransport(transport, this.#throttles.attach(leases.owner, runtime.clock.nowMs()), runtime);
    throttled.drivenBy(new UacpConnection(this.#environment, throttled, leases, start));
    return throttled;
  }

  #refuse(reason: ConnectionRefusal): undefined {
    this.diagnostics.countRefused(reason);
    return undefined;
  }

  #connectionRemoved(connection: UacpConnection): void {
    this.#reclamation.connectionRemoved(connection);
    if (this.registry.connectionCount > 0) return;
    const emptied = this.#emptied;
    this.#emptied = [];
    for (const resolve of emptied) resolve();
  }
}
