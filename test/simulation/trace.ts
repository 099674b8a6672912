const RECENT_LINES = 80;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** What happened in one run: a hash of all of it, and its last lines in clear. */
export class Trace {
  readonly #recent: string[] = [];
  #low = FNV_OFFSET;
  #high = ~FNV_OFFSET;
  #lineCount = 0;

  add(line: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let at = 0; at < line.length; at++) {
      low = Math.imul(low ^ line.charCodeAt(at), FNV_PRIME);
      high = Math.imul(high ^ (low >>> 15), FNV_PRIME);
    }
    this.#low = low ^ 0x0a;
    this.#high = high;
    this.#recent[this.#lineCount++ % RECENT_LINES] = line;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  get hash(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** The last lines, oldest first. */
  recent(): readonly string[] {
    const first = this.#lineCount % RECENT_LINES;
    return this.#lineCount <= RECENT_LINES ? this.#recent : [...this.#recent.slice(first), ...this.#recent.slice(0, first)];
  }
}
