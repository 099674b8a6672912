import {
  type CallerEvidence,
  type CallerIdentity,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type ResourceIsolationClassifier,
  type ResourceIsolationProvider,
  Stage,
} from '@bulkhead/resource-isolation';

/** A mapping that a test changes while requests wait. */
export class ChangingClassifier implements ResourceIsolationClassifier {
  identity: ((evidence: CallerEvidence) => CallerIdentity | undefined) | undefined = undefined;

  classify(evidence: CallerEvidence): CallerIdentity | undefined {
    return this.identity?.(evidence);
  }
}

export interface SmallProviderOptions {
  /** Execution slots and queue places for everybody. Default 1 and 3. */
  readonly execution?: number;
  readonly queue?: number;
  readonly classifier?: ResourceIsolationClassifier;
}

/** Mode TrustedReservations with one trusted owner `plant` and one operation in each reserve. */
export function smallProvider({ execution = 1, queue = 3, classifier }: SmallProviderOptions = {}): DefaultResourceIsolationProvider {
  const reserves = 4;
  const plan = createRuntimePlan(
    {
      maxSessionCount: 2,
      maxChannelCount: 20,
      maxMessageSize: 100,
      maxBufferSize: 25,
      maxConcurrentSessionEstablishment: 10,
      reassemblyBudget: { maxBytes: 4_000 },
    },
    {
      mode: 'TrustedReservations',
      trustedOwners: [{ key: 'plant', weight: 1 }],
      stages: [
        { stage: 'RequestExecution', capacity: reserves + execution },
        { stage: 'RequestQueue', capacity: reserves + queue },
      ],
    },
  );
  return new DefaultResourceIsolationProvider({ plan, classifier: classifier ?? new ChangingClassifier() });
}

/** In use at a stage by each owner that has something there. */
export function usageByOwner(provider: ResourceIsolationProvider, stage: Stage): Record<string, number> {
  const usages = [...(provider as DefaultResourceIsolationProvider).ownerUsages()];
  const used = usages.map(({ key, usage }) => [key, usage[stage] as number] as const);
  return Object.fromEntries(used.filter(([, amount]) => amount > 0));
}

export const executionByOwner = (provider: ResourceIsolationProvider): Record<string, number> =>
  usageByOwner(provider, Stage.RequestExecution);
