/** What is kept for one owner when its requests are done: notifications, continuation points, unsent responses. */
export interface RetainedBytesAccount extends Disposable {
  /** Bytes charged to this owner now. */
  readonly usedBytes: number;
  /**
   * All or nothing.
   * @returns false when the limit of this owner, or that of all together, would be exceeded; nothing is charged then.
   */
  tryCharge(bytes: number): boolean;
  /** Gives back what was charged before. */
  release(bytes: number): void;
}

/** The accounts of all owners of a server. */
export interface RetainedBytesAccounts {
  /** The account of an owner; dispose it when nothing is charged through it any more. Two of one owner count together. */
  open(ownerKey: string): RetainedBytesAccount;
}
