import type { CertificateStore } from '@bulkhead/security';
import { Actors } from './actors.ts';
import { type ClientConnection, RequestHandles } from './client-connection.ts';
import { Findings } from './findings.ts';
import { SimulatedNetwork } from './network.ts';
import type { SimulationOptions } from './options.ts';
import type { PlantedFault } from './planted-faults.ts';
import { SimulatedServer } from './simulated-server.ts';
import type { SimulationClock } from './simulation-clock.ts';
import { Stream, streamOf } from './streams.ts';
import type { Tally } from './tally.ts';
import { Trace } from './trace.ts';

/** One server, its clients, the network between them and their time. */
export class World {
  readonly options: SimulationOptions;
  readonly trace: Trace = new Trace();
  readonly findings: Findings;
  readonly server: SimulatedServer;
  readonly network: SimulatedNetwork;
  readonly actors: Actors = new Actors();
  readonly handles: RequestHandles = new RequestHandles();
  /** All that clients ever opened. */
  readonly connections: Set<ClientConnection> = new Set();
  readonly tally: Tally;
  isStopping = false;

  private constructor(options: SimulationOptions, findings: Findings, server: SimulatedServer) {
    this.options = options;
    this.findings = findings;
    this.tally = server.tally;
    this.server = server;
    this.network = new SimulatedNetwork(server.parts.connections, streamOf(options.seed, Stream.network));
  }

  static async create(options: SimulationOptions, store: CertificateStore, fault?: PlantedFault): Promise<World> {
    const findings = new Findings();
    return new World(options, findings, await SimulatedServer.create(options, store, findings, fault));
  }

  get clock(): SimulationClock {
    return this.server.clock;
  }
}
