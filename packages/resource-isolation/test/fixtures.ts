import { expect } from 'vitest';
import {
  type CallerEvidence,
  type CallerIdentity,
  ChunkReassemblyBudget,
  createRuntimePlan,
  type DefaultResourceIsolationOptions,
  DefaultResourceIsolationProvider,
  type Lease,
  type Refusal,
  type RequestLeases,
  type ResourceIsolationClassifier,
  type ResourceIsolationOptions,
  type ResourceIsolationProvider,
  type ServerLimits,
  Stage,
  stageNames,
} from '../src/index.ts';

export const MiB = 1024 * 1024;

/** The server of the documented example. */
export const exampleLimits: ServerLimits = {
  maxSessionCount: 100,
  maxChannelCount: 103,
  maxConcurrentRequests: 100,
  maxQueuedRequestCount: 100,
  maxMessageSize: 4 * MiB,
  maxBufferSize: 65_536,
  maxConcurrentSessionEstablishment: 64,
  reassemblyBudget: new ChunkReassemblyBudget(64 * MiB),
};

/** A server with little of everything: 10 execution slots, 8 channels, 1,000 reassembly bytes, messages of 100 bytes. */
export const smallLimits: ServerLimits = {
  maxSessionCount: 2,
  maxChannelCount: 8,
  maxMessageSize: 100,
  maxBufferSize: 25,
  maxParkedRequestCount: 4,
  maxConcurrentSessionEstablishment: 6,
  reassemblyBudget: new ChunkReassemblyBudget(2_000),
};

export const anonymous: CallerEvidence = {
  address: '10.0.0.1',
  applicationThumbprint: undefined,
  applicationUri: undefined,
  userName: undefined,
  hasActivatedSession: false,
};

/** Maps addresses to identities. */
export class MapClassifier implements ResourceIsolationClassifier {
  readonly byAddress: Map<string, CallerIdentity>;

  constructor(byAddress: Readonly<Record<string, CallerIdentity>>) {
    this.byAddress = new Map(Object.entries(byAddress));
  }

  classifyIngress(address: string): CallerIdentity | undefined {
    return this.byAddress.get(address);
  }
}

export function createProvider(
  options: ResourceIsolationOptions = {},
  more: Partial<DefaultResourceIsolationOptions> = {},
  limits: ServerLimits = smallLimits,
): DefaultResourceIsolationProvider {
  return new DefaultResourceIsolationProvider({ plan: createRuntimePlan(limits, options), ...more });
}

export function granted<T extends Lease | RequestLeases>(answer: T | Refusal): T {
  if (answer.kind !== 'lease') throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer;
}

/** Takes `count` leases of `amount` each. */
export function take(provider: ResourceIsolationProvider, stage: Stage, address: string, count: number, amount = 1): Lease[] {
  return Array.from({ length: count }, () => granted(provider.tryAcquire(stage, provider.classifyIngress(address), amount)));
}

export function disposeAll(leases: Iterable<Disposable>): void {
  for (const lease of leases) lease[Symbol.dispose]();
}

export function expectNothingInUse(provider: ResourceIsolationProvider): void {
  for (const name of stageNames) expect(provider.getUsage(Stage[name]), name).toBe(0);
  expect(provider.trackedOwnerCount).toBe(0);
}
