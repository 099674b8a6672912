export { FairRequestQueue } from './fair-request-queue.ts';
export { type Linked, LinkedList } from './linked-list.ts';
export type { OwnerOrder, SchedulingCost } from './owner-order.ts';
export type { OwnerRecord } from './owner-record.ts';
export { Lane, OwnerTurns, type QueuedEntry, RequestFlow } from './owner-turns.ts';
export { RequestDiagnostics, type ServiceCount, SessionRequestCounts } from './request-diagnostics.ts';
export { RequestDispatcher } from './request-dispatcher.ts';
export type { RequestDispatcherOptions } from './request-dispatcher-options.ts';
export { type RetryHint, tooBusyHeader } from './service-fault.ts';
export type { ServiceMessages, ServiceName } from './service-messages.ts';
export {
  type AnyRequest,
  type ServiceDefinition,
  type ServiceHandlers,
  type ServiceSet,
  type SessionNeed,
  serviceTable,
} from './service-table.ts';
