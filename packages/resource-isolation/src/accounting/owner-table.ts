import type { Owner, OwnerClass } from '../owner.ts';
import type { ResourceIsolationPlan } from '../plan/plan.ts';
import { type Stage, stages } from '../stage.ts';
import { CallerOwner } from './caller-owner.ts';
import type { AllocateCounters, Counters } from './counters.ts';

/** `find`: the owner has no entry. */
export const UNTRACKED = -1;
/** `find`: nobody may have such an owner. */
export const INVALID = -2;

/** A power of 2 of owners per page, so that finding a counter takes no division. */
const PAGE_BITS = 6;
const OWNERS_PER_PAGE = 1 << PAGE_BITS;
const LIVE = stages.length;
const REFUSALS = stages.length + 1;
const COUNTERS_PER_OWNER = stages.length + 2;

/** Owners without charges that are still known, so that one that comes and goes with each request costs no look-up tables. */
const MAX_IDLE_OWNERS = 64;

const ordinaryClasses: readonly OwnerClass[] = ['Shared', 'Bootstrap', 'Reconnect', 'Control'];

/** The entries of one class of owner. */
class ClassEntries {
  readonly slots: Map<string, number> = new Map();
  /** Owners with charges. */
  live = 0;
  /** Entries that no other class can take. */
  readonly reserved: number;

  constructor(reserved: number) {
    this.reserved = reserved;
  }
}

/**
 * Owners with live charges, by a small number each. An entry is taken by an owner's first charge and given back with its last,
 * never before. Entries are bounded; those kept for protected classes and trusted owners can't be used up by others.
 */
export class OwnerTable {
  /** Trusted owners: they have the slots below. */
  readonly trustedCount: number;
  readonly #allocate: AllocateCounters;
  readonly #maxKeyLength: number;
  /** Entries for everybody. */
  readonly #sharedEntries: number;
  readonly #classes: ReadonlyMap<OwnerClass, ClassEntries>;
  /** Configured; they have the first slots for good. */
  readonly #trusted: ReadonlyMap<string, number>;
  readonly #keys: string[];
  readonly #ownerClasses: OwnerClass[];
  readonly #freeSlots: number[] = [];
  /** Slots that had no charges when they came in, the oldest first; each once. */
  readonly #idleSlots: number[] = [];
  readonly #isInIdleSlots: boolean[] = [];
  readonly #pages: Counters[] = [];
  /** Taken of the entries for everybody. */
  #sharedEntriesUsed = 0;
  #count = 0;

