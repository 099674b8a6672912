export { ContinuationPoints } from './continuation-points.ts';
export type { DiscoverySource } from './discovery-service-set.ts';
export { defaultOperationLimits, type OperationLimits } from './limits.ts';
export { type AllServiceHandlers, createServiceHandlers, type ServiceHandlersOptions } from './service-handlers.ts';
export type { CancelRequests } from './session-service-set.ts';
