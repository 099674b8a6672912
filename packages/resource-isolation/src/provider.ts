import type { Lease, Refusal, RequestLeases } from './lease.ts';
import type { CallerEvidence, Owner } from './owner.ts';
import type { Stage } from './stage.ts';

/** Decides who may use how much of each stage. One per server, shared by all its listeners. */
export interface ResourceIsolationProvider {
  /** Owner of a connection before anything of it is authenticated. */
  classifyIngress(address: string): Owner;
  /** Owner of a request, from all that is known now. */
  classify(evidence: CallerEvidence): Owner;
  /**
   * Charges at once or refuses at once; never waits.
   * @param amount operations, or bytes for the byte stages; an integer >= 1.
   */
  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal;
  /** Stages RequestQueue, RequestQueueBytes and, when `mayPark`, ParkedRequest: all or nothing. */
  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal;
  /** Amount in use now. */
  getUsage(stage: Stage): number;
  /** Owners with live charges. */
  readonly trackedOwnerCount: number;
}
