import { ChunkReassemblyBudget } from '../chunk-reassembly-budget.ts';
import { checkInteger } from '../options-error.ts';

/** The limits of a server that isolation divides among its callers. */
export interface ServerLimits extends MessageLimits {
  readonly maxSessionCount: number;
  /** Connections, and so SecureChannels. */
  readonly maxChannelCount: number;
  /** Requests that run at a time; at least 100 is used. */
  readonly maxConcurrentRequests?: number;
  /** Decoded requests that wait for execution; at least 100 is used. */
  readonly maxQueuedRequestCount?: number;
  /** Requests that wait without running, such as Publish. Default: as many as may be queued. */
  readonly maxParkedRequestCount?: number;
  /** CreateSession and ActivateSession in flight; 128 when it isn't positive. */
  readonly maxConcurrentSessionEstablishment?: number;
}

/** The limits that ReassemblyBytes follows from. */
export interface MessageLimits {
  /** Largest message, bytes. */
  readonly maxMessageSize: number;
  /** Largest MessageChunk, bytes. */
  readonly maxBufferSize: number;
  /** Bounds the unfinished messages of all connections. Default: one of `ChunkReassemblyBudget.defaultMaxBytes`. */
  readonly reassemblyBudget?: { readonly maxBytes: number };
}

/** Limits with defaults and minimums filled in. */
export interface ResolvedMessageLimits {
  readonly maxMessageSize: number;
  readonly maxBufferSize: number;
  readonly reassemblyBytes: number;
}

export interface ResolvedServerLimits extends ResolvedMessageLimits {
  readonly maxSessionCount: number;
  readonly maxChannelCount: number;
  readonly executing: number;
  readonly queued: number;
  readonly parked: number;
  readonly sessionEstablishment: number;
}

const MIN_REQUESTS = 100;
const DEFAULT_SESSION_ESTABLISHMENT = 128;

/** @throws ResourceIsolationOptionsError for what isn't finite and positive. */
export function resolveMessageLimits(limits: MessageLimits): ResolvedMessageLimits {
  const maxMessageSize = checkInteger('maxMessageSize', limits.maxMessageSize, 1);
  const maxBufferSize = checkInteger('maxBufferSize', limits.maxBufferSize, 1);
  const reassemblyBytes = limits.reassemblyBudget?.maxBytes ?? ChunkReassemblyBudget.defaultMaxBytes(maxMessageSize);
  return { maxMessageSize, maxBufferSize, reassemblyBytes: checkInteger('reassemblyBudget.maxBytes', reassemblyBytes, 1) };
}

/** @throws ResourceIsolationOptionsError for what isn't finite and positive. */
export function resolveServerLimits(limits: ServerLimits): ResolvedServerLimits {
  const { maxConcurrentRequests = 0, maxQueuedRequestCount = 0, maxConcurrentSessionEstablishment = 0 } = limits;
  const queued = atLeast(MIN_REQUESTS, 'maxQueuedRequestCount', maxQueuedRequestCount);
  const establishment = checkInteger('maxConcurrentSessionEstablishment', maxConcurrentSessionEstablishment, Number.MIN_SAFE_INTEGER);
  return {
    maxSessionCount: checkInteger('maxSessionCount', limits.maxSessionCount, 1),
    maxChannelCount: checkInteger('maxChannelCount', limits.maxChannelCount, 1),
    ...resolveMessageLimits(limits),
    executing: atLeast(MIN_REQUESTS, 'maxConcurrentRequests', maxConcurrentRequests),
    queued,
    parked: checkInteger('maxParkedRequestCount', limits.maxParkedRequestCount ?? queued, 1),
    sessionEstablishment: establishment > 0 ? establishment : DEFAULT_SESSION_ESTABLISHMENT,
  };
}

function atLeast(min: number, path: string, value: number): number {
  return Math.max(min, checkInteger(path, value, Number.MIN_SAFE_INTEGER));
}
