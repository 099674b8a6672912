import {
  type CallerEvidence,
  createRuntimePlan,
  DefaultResourceIsolationProvider,
  type Lease,
  type Refusal,
  type RequestLeases,
  type ResourceIsolationPlan,
  type ResourceIsolationProvider,
  SharedResourceIsolationProvider,
  Stage,
  stageNames,
} from '@bulkhead/resource-isolation';
import { type Cost, measureCost } from './cost.ts';

const MiB = 2 ** 20;
const MESSAGE_BYTES = 4 * MiB;
const MAX_OWNERS = 4_000;

/** A caller whose Session is activated. */
interface Caller {
  readonly channel: object;
  readonly activation: object;
  readonly evidence: CallerEvidence;
}

/** What admission and release of one request cost with so many callers that have a connection, all of which send by turns. */
export function admissionCosts(ownerCounts: readonly number[]): Cost[] {
  const plan = createPlanFor(MAX_OWNERS);
  return ownerCounts.flatMap((count) => [
    admissionCost(`request, Balanced, live owners: ${count}`, new DefaultResourceIsolationProvider({ plan }), count),
    admissionCost(`request, SharedOnly, live owners: ${count}`, sharedProvider(plan), count),
  ]);
}

function admissionCost(name: string, provider: ResourceIsolationProvider, ownerCount: number): Cost {
  const callers = Array.from({ length: ownerCount }, (_, at) => callerOf(at));
  const connections = callers.map(({ channel, activation, evidence }) => {
    const owner = provider.classifyOn?.(channel, activation, evidence) ?? provider.classify(evidence);
    return granted(provider.tryAcquire(Stage.Connection, owner, 1));
  });
  const cost = measureCost(name, (index) => serve(provider, callers[index % ownerCount] as Caller));
  for (const connection of connections) connection[Symbol.dispose]();
  if (provider.trackedOwnerCount !== 0) throw new Error(`${name}: charges are left`);
  return cost;
}

/** All that a provider does for one request that may park. */
function serve(provider: ResourceIsolationProvider, { channel, activation, evidence }: Caller): void {
  const owner = provider.classifyOn?.(channel, activation, evidence) ?? provider.classify(evidence);
  const { queue, bytes, parked } = granted(provider.tryAdmitRequest(owner, MESSAGE_BYTES, true));
  const execution = granted(provider.tryAcquire(Stage.RequestExecution, owner, 1));
  queue[Symbol.dispose]();
  execution[Symbol.dispose]();
  parked?.[Symbol.dispose]();
  bytes[Symbol.dispose]();
}

function granted<Leases extends Lease | RequestLeases>(answer: Leases | Refusal): Leases {
  if (answer.kind === 'refusal') throw new Error(`refused: ${answer.reason} at ${stageNames[answer.stage]}`);
  return answer;
}

function callerOf(at: number): Caller {
  return {
    channel: {},
    activation: {},
    evidence: {
      address: `10.0.${at >> 8}.${at & 255}`,
      applicationThumbprint: undefined,
      applicationUri: undefined,
      userName: `user-${at}`,
      hasActivatedSession: true,
      work: undefined,
    },
  };
}

function createPlanFor(owners: number): ResourceIsolationPlan {
  return createRuntimePlan({
    maxSessionCount: owners,
    maxChannelCount: owners + 100,
    maxMessageSize: MESSAGE_BYTES,
    maxBufferSize: 65_536,
    maxQueuedRequestCount: 1000,
  });
}

/** With the totals of the plan. */
function sharedProvider(plan: ResourceIsolationPlan): SharedResourceIsolationProvider {
  const totals = Object.fromEntries(stageNames.map((name) => [name, plan.getStage(name).total]));
  return new SharedResourceIsolationProvider({ totals: totals as Readonly<Record<keyof typeof Stage, number>> });
}
