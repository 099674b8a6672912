import { CapacityListeners } from './accounting/capacity-listeners.ts';
import { addressGroup } from './classification/address-group.ts';
import type { Lease, Refusal, RefusalReason, RequestLeases } from './lease.ts';
import type { CallerEvidence, Owner } from './owner.ts';
import type { RefusalListener, ResourceIsolationProvider } from './provider.ts';
import { RefusalIds } from './refusal-ids.ts';
import { Stage, stageNames } from './stage.ts';

/** Bounds of a `SharedResourceIsolationProvider`. */
export interface SharedResourceIsolationOptions {
  /** Capacity per stage: operations, or bytes for the byte stages; integers >= 1. */
  readonly totals: Readonly<Record<keyof typeof Stage, number>>;
  /** Most owners with live charges at a time. Default 4,096. */
  readonly maxTrackedOwners?: number;
  readonly onRefused?: RefusalListener;
  /** Default: ids of this provider's own. */
  readonly refusalIds?: RefusalIds;
}

const DEFAULT_MAX_TRACKED_OWNERS = 4_096;
const IPV6_PREFIX_LENGTH = 64;

/**
 * Mode SharedOnly: every stage is counted and has a total that all callers share. Owners are told apart, so that requests
 * can take turns, but none has a limit or a reserve of its own.
 */
