/** How often what happened. */
export class Tally {
  readonly #counts: Map<string, number> = new Map();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  addAll(other: Tally): void {
    for (const [what, count] of other.#counts) this.add(what, count);
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** In alphabetical order. */
  entries(): [string, number][] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