  constructor(plan: ResourceIsolationPlan, allocate: AllocateCounters) {
    this.#allocate = allocate;
    this.#maxKeyLength = plan.maxOwnerKeyLength;
    this.#classes = new Map(ordinaryClasses.map((ownerClass) => [ownerClass, new ClassEntries(plan.reservedEntries(ownerClass))]));
    this.#trusted = new Map(plan.trustedOwners.map(({ key }, slot) => [key, slot]));
    this.#keys = plan.trustedOwners.map(({ key }) => key);
    this.#ownerClasses = plan.trustedOwners.map(() => 'Trusted');
    this.trustedCount = this.#trusted.size;
    let reserved = this.trustedCount;
    for (const entries of this.#classes.values()) reserved += entries.reserved;
    this.#sharedEntries = plan.maxTrackedOwners - reserved;
    this.#addPages();
  }

  /** Owners with live charges. */
  get count(): number {
    return this.#count;
  }

  /** The owner's slot, `UNTRACKED` or `INVALID`. A slot needs no live charges. */
  find(owner: Owner): number {
    if (!(owner instanceof CallerOwner)) return this.#lookUp(owner);
    const hint = owner.slotHint;
    if (hint >= 0 && this.#keys[hint] === owner.key && this.#ownerClasses[hint] === owner.ownerClass) return hint;
    const slot = this.#lookUp(owner);
    owner.slotHint = slot;
    return slot;
  }

  /** Whether the owner has an entry, or may get one. */
  hasEntry(slot: number, ownerClass: OwnerClass): boolean {
    if (slot >= 0 && this.#get(slot, LIVE) > 0) return true;
    const entries = this.#classes.get(ownerClass);
    return entries === undefined || entries.live < entries.reserved || this.#sharedEntriesUsed < this.#sharedEntries;
  }

  /** A slot for an untracked owner, to be charged at once. */
  add(owner: Owner): number {
    const slot = this.#freeSlots.pop() ?? this.#keys.length;
    this.#keys[slot] = owner.key;
    this.#ownerClasses[slot] = owner.ownerClass;
    this.#addPages();
    this.#classes.get(owner.ownerClass)?.slots.set(owner.key, slot);
    if (owner instanceof CallerOwner) owner.slotHint = slot;
    return slot;
  }

  keyOf(slot: number): string {
    return this.#keys[slot] as string;
  }

  classOf(slot: number): OwnerClass {
    return this.#ownerClasses[slot] as OwnerClass;
  }

  usage(slot: number, stage: Stage): number {
    return slot < 0 ? 0 : this.#get(slot, stage);
  }

  refusals(slot: number): number {
    return this.#get(slot, REFUSALS);
  }

  noteRefusal(slot: number): void {
    this.#add(slot, REFUSALS, 1);
  }

  charge(slot: number, stage: Stage, amount: number): void {
    const page = this.#pageOf(slot);
    const first = firstCounter(slot);
    if (page.get(first + LIVE) === 0) this.#enter(slot);
    page.add(first + LIVE, 1);
    page.add(first + stage, amount);
  }

  release(slot: number, stage: Stage, amount: number): void {
    const page = this.#pageOf(slot);
    const first = firstCounter(slot);
    page.add(first + stage, -amount);
    page.add(first + LIVE, -1);
    if (page.get(first + LIVE) === 0) this.#leave(slot);
  }

  /** Slots with live charges. */
  *live(): IterableIterator<number> {
    for (let slot = 0; slot < this.#keys.length; slot++) if (this.#get(slot, LIVE) > 0) yield slot;
  }

  #lookUp(owner: Owner): number {
    const { key, ownerClass } = owner;
    if (ownerClass === 'Trusted') return this.#trusted.get(key) ?? INVALID;
    const entries = this.#classes.get(ownerClass);
    if (entries === undefined || key.length === 0 || key.length > this.#maxKeyLength) return INVALID;
    return entries.slots.get(key) ?? UNTRACKED;
  }

  #enter(slot: number): void {
    this.#count++;
    const entries = this.#classes.get(this.classOf(slot));
    if (entries === undefined) return;
    if (entries.live >= entries.reserved) this.#sharedEntriesUsed++;
    entries.live++;
  }

  #leave(slot: number): void {
    this.#count--;
    this.#add(slot, REFUSALS, -this.#get(slot, REFUSALS));
    const entries = this.#classes.get(this.classOf(slot));
    if (entries === undefined) return;
    entries.live--;
    if (entries.live >= entries.reserved) this.#sharedEntriesUsed--;
    this.#noteIdle(slot);
  }

  #noteIdle(slot: number): void {
    if (this.#isInIdleSlots[slot] === true) return;
    this.#isInIdleSlots[slot] = true;
    if (this.#idleSlots.push(slot) <= MAX_IDLE_OWNERS) return;
    const oldest = this.#idleSlots.shift() as number;
    this.#isInIdleSlots[oldest] = false;
    if (this.#get(oldest, LIVE) === 0) this.#forget(oldest);
  }

  #forget(slot: number): void {
    this.#classes.get(this.classOf(slot))?.slots.delete(this.keyOf(slot));
    this.#keys[slot] = '';
    this.#freeSlots.push(slot);
  }

  #addPages(): void {
    while (this.#pages.length * OWNERS_PER_PAGE < this.#keys.length) {
      this.#pages.push(this.#allocate(OWNERS_PER_PAGE * COUNTERS_PER_OWNER));
    }
  }

  #get(slot: number, counter: number): number {
    return this.#pageOf(slot).get(firstCounter(slot) + counter);
  }

  #add(slot: number, counter: number, amount: number): void {
    this.#pageOf(slot).add(firstCounter(slot) + counter, amount);
  }

  #pageOf(slot: number): Counters {
    return this.#pages[slot >> PAGE_BITS] as Counters;
  }
}

/** Of an owner, in its page. */
function firstCounter(slot: number): number {
  return (slot & (OWNERS_PER_PAGE - 1)) * COUNTERS_PER_OWNER;
}
