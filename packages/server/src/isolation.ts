import type { Logger } from '@bulkhead/contracts';
import {
  ChunkReassemblyBudget,
  checkHandshakeTimeout,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  describePlan,
  RefusalIds,
  type ResourceIsolationProvider,
  SharedResourceIsolationProvider,
  withReassemblyBudget,
} from '@bulkhead/resource-isolation';
import type { ResolvedServerOptions, ServerOptions } from './server-options.ts';

/** The provider of one server, and what to do with it when the server ends. */
export interface ServerIsolation extends Disposable {
  readonly provider: ResourceIsolationProvider;
}

/**
 * Makes the provider that the options ask for: one given by the host as it is, else that of the mode. The chunk reassembly
 * budget holds in every case.
 * @throws ResourceIsolationOptionsError naming the option that is wrong.
 */
export function createIsolation(options: ResolvedServerOptions, given: ServerOptions, log: Logger): ServerIsolation {
  // Checked in every mode, before anything is built on it.
  checkHandshakeTimeout(options);
  const budget = given.chunkReassemblyBudget ?? new ChunkReassemblyBudget(options.maxReassemblyBytes);
  if (given.resourceIsolationProvider !== undefined) return lasting(withReassemblyBudget(given.resourceIsolationProvider, budget));
  const { resourceIsolation = { mode: 'SharedOnly' } as const, resourceIsolationClassifier: classifier } = given;
  if (resourceIsolation.mode === 'SharedOnly') {
    const refusalIds = new RefusalIds();
    return lasting(withReassemblyBudget(sharedProvider(options, refusalIds), budget, { refusalIds }));
  }
  const plan = createRuntimePlan({ ...options, reassemblyBudget: budget }, resourceIsolation);
  for (const row of describePlan(plan)) log.log('info', 'isolation.stage', { ...row });
  const provider = new DefaultResourceIsolationProvider({
    plan,
    reassemblyBudget: budget,
    ...(classifier === undefined ? {} : { classifier }),
    onClassifierError: (error) => log.log('error', 'isolation.classifierFailed', { error }),
  });
  return { provider, [Symbol.dispose]: () => provider[Symbol.dispose]() };
}

/** What the server didn't make, or what holds nothing, needs no end. */
function lasting(provider: ResourceIsolationProvider): ServerIsolation {
  return { provider, [Symbol.dispose]: () => undefined };
}

/** One limit per stage for all callers together. */
function sharedProvider(options: ResolvedServerOptions, refusalIds: RefusalIds): ResourceIsolationProvider {
  const { maxChannelCount, maxQueuedRequestCount, maxConcurrentRequests, maxParkedRequestCount, maxMessageSize } = options;
  return new SharedResourceIsolationProvider({
    refusalIds,
    totals: {
      Connection: maxChannelCount,
      Handshake: maxChannelCount,
      ReassemblyBytes: options.maxReassemblyBytes,
      RequestQueue: maxQueuedRequestCount,
      RequestQueueBytes: maxMessageSize * (maxQueuedRequestCount + maxConcurrentRequests + maxParkedRequestCount),
      ParkedRequest: maxParkedRequestCount,
      RequestExecution: maxConcurrentRequests,
      SessionEstablishment: options.maxConcurrentSessionEstablishment,
    },
  });
}
