import { RefusalRing } from '@bulkhead/resource-isolation';
import type { RefusalEntry } from './refusal-log.ts';

const MAX_OWNERS = 256;
const MAX_ENTRIES_PER_OWNER = 32;

/** The last refusals of each owner, so that one that is refused all the time doesn't push out those of others. */
export class RefusalsByOwner {
  /** The owner that was refused last comes last. */
  readonly #rings: Map<string, RefusalRing<RefusalEntry>> = new Map();

  add(entry: RefusalEntry): void {
    const { ownerKey } = entry;
    const ring = this.#rings.get(ownerKey) ?? new RefusalRing(MAX_ENTRIES_PER_OWNER);
    this.#rings.delete(ownerKey);
    this.#rings.set(ownerKey, ring);
    ring.add(entry);
    if (this.#rings.size <= MAX_OWNERS) return;
    for (const longestAgo of this.#rings.keys()) {
      this.#rings.delete(longestAgo);
      return;
    }
  }

  /** The oldest first. */
  entries(ownerKey: string): readonly RefusalEntry[] {
    return this.#rings.get(ownerKey)?.entries() ?? [];
  }
}
