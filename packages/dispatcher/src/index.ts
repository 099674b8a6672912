export { FairRequestQueue, OwnerTurns, type QueuedEntry, RequestFlow } from './fair-request-queue.ts';
export { type Linked, LinkedList } from './linked-list.ts';
export type { ThumbprintOf } from './origin-registry.ts';
export { RequestDiagnostics, type ServiceCount, SessionRequestCounts } from './request-diagnostics.ts';
export { RequestDispatcher, type RequestDispatcherOptions } from './request-dispatcher.ts';
export type { OwnerRecord } from './request-origin.ts';
export { type RetryHint, retryAfterHeader } from './service-fault.ts';
export type { ServiceMessages, ServiceName } from './service-messages.ts';
export {
  type AnyRequest,
  type ServiceDefinition,
  type ServiceHandlers,
  type ServiceSet,
  type SessionNeed,
  serviceTable,
} from './service-table.ts';
