import type { Runtime } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { CertificateStore } from '@bulkhead/security';
import { resolveServerOptions, type ServerOptions, type ServerParts, stopParts, wireServer } from '@bulkhead/server';
import { ManualTurns } from '@bulkhead/testkit';
import type { AuditedProvider } from './audited-provider.ts';
import { FairnessWatch } from './fairness-watch.ts';
import { type Findings, FindingsLogger } from './findings.ts';
import { createAuditedProvider, MAX_BUFFER_BYTES, maxChannelCountOf } from './isolation.ts';
import type { SimulationOptions } from './options.ts';
import { FaultPlan, type PlantedFault } from './planted-faults.ts';
import { RequestLedger } from './request-ledger.ts';
import { SimulatedKey } from './simulated-key.ts';
import { SimulatedNodes } from './simulated-nodes.ts';
import { SimulationClock } from './simulation-clock.ts';
import { Stream, streamOf } from './streams.ts';
import { Tally } from './tally.ts';

const LONGEST_SESSION_MS = 8000;
const LONGEST_SUBSCRIPTION_MS = 10_000;

/** The product's own parts in a world of their own: virtual time, no sockets, an audited provider. */
export class SimulatedServer {
  readonly clock: SimulationClock;
  readonly turns: ManualTurns = new ManualTurns();
  readonly tally: Tally = new Tally();
  readonly provider: AuditedProvider;
  readonly fairness: FairnessWatch;
  readonly requests: RequestLedger;
  readonly nodes: SimulatedNodes;
  readonly parts: ServerParts;

  private constructor(options: SimulationOptions, store: CertificateStore, findings: Findings, fault: PlantedFault | undefined) {
    const faults = new FaultPlan(fault);
    const { seed, slowMs } = options;
    const clock = new SimulationClock(options.lookMs);
    this.clock = clock;
    this.provider = createAuditedProvider(options, findings, this.tally, faults);
    this.fairness = new FairnessWatch(findings, this.tally, this.provider, options.scheduling);
    this.requests = new RequestLedger(findings, this.tally, this.provider, this.fairness, options.scheduling);
    const runtime: Runtime = {
      clock,
      timers: clock,
      turns: faults.turns(this.turns),
      random: streamOf(seed, Stream.server),
      log: new FindingsLogger(findings),
    };
    const given = serverOptions(options, faults.leases(this.provider));
    const privateKey = new SimulatedKey(clock, streamOf(seed, Stream.key), slowMs);
    const simulatedStore = Object.create(store, { privateKey: { value: privateKey } }) as CertificateStore;
    this.parts = wireServer(resolveServerOptions(given), given, simulatedStore, runtime, {
      sink: (sink) => this.requests.watchSink(faults.sink(sink)),
      handlers: (handlers) => this.requests.watchHandlers(handlers),
    });
    const { sessions } = this.parts;
    this.requests.isReturning = ({ header, channel }) =>
      sessions.findReturning(header.authenticationToken, channel, clock.seenMs) !== undefined;
    this.parts.endpoints.urls = ['opc.tcp://server:4840'];
    this.nodes = new SimulatedNodes(clock, streamOf(seed, Stream.sources), options);
  }

  static async create(
    options: SimulationOptions,
    store: CertificateStore,
    findings: Findings,
    fault?: PlantedFault,
  ): Promise<SimulatedServer> {
    const server = new SimulatedServer(options, store, findings, fault);
    await server.nodes.addTo(server.parts.space);
    return server;
  }

  stop(): Promise<void> {
    return stopParts(this.parts);
  }
}

function serverOptions(options: SimulationOptions, provider: ResourceIsolationProvider): ServerOptions {
  const { maxSessionCount, maxMessageSize } = options;
  return {
    applicationName: 'Simulated',
    applicationUri: 'urn:bulkhead:simulated',
    hostNames: ['server'],
    security: { policies: ['None'], allowAnonymous: true, validateUser: (userName, password) => userName === password },
    maxSessionCount,
    maxChannelCount: maxChannelCountOf(options),
    maxMessageSize,
    maxBufferSize: MAX_BUFFER_BYTES,
    maxReassemblyBytes: Number.MAX_SAFE_INTEGER,
    maxRetainedBytes: options.retained.inAll * maxMessageSize,
    maxRetainedBytesPerOwner: options.retained.perOwner * maxMessageSize,
    minSessionTimeoutMs: 1000,
    maxSessionTimeoutMs: LONGEST_SESSION_MS,
    handshakeTimeoutMs: 4000,
    helloTimeoutMs: 1000,
    slowReaderTimeoutMs: 3000,
    sourceTimeoutMs: 500,
    subscriptionLimits: { maxPublishRequestsPerSession: 4, maxLifetimeMs: LONGEST_SUBSCRIPTION_MS, minPublishingIntervalMs: 20 },
    resourceIsolationProvider: provider,
    requestScheduling: {
      useFairScheduling: options.scheduling !== 'arrival',
      schedulingCost: options.scheduling === 'time' ? 'time' : 'turn',
    },
  };
}
