import type { ConfigurationJson } from '../configuration/file-schema.ts';
import { bytesPer } from './peak-memory.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** What a server may use of the machine that it runs on. */
export interface MachineShare {
  readonly memoryBytes: number;
  /** Whether a container says so, and ends the process that uses more. */
  readonly isContainer: boolean;
  /** Most that V8 keeps on its heap. */
  readonly heapBytes: number;
  /** May be a fraction. */
  readonly processors: number;
}

/** How the memory that is left beside the process itself is divided. */
const shares = { reassembly: 0.2, requestBodies: 0.2, retained: 0.3, connections: 0.1, items: 0.2 } as const;
/** The heap is not to be filled by what is kept for callers alone. */
const heapShares = { retained: 0.5, items: 0.3 } as const;
/** Left to what can't be counted: fragments, garbage, the operating system's buffers. */
const USABLE = 0.8;
const LEAST_USABLE_BYTES = 16 * MiB;

const MAX_MESSAGE_SIZE = 4 * MiB;
const MIN_MESSAGE_SIZE = 64 * KiB;
const DEFAULT_BUFFER_SIZE = 64 * KiB;
const MAX_REASSEMBLY_BYTES = 1024 * MiB;
const MAX_RETAINED_BYTES = 1024 * MiB;
/** A message of the largest size may be kept alive four times over; two are reserved, one is shared, and there is one for each trusted owner. */
const MESSAGES_IN_REASSEMBLY = 12;
const MESSAGES_PER_OWNER = 4;
const MESSAGES_IN_QUEUE = 8;
/** Above it one processor has nothing to spare for those that are connected. */
const CONNECTIONS_PER_PROCESSOR = 250;
const ESTABLISHMENTS_PER_PROCESSOR = 64;

/**
 * Proposes the totals of a server that is to keep within its share; what was configured stays as it is, and the others follow it.
 * @returns the configuration with the members that weren't given.
 */
export function proposeTotals(configured: ConfigurationJson, share: MachineShare): ConfigurationJson {
  const usable = Math.max(LEAST_USABLE_BYTES, share.memoryBytes * USABLE - bytesPer.process);
  const heap = Math.max(LEAST_USABLE_BYTES, share.heapBytes * USABLE - bytesPer.heapOfProcess);
  const limits = proposeLimits(configured, usable, heap);
  const withLimits = { ...configured, limits };
  return {
    ...withLimits,
    subscriptionLimits: { ...proposeItems(usable, heap), ...configured.subscriptionLimits },
    rateLimits: { ...proposeRates(share.processors), ...configured.rateLimits },
    resourceIsolation: proposeQueueBytes(withLimits, usable),
  };
}

type Limits = NonNullable<ConfigurationJson['limits']>;

function proposeLimits({ limits: given = {}, resourceIsolation }: ConfigurationJson, usable: number, heap: number): Limits {
  const messages = MESSAGES_IN_REASSEMBLY + MESSAGES_PER_OWNER * (resourceIsolation?.trustedOwners?.length ?? 0);
  const reassembly = usable * shares.reassembly;
  const maxMessageSize = given.maxMessageSize ?? clamp(powerOfTwo(reassembly / (messages + 4)), MIN_MESSAGE_SIZE, MAX_MESSAGE_SIZE);
  const buffer = given.maxBufferSize ?? DEFAULT_BUFFER_SIZE;
  const maxSessionCount =
    given.maxSessionCount ?? clamp(Math.floor((usable * shares.connections) / (2 * bytesPer.connection + bytesPer.session)), 10, 1000);
  const maxRetainedBytes =
    given.maxRetainedBytes ??
    clamp(Math.floor(Math.min(usable * shares.retained, heap * heapShares.retained)), 4 * maxMessageSize, MAX_RETAINED_BYTES);
  return {
    maxMessageSize,
    maxSessionCount,
    maxChannelCount: maxSessionCount + Math.min(100, maxSessionCount) + 10,
    maxReassemblyBytes: clamp(Math.floor(reassembly), messages * (maxMessageSize + buffer), MAX_REASSEMBLY_BYTES),
    maxRetainedBytes,
    // Not less than one connection may have unsent.
    maxUnsentBytesPerOwner: Math.max(8 * MiB, 4 * maxMessageSize, Math.floor(maxRetainedBytes / 4)),
    ...given,
  };
}

function proposeItems(usable: number, heap: number): NonNullable<ConfigurationJson['subscriptionLimits']> {
  const bytes = Math.min(usable * shares.items, heap * heapShares.items);
  const maxMonitoredItems = clamp(Math.floor(bytes / bytesPer.monitoredItem), 1000, 1_000_000);
  return {
    maxMonitoredItems,
    maxMonitoredItemsPerOwner: Math.ceil(maxMonitoredItems / 2),
    maxMonitoredItemsPerSubscription: Math.min(100_000, Math.ceil(maxMonitoredItems / 2)),
  };
}

/** Half a processor can't verify as many signatures as two. With two or more the defaults are right. */
function proposeRates(processors: number): NonNullable<ConfigurationJson['rateLimits']> {
  if (processors >= 2) return {};
  const connectionsPerSecond = clamp(Math.round(processors * CONNECTIONS_PER_PROCESSOR), 50, 500);
  return {
    connectionsPerSecond,
    connectionBurst: 2 * connectionsPerSecond,
    maxConcurrentSessionEstablishment: clamp(Math.round(processors * ESTABLISHMENTS_PER_PROCESSOR), 16, 128),
  };
}

/** What requests may bring along while they wait; without this it follows from their number, and is far more. */
function proposeQueueBytes(
  { limits = {}, resourceIsolation = {} }: ConfigurationJson,
  usable: number,
): ConfigurationJson['resourceIsolation'] {
  const { stages = [] } = resourceIsolation;
  // Where all callers share all limits, no stage has a capacity of its own.
  if (resourceIsolation.mode === 'SharedOnly' || stages.some(({ stage }) => stage === 'RequestQueueBytes')) return resourceIsolation;
  const { maxMessageSize = MAX_MESSAGE_SIZE, maxQueuedRequestCount = 1000, maxConcurrentRequests = 100, maxSessionCount = 100 } = limits;
  const parked = limits.maxParkedRequestCount ?? Math.max(10 * maxSessionCount, maxQueuedRequestCount);
  const owners = resourceIsolation.trustedOwners?.length ?? 0;
  const capacity = Math.max(Math.floor(usable * shares.requestBodies), (MESSAGES_IN_QUEUE + owners) * maxMessageSize);
  if (capacity >= maxMessageSize * (maxQueuedRequestCount + maxConcurrentRequests + parked)) return resourceIsolation;
  return { ...resourceIsolation, stages: [...stages, { stage: 'RequestQueueBytes', capacity }] };
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}

function powerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}
