import type { CallerOwners, RequestParkingPolicy, Runtime, SessionGate, SessionResolver } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { EncodingLimits } from '@bulkhead/types';
import type { SchedulingCost } from './owner-order.ts';
import type { ServiceDefinition, ServiceHandlers } from './service-table.ts';

/** Options of a `RequestDispatcher`. */
export interface RequestDispatcherOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly owners: CallerOwners;
  readonly sessions: SessionResolver;
  readonly handlers: ServiceHandlers;
  /** Default: every service of OPC 10000-4. */
  readonly table?: readonly ServiceDefinition[];
  /** Charged to RequestQueueBytes per admitted request; the server's MaxMessageSize. */
  readonly maxMessageBytes: number;
  /** Longest work in one turn of the event loop, ms. Default 1. */
  readonly sliceMs?: number;
  /** False: one queue in arrival order, where nothing overtakes the front. Default true. */
  readonly useFairScheduling?: boolean;
  /** What owners' weights are shares of: turns, or the time that their requests hold the event loop. Default 'turn'. */
  readonly schedulingCost?: SchedulingCost;
  /** Bounds how many CreateSession and ActivateSession requests run at a time. Default: nothing but RequestExecution does. */
  readonly sessionGate?: SessionGate | undefined;
  /** Of these, how many may wait for a place; 0 refuses at once. Default 0. */
  readonly sessionQueueLimit?: number;
  /** Selects requests beside Publish that may park. */
  readonly parkingPolicy?: RequestParkingPolicy | undefined;
  /** False: a parked Publish keeps its execution slot. Default true. */
  readonly decoupleHeldPublishRequests?: boolean;
  /** RetryAfterMs of `BadServerTooBusy` when the refusal doesn't know better. Default 1,000. */
  readonly busyRetryAfterMs?: number;
  readonly encodingLimits?: EncodingLimits;
}
