import type { Owner, OwnerClass, ProtectedWork } from '../owner.ts';

/** An owner as classification makes it. */
export class CallerOwner implements Owner {
  readonly key: string;
  readonly ownerClass: OwnerClass;
  readonly weight: number;
  readonly isSessionBound: boolean;
  readonly work: ProtectedWork | undefined;
  /** Where an owner table had it last; saves a look-up, and is checked before it is used. */
  slotHint = -1;

  constructor(key: string, ownerClass: OwnerClass, weight: number, isSessionBound: boolean, work: ProtectedWork | undefined) {
    this.key = key;
    this.ownerClass = ownerClass;
    this.weight = weight;
    this.isSessionBound = isSessionBound;
    this.work = work;
  }
}
