import { checkInteger } from '../options-error.ts';

/** Bounds of a `RetainedBytesLedger`, in bytes. */
export interface RetainedBytesOptions {
  /** All owners together. */
  readonly maxBytes: number;
  /** One owner. Default: a quarter of `maxBytes`. */
  readonly maxBytesPerOwner?: number;
  /** So many owners have a part of their own that nobody else can take. */
  readonly maxOwners: number;
}

/** The part of an owner's own is no larger than this. */
const MOST_OWN_BYTES = 64 * 1024;

/**
 * Counts what is kept for owners when their requests are done. Each of up to `maxOwners` has a part of its own, so that it can keep a
 * little whatever the others keep; what it has above that comes out of the rest, as long as it is within its own limit. The own
 * parts together are at most half of everything. All operations are O(1).
 */
export class RetainedBytesLedger {
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
  /** What each owner can keep in any case. */
  readonly ownBytes: number;
  readonly #maxOwners: number;
  readonly #sharedCapacity: number;
  readonly #owners: Map<string, OwnerBytes> = new Map();
  #sharedBytes = 0;
  #usedBytes = 0;

  /** @throws ResourceIsolationOptionsError naming the bound that is wrong. */
  constructor({ maxBytes, maxBytesPerOwner = Math.ceil(maxBytes / 4), maxOwners }: RetainedBytesOptions) {
    this.maxBytes = checkInteger('maxRetainedBytes', maxBytes, 1);
    this.maxBytesPerOwner = checkInteger('maxRetainedBytesPerOwner', maxBytesPerOwner, 1, maxBytes);
    this.#maxOwners = checkInteger('maxOwners', maxOwners, 1);
    this.ownBytes = Math.min(MOST_OWN_BYTES, maxBytesPerOwner, Math.floor(maxBytes / (2 * maxOwners)));
    this.#sharedCapacity = maxBytes - this.ownBytes * maxOwners;
  }

  /** Kept for everybody now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Owners with open accounts. */
  get ownerCount(): number {
    return this.#owners.size;
  }

  /** Kept for one owner now. */
  ofOwner(key: string): number {
    return this.#owners.get(key)?.usedBytes ?? 0;
  }

  /** The account of an owner; dispose it when nothing is charged through it any more. Those of one owner count together. */
  open(ownerKey: string): RetainedBytesLedgerAccount {
    let owner = this.#owners.get(ownerKey);
    if (owner === undefined) {
      owner = new OwnerBytes(ownerKey, this.#owners.size < this.#maxOwners ? this.ownBytes : 0);
      this.#owners.set(ownerKey, owner);
    }
    owner.accountCount++;
    return new RetainedBytesLedgerAccount(this, owner);
  }

  /** Called by accounts. */
  tryCharge(owner: OwnerBytes, bytes: number): boolean {
    const usedBytes = owner.usedBytes + bytes;
    const sharedBytes = owner.aboveOwn(usedBytes) - owner.aboveOwn(owner.usedBytes);
    if (usedBytes > this.maxBytesPerOwner || this.#sharedBytes + sharedBytes > this.#sharedCapacity) return false;
    owner.usedBytes = usedBytes;
    this.#sharedBytes += sharedBytes;
    this.#usedBytes += bytes;
    return true;
  }

  /** Called by accounts. */
  release(owner: OwnerBytes, bytes: number): void {
    const usedBytes = owner.usedBytes - bytes;
    this.#sharedBytes -= owner.aboveOwn(owner.usedBytes) - owner.aboveOwn(usedBytes);
    this.#usedBytes -= bytes;
    owner.usedBytes = usedBytes;
  }

  /** Called by accounts. */
  closed(owner: OwnerBytes): void {
    if (--owner.accountCount === 0) this.#owners.delete(owner.key);
  }
}

class OwnerBytes {
  readonly key: string;
  readonly #ownBytes: number;
  usedBytes = 0;
  accountCount = 0;

  constructor(key: string, ownBytes: number) {
    this.key = key;
    this.#ownBytes = ownBytes;
  }

  aboveOwn(bytes: number): number {
    return bytes > this.#ownBytes ? bytes - this.#ownBytes : 0;
  }
}

/** One account; what is charged through it ends with it at the latest. */
export class RetainedBytesLedgerAccount implements Disposable {
  readonly #ledger: RetainedBytesLedger;
  readonly #owner: OwnerBytes;
  #bytes = 0;
  #isOpen = true;

  constructor(ledger: RetainedBytesLedger, owner: OwnerBytes) {
    this.#ledger = ledger;
    this.#owner = owner;
  }

  /** Bytes charged to the owner, through other accounts too. */
  get usedBytes(): number {
    return this.#owner.usedBytes;
  }

  /** @returns false when it doesn't fit, or the account is disposed; nothing is charged then. */
  tryCharge(bytes: number): boolean {
    if (!this.#isOpen || !this.#ledger.tryCharge(this.#owner, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** @throws RangeError for more than was charged through this account. */
  release(bytes: number): void {
    if (!this.#isOpen) return;
    if (bytes > this.#bytes) throw new RangeError(`released ${bytes} of ${this.#bytes} bytes`);
    this.#bytes -= bytes;
    this.#ledger.release(this.#owner, bytes);
  }

  /** Gives everything back. Idempotent. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.release(this.#bytes);
    this.#isOpen = false;
    this.#ledger.closed(this.#owner);
  }
}
