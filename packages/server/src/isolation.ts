import type { Runtime } from '@bulkhead/contracts';
import {
  ChunkReassemblyBudget,
  checkHandshakeTimeout,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  describePlan,
  isByteStage,
  type PlanRow,
  RefusalIds,
  type ResourceIsolationPlan,
  RetainedBytesLedger,
  SharedResourceIsolationProvider,
  Stage,
  type StageName,
  stageNames,
  withReassemblyBudget,
} from '@bulkhead/resource-isolation';
import { RefusalLog } from './isolation/refusal-log.ts';
import { type OwnerTime, ServerIsolation } from './isolation/server-isolation.ts';
import { createConnectionRate } from './rate-limits/connection-rate.ts';
import { resolveServerOptions } from './resolve-options.ts';
import type { ResolvedServerOptions, ServerOptions } from './server-options.ts';

/**
 * Makes the provider that the options ask for: one given by the host as it is, else that of the mode, which is Balanced unless
 * another is named. The chunk reassembly budget holds in every case.
 * @param ownerTimes what the requests of each owner have cost.
 * @throws ResourceIsolationOptionsError naming the option that is wrong.
 */
export function createIsolation(
  options: ResolvedServerOptions,
  given: ServerOptions,
  { clock, log }: Runtime,
  ownerTimes: () => Iterable<OwnerTime>,
): ServerIsolation {
  // Checked in every mode, before anything is built on it.
  checkHandshakeTimeout(options);
  const budget = given.chunkReassemblyBudget ?? new ChunkReassemblyBudget(options.maxReassemblyBytes);
  const refusals = new RefusalLog(clock, log);
  const retained = new RetainedBytesLedger({
    maxBytes: options.maxRetainedBytes,
    maxBytesPerOwner: options.maxRetainedBytesPerOwner,
    maxOwners: options.maxChannelCount + options.maxSessionCount,
  });
  const common = { refusals, ownerTimes, retained };
  const { resourceIsolationProvider: own, resourceIsolationClassifier: classifier } = given;
  if (own !== undefined) {
    const limits = own.plan === undefined ? undefined : describePlan(own.plan);
    return new ServerIsolation({
      ...common,
      provider: withReassemblyBudget(own, budget, { onRefused: refusals.note }),
      accounts: own,
      limits,
      owned: undefined,
    });
  }
  if (given.resourceIsolation?.mode === 'SharedOnly') {
    const totals = sharedTotals(options);
    const told = { onRefused: refusals.note, refusalIds: new RefusalIds() };
    const accounts = new SharedResourceIsolationProvider({ totals, ...told });
    return new ServerIsolation({
      ...common,
      provider: withReassemblyBudget(accounts, budget, told),
      accounts,
      limits: stageNames.map((stage) => sharedRow(stage, totals[stage])),
      owned: undefined,
    });
  }
  const plan = createRuntimePlan(planLimits(options, budget), given.resourceIsolation);
  const limits = describePlan(plan);
  for (const row of limits) log.log('info', 'isolation.stage', { ...row });
  const provider = new DefaultResourceIsolationProvider({
    plan,
    reassemblyBudget: budget,
    ...(classifier === undefined ? {} : { classifier }),
    onRefused: refusals.note,
    onClassifierError: (error) => log.log('error', 'isolation.classifierFailed', { error }),
  });
  return new ServerIsolation({ ...common, provider, accounts: provider, limits, owned: provider });
}

/**
 * The plan that a server with these options would work by, without making one; for mode SharedOnly too. Whether the rate limits leave
 * room for its reserves is checked as well.
 * @throws OptionsError or ResourceIsolationOptionsError naming the option that is wrong.
 */
export function planServer(given: ServerOptions): ResourceIsolationPlan {
  const options = resolveServerOptions(given);
  const plan = createRuntimePlan(planLimits(options, given.chunkReassemblyBudget), given.resourceIsolation);
  createConnectionRate(options.rateLimits, plan, given.serverRateLimiterProvider);
  return plan;
}

function planLimits(options: ResolvedServerOptions, budget: ChunkReassemblyBudget | undefined): Parameters<typeof createRuntimePlan>[0] {
  return {
    ...options,
    maxConcurrentSessionEstablishment: options.rateLimits.maxConcurrentSessionEstablishment,
    reassemblyBudget: budget ?? { maxBytes: options.maxReassemblyBytes },
  };
}

type StageTotals = Readonly<Record<StageName, number>>;

/** One limit per stage for all callers together. */
function sharedTotals(options: ResolvedServerOptions): StageTotals {
  const { maxChannelCount, maxQueuedRequestCount, maxConcurrentRequests, maxParkedRequestCount, maxMessageSize, rateLimits } = options;
  const isEstablishmentLimited = rateLimits.enabled && rateLimits.sessionRateLimitEnabled;
  return {
    Connection: maxChannelCount,
    Handshake: maxChannelCount,
    ReassemblyBytes: options.maxReassemblyBytes,
    RequestQueue: maxQueuedRequestCount,
    RequestQueueBytes: maxMessageSize * (maxQueuedRequestCount + maxConcurrentRequests + maxParkedRequestCount),
    ParkedRequest: maxParkedRequestCount,
    RequestExecution: maxConcurrentRequests,
    // Without a limit of its own, what may run at a time bounds it.
    SessionEstablishment: isEstablishmentLimited ? rateLimits.maxConcurrentSessionEstablishment : maxConcurrentRequests,
  };
}

function sharedRow(stage: StageName, total: number): PlanRow {
  return {
    stage,
    unit: isByteStage(Stage[stage]) ? 'bytes' : 'count',
    total,
    shared: total,
    bootstrap: 0,
    reconnect: 0,
    control: 0,
    trusted: 0,
    keptForIdleOwners: 0,
    ownerHardLimit: total,
    shadow: false,
  };
}
