export type { Lease, Refusal, RefusalReason, RequestLeases } from './lease.ts';
export type { CallerEvidence, Owner, OwnerClass } from './owner.ts';
export type { ResourceIsolationProvider } from './provider.ts';
export { type SharedResourceIsolationOptions, SharedResourceIsolationProvider } from './shared-provider.ts';
export { Stage, stageNames } from './stage.ts';
