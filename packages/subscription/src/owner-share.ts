import type { RetainedBytesAccount, RetainedBytesAccounts, SessionContext } from '@bulkhead/contracts';

/** Whose Subscriptions a Session's are: the key of its owner. */
export type OwnerKeyOf = (session: SessionContext) => string;

/** What all Subscriptions of one owner use together. */
export class OwnerShare {
  readonly key: string;
  readonly account: RetainedBytesAccount;
  subscriptionCount = 0;
  itemCount = 0;
  /** Of all its MonitoredItems, disabled ones too: enabling one needs no new room. */
  samplesPerSecond = 0;

  constructor(key: string, account: RetainedBytesAccount) {
    this.key = key;
    this.account = account;
  }
}

/** The shares of owners that have Subscriptions. */
export class OwnerShares {
  readonly #accounts: RetainedBytesAccounts;
  readonly #ownerKeyOf: OwnerKeyOf;
  readonly #shares: Map<string, OwnerShare> = new Map();

  constructor(accounts: RetainedBytesAccounts, ownerKeyOf: OwnerKeyOf) {
    this.#accounts = accounts;
    this.#ownerKeyOf = ownerKeyOf;
  }

  get ownerCount(): number {
    return this.#shares.size;
  }

  /** What the Session's owner uses now; undefined while it has no Subscription. */
  find(session: SessionContext): OwnerShare | undefined {
    return this.#shares.get(this.#ownerKeyOf(session));
  }

  /** Counts one more Subscription. Goes with `leave`. */
  join(session: SessionContext): OwnerShare {
    const key = this.#ownerKeyOf(session);
    let share = this.#shares.get(key);
    if (share === undefined) {
      share = new OwnerShare(key, this.#accounts.open(key));
      this.#shares.set(key, share);
    }
    share.subscriptionCount++;
    return share;
  }

  /** One Subscription less. The last one closes the account. */
  leave(share: OwnerShare): void {
    if (--share.subscriptionCount > 0) return;
    this.#shares.delete(share.key);
    share.account[Symbol.dispose]();
  }
}
