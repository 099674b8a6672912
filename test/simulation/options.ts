import type { ResourceIsolationMode } from '@bulkhead/resource-isolation';
import { SeededRandom } from '@bulkhead/testkit';

/** What clients there are. */
export const clientKinds = ['witness', 'hog', 'reconnector', 'halfSender', 'slowReader', 'opener', 'subscriber'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** What an address is to the server. */
export type Standing = 'ordinary' | 'trusted' | 'Bootstrap' | 'Reconnect' | 'Control';

export interface ClientOptions {
  readonly kind: ClientKind;
  readonly address: string;
  /** Logs in by name, so that its owner changes when its Session is activated. */
  readonly userName: string | undefined;
}

/** An address that a classifier maps. */
export interface MappedAddress {
  readonly address: string;
  readonly standing: Exclude<Standing, 'ordinary'>;
}

/** Shared capacity per stage, in operations or messages; reserves come on top. */
export interface SharedCapacities {
  readonly connections: number;
  readonly reassembly: number;
  readonly queue: number;
  readonly queueBytes: number;
  readonly parked: number;
  readonly execution: number;
  readonly establishment: number;
}

/** In which order requests run: owners take turns by number or by time, or all as they come. */
export type Scheduling = 'turn' | 'time' | 'arrival';

/** One simulated run, all of it derived from its seed. */
export interface SimulationOptions {
  readonly seed: number;
  readonly mode: ResourceIsolationMode;
  readonly scheduling: Scheduling;
  /** Events before the faults end. */
  readonly eventCount: number;
  readonly maxSessionCount: number;
  readonly maxMessageSize: number;
  readonly shared: SharedCapacities;
  /** Shared execution slots for owners with nothing running; of no meaning in modes without reserves. */
  readonly keptForIdleOwners: number;
  /** Most that one owner may have of requests and connections; undefined for no limit of its own. */
  readonly ownerHardLimit: number | undefined;
  readonly defaultWeight: number;
  readonly trustedWeight: number;
  readonly maxTrackedOwners: number;
  /** Largest messages that may be kept for one owner, and for all, when requests are done. */
  readonly retained: { readonly perOwner: number; readonly inAll: number };
  readonly mapped: readonly MappedAddress[];
  readonly clients: readonly ClientOptions[];
  /** Longest time for slow handlers. */
  readonly slowMs: number;
  /** Time that one costly node holds the event loop. */
  readonly readCostMs: number;
  readonly lookMs: number;
  /** Each of these happens once in so many events; 0 for never. */
  readonly faults: {
    readonly cut: number;
    readonly stall: number;
    readonly clockJump: number;
    readonly wallClockStep: number;
  };
  /** The server stops while everybody is connected, or all clients leave first. */
  readonly end: 'shutdown' | 'clientsLeave';
  /** CreateSession and ActivateSession requests that may wait for a place. */
  readonly sessionQueueLimit: number;
}

const modes: readonly ResourceIsolationMode[] = ['SharedOnly', 'FairShare', 'Balanced', 'Balanced', 'TrustedReservations'];
const retentions: readonly SimulationOptions['retained'][] = [
  { perOwner: 2, inAll: 4 },
  { perOwner: 3, inAll: 16 },
  { perOwner: 1000, inAll: 4000 },
];
const schedulings: readonly Scheduling[] = ['turn', 'turn', 'turn', 'time', 'arrival'];
const protectedStandings: readonly MappedAddress['standing'][] = ['Bootstrap', 'Reconnect', 'Control'];
const KiB = 1024;
const UNBOUNDED_OWNERS = 4096;

/** The options that a seed stands for. */
export function optionsOf(seed: number): SimulationOptions {
  const random = new SeededRandom(seed * 2 + 1);
  const between = (low: number, high: number): number => low + random.nextInt(high - low + 1);
  const rarely = (value: number): number => (random.nextInt(3) === 0 ? value : 0);
  const mode = random.pick(modes);
  const clients = clientsOf(random, between(3, 9));
  const options: Omit<SimulationOptions, 'keptForIdleOwners'> = {
    seed,
    mode,
    eventCount: between(80, 480),
    maxSessionCount: between(2, 12),
    maxMessageSize: random.pick([16 * KiB, 16 * KiB, 64 * KiB, 256 * KiB]),
    shared: {
      connections: between(1, 6),
      reassembly: between(1, 2),
      queue: between(2, 24),
      queueBytes: between(3, 40),
      parked: between(1, 8),
      execution: between(1, 4),
      establishment: between(1, 3),
    },
    ownerHardLimit: mode === 'SharedOnly' || random.nextBoolean() ? undefined : between(1, 6),
    defaultWeight: between(1, 2),
    trustedWeight: between(1, 4),
    maxTrackedOwners: mode === 'SharedOnly' || random.nextInt(5) > 0 ? UNBOUNDED_OWNERS : fewestOwners(mode, clients) + between(0, 1),
    mapped: mappedOf(mode, random, clients),
    clients,
    slowMs: between(1, 400),
    readCostMs: random.pick([0.01, 0.1, 0.4]),
    lookMs: random.pick([0, 0.001, 0.02]),
    faults: {
      cut: rarely(between(15, 80)),
      stall: rarely(between(15, 80)),
      clockJump: rarely(between(30, 150)),
      wallClockStep: rarely(between(30, 150)),
    },
    end: random.nextInt(3) === 0 ? 'shutdown' : 'clientsLeave',
    retained: random.pick(retentions),
    scheduling: mode === 'SharedOnly' ? 'arrival' : random.pick(schedulings),
    sessionQueueLimit: random.pick([0, 0, 1, 4]),
  };
  return { ...options, keptForIdleOwners: random.nextInt(options.shared.execution) };
}

/** At least one witness, and a few addresses so that some clients share one. */
function clientsOf(random: SeededRandom, count: number): ClientOptions[] {
  const addressCount = 1 + random.nextInt(count);
  return Array.from({ length: count }, (_, at) => ({
    kind: at === 0 ? 'witness' : random.pick(clientKinds),
    address: `10.0.0.${1 + random.nextInt(addressCount)}`,
    userName: at > 0 && random.nextInt(5) === 0 ? random.pick(['ada', 'ben']) : undefined,
  }));
}

/** Entries kept for protected classes and the trusted owner; a witness needs one for its address and one for its user. */
function fewestOwners(mode: ResourceIsolationMode, clients: readonly ClientOptions[]): number {
  const kept = { SharedOnly: 0, FairShare: 1, Balanced: 4, TrustedReservations: 5 }[mode];
  return kept + 2 * clients.filter(({ kind }) => kind === 'witness').length;
}

function mappedOf(mode: ResourceIsolationMode, random: SeededRandom, clients: readonly ClientOptions[]): MappedAddress[] {
  const mapped: MappedAddress[] = [];
  for (const address of new Set(clients.map((client) => client.address))) {
    if (mode === 'TrustedReservations' && (mapped.length === 0 || random.nextInt(4) === 0)) mapped.push({ address, standing: 'trusted' });
    else if ((mode === 'TrustedReservations' || mode === 'Balanced') && random.nextInt(3) === 0) {
      mapped.push({ address, standing: random.pick(protectedStandings) });
    }
  }
  return mapped;
}