export class SharedResourceIsolationProvider implements ResourceIsolationProvider {
  readonly #totals: readonly number[];
  readonly #maxTrackedOwners: number;
  readonly #ledger: Ledger = {
    usage: stageNames.map(() => 0),
    accounts: new Map(),
    executionListeners: new CapacityListeners(),
  };
  readonly #classified: WeakMap<CallerEvidence, Owner> = new WeakMap();
  readonly #onRefused: RefusalListener | undefined;
  readonly #refusalIds: RefusalIds;

  /** @throws RangeError if a total or the owner bound isn't an integer >= 1. */
  constructor(options: SharedResourceIsolationOptions) {
    this.#totals = stageNames.map((name) => checkedCount(`totals.${name}`, options.totals[name]));
    this.#maxTrackedOwners = checkedCount('maxTrackedOwners', options.maxTrackedOwners ?? DEFAULT_MAX_TRACKED_OWNERS);
    this.#onRefused = options.onRefused;
    this.#refusalIds = options.refusalIds ?? new RefusalIds();
  }

  get trackedOwnerCount(): number {
    return this.#ledger.accounts.size;
  }

  getUsage(stage: Stage): number {
    return this.#ledger.usage[stage] as number;
  }

  classifyIngress(address: string): Owner {
    return sharedOwner(`address:${addressGroup(address, IPV6_PREFIX_LENGTH)}`);
  }

  classify(evidence: CallerEvidence): Owner {
    if (evidence.hasActivatedSession && evidence.userName !== undefined) return sharedOwner(`user:${evidence.userName}`);
    if (evidence.applicationThumbprint !== undefined) return sharedOwner(`application:${evidence.applicationThumbprint}`);
    return this.classifyIngress(evidence.address);
  }

  /** Like `classify`; the same evidence gives the same owner again. */
  classifyOn(_channel: object, _activation: object | undefined, evidence: CallerEvidence): Owner {
    let owner = this.#classified.get(evidence);
    if (owner === undefined) {
      owner = this.classify(evidence);
      this.#classified.set(evidence, owner);
    }
    return owner;
  }

  onCapacity(listener: () => void): Disposable {
    return this.#ledger.executionListeners.add(listener);
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    if (!Number.isSafeInteger(amount) || amount < 1) throw new RangeError(`amount: ${amount}`);
    if (!this.#hasEntry(owner)) return this.#refuseOwner(stage, owner);
    if (!this.#fits(stage, amount)) return this.#refuseCapacity(stage, owner);
    return this.#charge(stage, this.#accountOf(owner), amount);
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    if (!Number.isSafeInteger(bytes) || bytes < 1) throw new RangeError(`bytes: ${bytes}`);
    if (!this.#hasEntry(owner)) return this.#refuseOwner(Stage.RequestQueue, owner);
    if (!this.#fits(Stage.RequestQueue, 1)) return this.#refuseCapacity(Stage.RequestQueue, owner);
    if (!this.#fits(Stage.RequestQueueBytes, bytes)) return this.#refuseCapacity(Stage.RequestQueueBytes, owner);
    if (mayPark && !this.#fits(Stage.ParkedRequest, 1)) return this.#refuseCapacity(Stage.ParkedRequest, owner);
    const account = this.#accountOf(owner);
    return {
      kind: 'lease',
      queue: this.#charge(Stage.RequestQueue, account, 1),
      bytes: this.#charge(Stage.RequestQueueBytes, account, bytes),
      parked: mayPark ? this.#charge(Stage.ParkedRequest, account, 1) : undefined,
    };
  }

  #fits(stage: Stage, amount: number): boolean {
    return (this.#ledger.usage[stage] as number) + amount <= (this.#totals[stage] as number);
  }

  /** False when the table is full of others. */
  #hasEntry(owner: Owner): boolean {
    return this.#ledger.accounts.size < this.#maxTrackedOwners || this.#ledger.accounts.has(owner.key);
  }

  #accountOf(owner: Owner): OwnerAccount {
    const known = this.#ledger.accounts.get(owner.key);
    if (known !== undefined) return known;
    const account: OwnerAccount = { key: owner.key, liveCharges: 0 };
    this.#ledger.accounts.set(owner.key, account);
    return account;
  }

  #charge(stage: Stage, account: OwnerAccount, amount: number): SharedLease {
    account.liveCharges++;
    this.#ledger.usage[stage] = (this.#ledger.usage[stage] as number) + amount;
    return new SharedLease(this.#ledger, account, stage, amount);
  }

  #refuseCapacity(stage: Stage, owner: Owner): Refusal {
    return this.#refuse(stage, owner, 'Capacity', this.getUsage(stage), this.#totals[stage] as number);
  }

  #refuseOwner(stage: Stage, owner: Owner): Refusal {
    return this.#refuse(stage, owner, 'OwnerTableFull', this.#ledger.accounts.size, this.#maxTrackedOwners);
  }

  #refuse(stage: Stage, owner: Owner, reason: RefusalReason, usage: number, limit: number): Refusal {
    const refusal: Refusal = { kind: 'refusal', id: this.#refusalIds.next(), stage, reason, usage, limit };
    if (stage === Stage.RequestExecution) this.#ledger.executionListeners.noteRefused();
    this.#onRefused?.(refusal, owner, false);
    return refusal;
  }
}

interface Ledger {
  /** By stage. */
  readonly usage: number[];
  /** Owners with live charges, by key. */
  readonly accounts: Map<string, OwnerAccount>;
  readonly executionListeners: CapacityListeners;
}

interface OwnerAccount {
  readonly key: string;
  liveCharges: number;
}

class SharedLease implements Lease {
  readonly kind = 'lease';
  readonly stage: Stage;
  readonly amount: number;
  readonly #ledger: Ledger;
  readonly #account: OwnerAccount;
  #isHeld = true; // a second dispose must not credit twice

  constructor(ledger: Ledger, account: OwnerAccount, stage: Stage, amount: number) {
    this.stage = stage;
    this.amount = amount;
    this.#ledger = ledger;
    this.#account = account;
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { usage, accounts, executionListeners } = this.#ledger;
    usage[this.stage] = (usage[this.stage] as number) - this.amount;
    if (--this.#account.liveCharges === 0) accounts.delete(this.#account.key);
    if (this.stage === Stage.RequestExecution) executionListeners.noteReleased();
  }
}

function sharedOwner(key: string): Owner {
  return { key, ownerClass: 'Shared', weight: 1 };
}

function checkedCount(path: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${path}: an integer >= 1, not ${value}`);
  return value;
}
