import { checkInteger } from './options-error.ts';

/** Keeps the last entries and forgets the oldest; for operators who want to see what was refused. */
export class RefusalRing<Entry> {
  readonly #entries: Entry[] = [];
  readonly #maxEntries: number;
  #oldest = 0;
  #count = 0;

  /** @param maxEntries an integer >= 1. */
  constructor(maxEntries: number) {
    this.#maxEntries = checkInteger('maxEntries', maxEntries, 1);
  }

  /** Entries ever added. */
  get count(): number {
    return this.#count;
  }

  add(entry: Entry): void {
    this.#count++;
    if (this.#entries.length < this.#maxEntries) {
      this.#entries.push(entry);
      return;
    }
    this.#entries[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % this.#maxEntries;
  }

  /** The oldest first. */
  entries(): readonly Entry[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
  }
}
