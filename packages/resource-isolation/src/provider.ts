import type { ChunkReassemblyBudget } from './chunk-reassembly-budget.ts';
import type { Lease, Refusal, RequestLeases } from './lease.ts';
import type { CallerEvidence, Owner } from './owner.ts';
import type { ResourceIsolationPlan } from './plan/plan.ts';
import type { Stage } from './stage.ts';

/**
 * Told of everything that is refused; with `isShadow`, of what would have been. Must not throw, nor ask the provider for more.
 */
export type RefusalListener = (refusal: Refusal, owner: Owner, isShadow: boolean) => void;

/** Decides who may use how much of each stage. One per server, shared by all its listeners. */
export interface ResourceIsolationProvider {
  /** Owner of a connection before anything of it is authenticated. */
  classifyIngress(address: string): Owner;
  /** Owner of a request, from all that is known now. */
  classify(evidence: CallerEvidence): Owner;
  /**
   * Like `classify`, for a provider that keeps what follows from evidence per channel.
   * @param activation identity of the Session's activation, another one for each ActivateSession; undefined without a Session.
   */
  classifyOn?(channel: object, activation: object | undefined, evidence: CallerEvidence): Owner;
  /** The same evidence gives the same owner every time, so that nobody needs to ask twice. Default: it may not. */
  readonly ownersFollowEvidence?: boolean;
  /** The channel is closed: what `classifyOn` kept of its callers goes. */
  channelClosed?(channel: object): void;
  /**
   * Charges at once or refuses at once; never waits. Of several reasons to refuse, what is wrong with the owner comes first, so
   * `Capacity` means that room elsewhere would have helped.
   * @param amount operations, or bytes for the byte stages; an integer >= 1.
   */
  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal;
  /** Stages RequestQueue, RequestQueueBytes and, when `mayPark`, ParkedRequest: all or nothing. */
  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal;
  /** Amount in use now. */
  getUsage(stage: Stage): number;
  /** Owners with live charges. */
  readonly trackedOwnerCount: number;
  /** The limits in use, when this provider works by a plan. */
  readonly plan?: ResourceIsolationPlan | undefined;
  /**
   * Calls `listener` when RequestExecution was refused and has room again: for the queue of decoded requests, the only one that
   * waits. It is called in the middle of a release, so it should do no more than schedule a turn.
   * @returns what ends it.
   */
  onCapacity?(listener: () => void): Disposable;
}

/** A provider that decides by classes of caller who may use how much of the chunk reassembly budget. */
export interface ResourceIsolationReassemblyProvider extends ResourceIsolationProvider {
  /** Replaces the budget's rule for channels without a Session. The budget's total holds all the same. */
  readonly replacesSessionlessRule: true;
  /** A budget that it charges itself; any other is charged around it. */
  readonly reassemblyBudget?: ChunkReassemblyBudget;
}
