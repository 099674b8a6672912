import type { Clock, Logger } from '@bulkhead/contracts';
import { perSecond, TokenBucket } from '@bulkhead/limits';
import {
  type Owner,
  type OwnerClass,
  type Refusal,
  type RefusalReason,
  RefusalRing,
  refusalReasons,
  Stage,
  type StageName,
  stageNames,
} from '@bulkhead/resource-isolation';
import { RefusalsByOwner } from './refusals-by-owner.ts';

/** Something that was not admitted; with `isShadow`, something that was admitted and would not have been. */
export interface RefusalEntry {
  /** Also in the fault that the caller got, where there was one. Counts up. */
  readonly id: number;
  readonly at: Date;
  readonly stage: StageName;
  readonly reason: RefusalReason;
  /** How full the limit was. */
  readonly usage: number;
  readonly limit: number;
  readonly ownerKey: string;
  readonly ownerClass: OwnerClass;
  readonly isShadow: boolean;
}

const MAX_ENTRIES = 1024;
/** Entries of the log per second, and at once: a storm of refusals must not become a storm of lines. */
const LINES_PER_SECOND = 5;
const MAX_LINES_AT_ONCE = 20;

/**
 * Remembers the last refusals, counts all of them and writes some to the log. A request that gets no place to run is counted only: it
 * waits for one, and nobody is told of a refusal.
 */
export class RefusalLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ring: RefusalRing<RefusalEntry> = new RefusalRing(MAX_ENTRIES);
  readonly #byOwner: RefusalsByOwner = new RefusalsByOwner();
  readonly #lines: TokenBucket = new TokenBucket(perSecond(LINES_PER_SECOND, MAX_LINES_AT_ONCE));
  readonly #counts: Float64Array = new Float64Array(stageNames.length * refusalReasons.length);
  #shadowCount = 0;
  #unwritten = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** What a provider calls for each refusal. */
  readonly note = (refusal: Refusal, owner: Owner, isShadow: boolean): void => {
    const { stage, reason, usage, limit } = refusal;
    if (isShadow) this.#shadowCount++;
    else this.#counts[indexOf(stage, reason)]! += 1;
    if (!isShadow && waits(refusal)) return;
    const entry: RefusalEntry = {
      id: refusal.id,
      at: new Date(this.#clock.utcNow().unixMs),
      stage: stageNames[stage] as StageName,
      reason,
      usage,
      limit,
      ownerKey: owner.key,
      ownerClass: owner.ownerClass,
      isShadow,
    };
    this.#ring.add(entry);
    this.#byOwner.add(entry);
    this.#write(entry);
  };

  /** Refused so far. */
  count(stage: Stage, reason: RefusalReason): number {
    return this.#counts[indexOf(stage, reason)] as number;
  }

  /** Let through so far by shadow mode. */
  get shadowCount(): number {
    return this.#shadowCount;
  }

  /** The last ones, the oldest first. @param ownerKey of one owner only, whatever was refused to others since. */
  entries(ownerKey?: string): readonly RefusalEntry[] {
    return ownerKey === undefined ? this.#ring.entries() : this.#byOwner.entries(ownerKey);
  }

  #write(entry: RefusalEntry): void {
    if (!this.#log.isEnabled('warn')) return;
    if (this.#lines.tryAcquire(this.#clock.nowMs()).kind !== 'granted') {
      this.#unwritten++;
      return;
    }
    const unwritten = this.#unwritten;
    this.#unwritten = 0;
    const { isShadow, at: _at, ...fields } = entry;
    this.#log.log('warn', isShadow ? 'isolation.wouldRefuse' : 'isolation.refused', unwritten > 0 ? { ...fields, unwritten } : fields);
  }
}

/** For a request that has its place in the queue, no slot to run means later. */
function waits({ stage, reason }: Refusal): boolean {
  return stage === Stage.RequestExecution && (reason === 'Capacity' || reason === 'OwnerLimit');
}

function indexOf(stage: Stage, reason: RefusalReason): number {
  return stage * refusalReasons.length + refusalReasons.indexOf(reason);
}
