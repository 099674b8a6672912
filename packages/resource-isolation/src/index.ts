export { type AllocateCounters, ArrayCounters, type Counters } from './accounting/counters.ts';
export { refusalReasons } from './accounting/refusal-counters.ts';
export { type ReassemblyBudgetOptions, withReassemblyBudget } from './budgeted-provider.ts';
export { ChunkReassemblyBudget } from './chunk-reassembly-budget.ts';
export { addressGroup } from './classification/address-group.ts';
export { AddressRangeClassifier, type AddressRangeRule } from './classification/address-range-classifier.ts';
export { ApplicationClassifier, type ApplicationRule } from './classification/application-classifier.ts';
export type { ResourceIsolationClassifier } from './classification/classifier.ts';
export { FirstMatchClassifier } from './classification/first-match-classifier.ts';
export { UserClassifier, type UserRule } from './classification/user-classifier.ts';
export { parseDurationMs } from './configuration/duration.ts';
export {
  parseResourceIsolationOptions,
  RESOURCE_ISOLATION_SECTION,
  resourceIsolationFromConfiguration,
} from './configuration/parse-options.ts';
export { type DefaultResourceIsolationOptions, DefaultResourceIsolationProvider, type OwnerUsage } from './default-provider.ts';
export type { Lease, Refusal, RefusalReason, RequestLeases } from './lease.ts';
export { ResourceIsolationOptionsError } from './options-error.ts';
export type { CallerEvidence, CallerIdentity, Owner, OwnerClass, ProtectedWork } from './owner.ts';
export { createPlan, createRuntimePlan, type ReassemblyPlan } from './plan/create-plan.ts';
export { checkHandshakeTimeout, MAX_HANDSHAKE_TIMEOUT_MS } from './plan/handshake-timeout.ts';
export type {
  BalancedOptions,
  ConnectionStageOptions,
  FairShareOptions,
  RequestStageOptions,
  ReservedStageOptions,
  ResourceIsolationMode,
  ResourceIsolationOptions,
  SharedOnlyOptions,
  TrustedOwnerOptions,
  TrustedReservation,
  TrustedReservationsOptions,
  UnreservedStageOptions,
} from './plan/options.ts';
export type { ResourceIsolationPlan, StagePlan, TrustedOwnerPlan } from './plan/plan.ts';
export { describePlan, type PlanRow } from './plan/plan-table.ts';
export type { MessageLimits, ServerLimits } from './plan/server-limits.ts';
export type { RefusalListener, ResourceIsolationProvider, ResourceIsolationReassemblyProvider } from './provider.ts';
export { RefusalIds } from './refusal-ids.ts';
export { RefusalRing } from './refusal-ring.ts';
export { RetainedBytesLedger, type RetainedBytesOptions } from './retained/retained-bytes-ledger.ts';
export { type SharedResourceIsolationOptions, SharedResourceIsolationProvider } from './shared-provider.ts';
export { type DecodedRequestStageName, isByteStage, Stage, type StageName, stageNames } from './stage.ts';
