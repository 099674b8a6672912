import type { RetainedBytesAccount, RetainedBytesAccounts } from '@bulkhead/contracts';

/** A connection whose unsent bytes count towards those of its owner. */
export interface UnsentHolder {
  readonly unsentBytes: number;
  /** Whom to charge from now on; asked when bytes begin to be unsent. */
  unsentOwnerKey(): string;
  /** It is the one of its owner's connections that has most unsent, and they have too much: it has to be closed. */
  onOwnerUnsentLimit(): void;
}

/** Bounds what the connections of one owner have unsent together; one that is over the limit loses the largest of its own. */
export class UnsentBytes {
  readonly #maxBytesPerOwner: number;
  readonly #accounts: RetainedBytesAccounts | undefined;
  readonly #owners: Map<string, OwnerUnsent> = new Map();

  /** @param accounts where they are charged too, together with what else is retained for the owner. */
  constructor(maxBytesPerOwner: number, accounts: RetainedBytesAccounts | undefined) {
    this.#maxBytesPerOwner = maxBytesPerOwner;
    this.#accounts = accounts;
  }

  /** Owners with unsent bytes now. */
  get ownerCount(): number {
    return this.#owners.size;
  }

  /** Its share ends with `dispose`. */
  join(holder: UnsentHolder): UnsentShare {
    return new UnsentShare(this, holder);
  }

  /** Called by shares. */
  ownerOf(key: string): OwnerUnsent {
    let owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, (owner = new OwnerUnsent(key, this.#maxBytesPerOwner, this.#accounts?.open(key))));
    return owner;
  }

  /** Called by shares: the owner's last one has nothing unsent any more. */
  forget(owner: OwnerUnsent): void {
    if (this.#owners.delete(owner.key)) owner.account?.[Symbol.dispose]();
  }
}

/** What one owner has unsent. */
class OwnerUnsent {
  readonly key: string;
  readonly account: RetainedBytesAccount | undefined;
  readonly shares: Set<UnsentShare> = new Set();
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(key: string, maxBytes: number, account: RetainedBytesAccount | undefined) {
    this.key = key;
    this.#maxBytes = maxBytes;
    this.account = account;
  }

  tryCharge(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    if (this.account?.tryCharge(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
    this.account?.release(bytes);
  }

  largest(): UnsentShare | undefined {
    let largest: UnsentShare | undefined;
    for (const share of this.shares) if (largest === undefined || share.unsentBytes > largest.unsentBytes) largest = share;
    return largest;
  }
}

/** The part of one connection. */
export class UnsentShare implements Disposable {
  readonly #all: UnsentBytes;
  readonly #holder: UnsentHolder;
  #owner: OwnerUnsent | undefined;
  #chargedBytes = 0;
  #isEnded = false;

  constructor(all: UnsentBytes, holder: UnsentHolder) {
    this.#all = all;
    this.#holder = holder;
  }

  get unsentBytes(): number {
    return this.#holder.unsentBytes;
  }

  /** Counts what is unsent now. Closes connections of the same owner, this one perhaps, until that fits. */
  update(): void {
    if (this.#isEnded) return;
    const { unsentBytes } = this.#holder;
    if (unsentBytes === 0) return this.#leaveOwner();
    const owner = this.#owner ?? this.#joinOwner();
    const moreBytes = unsentBytes - this.#chargedBytes;
    if (moreBytes < 0) owner.release(-moreBytes);
    while (moreBytes > 0 && !this.#isEnded && !owner.tryCharge(moreBytes)) owner.largest()?.cutOff();
    if (!this.#isEnded) this.#chargedBytes = unsentBytes;
  }

  /** The connection is closed. Idempotent. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#leaveOwner();
  }

  /** Its connection has to go: nothing of it counts any more. */
  cutOff(): void {
    this[Symbol.dispose]();
    this.#holder.onOwnerUnsentLimit();
  }

  #joinOwner(): OwnerUnsent {
    const owner = this.#all.ownerOf(this.#holder.unsentOwnerKey());
    owner.shares.add(this);
    this.#owner = owner;
    return owner;
  }

  #leaveOwner(): void {
    const owner = this.#owner;
    if (owner === undefined) return;
    this.#owner = undefined;
    if (this.#chargedBytes > 0) owner.release(this.#chargedBytes);
    this.#chargedBytes = 0;
    owner.shares.delete(this);
    if (owner.shares.size === 0) this.#all.forget(owner);
  }
}
