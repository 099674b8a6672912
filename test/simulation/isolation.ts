import {
  AddressRangeClassifier,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type ResourceIsolationMode,
  type ResourceIsolationOptions,
  type ResourceIsolationPlan,
  type ResourceIsolationProvider,
  SharedResourceIsolationProvider,
  type Stage,
  type StageName,
} from '@bulkhead/resource-isolation';
import { AuditedProvider } from './audited-provider.ts';
import type { Findings } from './findings.ts';
import type { SimulationOptions } from './options.ts';
import type { FaultPlan } from './planted-faults.ts';
import { modelOfPlan, modelOfTotals } from './reserve-model.ts';
import type { Tally } from './tally.ts';

export const MAX_BUFFER_BYTES = 8192;
const TRUSTED_KEY = 'plant';

/** Connections are what the server was told in any mode: reserves are inside of it. */
export function maxChannelCountOf({ maxSessionCount, shared }: SimulationOptions): number {
  return maxSessionCount + 4 + shared.connections;
}

/** The provider that the options ask for, audited. */
export function createAuditedProvider(options: SimulationOptions, findings: Findings, tally: Tally, faults: FaultPlan): AuditedProvider {
  if (options.mode === 'SharedOnly') {
    const totals = sharedTotals(options);
    return new AuditedProvider(faults.provider(new SharedResourceIsolationProvider({ totals })), modelOfTotals(totals), findings, tally);
  }
  const plan = planOf(options, options.mode);
  return new AuditedProvider(faults.provider(createProvider(options, plan, findings)), modelOfPlan(plan), findings, tally);
}

function createProvider(options: SimulationOptions, plan: ResourceIsolationPlan, findings: Findings): ResourceIsolationProvider {
  const classifier = new AddressRangeClassifier(
    options.mapped.map(({ address, standing }) => ({
      ranges: [address],
      identity: standing === 'trusted' ? { key: TRUSTED_KEY, ownerClass: 'Trusted' } : { key: `address:${address}`, ownerClass: standing },
    })),
  );
  return new DefaultResourceIsolationProvider({
    plan,
    classifier,
    onClassifierError: (error) => findings.report(`the classifier failed: ${String(error)}`),
  });
}

function sharedTotals(options: SimulationOptions): Record<keyof typeof Stage, number> {
  const { shared, maxMessageSize } = options;
  return {
    Connection: maxChannelCountOf(options),
    Handshake: maxChannelCountOf(options),
    ReassemblyBytes: shared.reassembly * maxMessageSize,
    RequestQueue: shared.queue,
    RequestQueueBytes: shared.queueBytes * maxMessageSize,
    ParkedRequest: shared.parked,
    RequestExecution: shared.execution,
    SessionEstablishment: shared.establishment,
  };
}

function planOf(options: SimulationOptions, mode: Exclude<ResourceIsolationMode, 'SharedOnly'>): ResourceIsolationPlan {
  const { shared, maxMessageSize, maxSessionCount, maxTrackedOwners, defaultWeight, keptForIdleOwners } = options;
  const trusted = mode === 'TrustedReservations' ? 1 : 0;
  const early = mode === 'FairShare' ? 0 : 2 + trusted;
  const decoded = mode === 'FairShare' ? 0 : 3 + trusted;
  const limit = options.ownerHardLimit === undefined ? {} : { ownerHardLimit: options.ownerHardLimit };
  const lowered = (
    stage: StageName,
    capacity: number,
    isLimited: boolean,
  ): { stage: StageName; capacity: number; ownerHardLimit?: number } => ({
    stage,
    capacity,
    ...(isLimited && limit.ownerHardLimit !== undefined ? { ownerHardLimit: Math.min(limit.ownerHardLimit, capacity) } : {}),
  });
  const common = {
    maxTrackedOwners,
    defaultWeight,
    maxRetainedMessageBytes: maxMessageSize,
    stages: [
      lowered('RequestQueue', decoded + shared.queue, true),
      lowered('RequestQueueBytes', (decoded + shared.queueBytes) * maxMessageSize, false),
      lowered('ParkedRequest', decoded + shared.parked, true),
      { ...lowered('RequestExecution', decoded + shared.execution, true), ...(mode === 'FairShare' ? {} : { keptForIdleOwners }) },
      lowered('SessionEstablishment', early + shared.establishment, true),
      lowered('Connection', maxChannelCountOf(options), true),
    ],
  };
  const limits = {
    maxSessionCount,
    maxChannelCount: maxChannelCountOf(options),
    maxMessageSize,
    maxBufferSize: MAX_BUFFER_BYTES,
    reassemblyBudget: { maxBytes: (early + shared.reassembly) * maxMessageSize },
  };
  return createRuntimePlan(limits, withTrustedOwners({ ...common, mode }, options.trustedWeight));
}

function withTrustedOwners(
  options: { readonly mode: ResourceIsolationMode; readonly stages: readonly { readonly stage: StageName }[] },
  weight: number,
): ResourceIsolationOptions {
  const trustedOwners = options.mode === 'TrustedReservations' ? { trustedOwners: [{ key: TRUSTED_KEY, weight }] } : {};
  return { ...options, ...trustedOwners } as ResourceIsolationOptions;
}
