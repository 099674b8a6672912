import { requireInteger } from './options.ts';

/** Longer keys are cut: a stranger chooses them, often. Callers whose keys differ only after this share an entry. */
const MAX_KEY_LENGTH = 256;

/** Entries dropped by one call, so each call is O(1) and the table still shrinks faster than it can grow. */
const DROPS_PER_CALL = 2;

export interface IdleTableOptions<V> {
  /** Most entries at once, >= 1. */
  readonly maxKeys: number;
  /** An entry unused for this long may be dropped, if it is settled. Whole ms, >= 1. */
  readonly idleMs: number;
  /** Makes the value of a new key. */
  readonly create: () => V;
  /** True when a fresh value would behave exactly as this one, so that dropping it forgets nothing. */
  readonly isSettled: (value: V, nowMs: number) => boolean;
}

/** Keeps an entry in the table. */
export interface Held<V> extends Disposable {
  readonly value: V;
}

/**
 * Values by key, made when first asked for, at most `maxKeys` at once. When it is full a new key gets nothing: an entry that is in
 * use, held or not settled is never dropped to make room. Idle entries go, oldest first, a few with each call.
 */
export class IdleTable<V> {
  readonly #options: IdleTableOptions<V>;
  readonly #entries = new Map<string, Entry<V>>();
  /** Ends of the list of entries that nobody holds, by last use. */
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;
  #nowMs = Number.NEGATIVE_INFINITY;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: IdleTableOptions<V>) {
    requireInteger('maxKeys', options.maxKeys, 1, 2 ** 24);
    requireInteger('idleMs', options.idleMs, 1);
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which counts as used now. @returns undefined if the key is new and the table full. */
  use(key: string, nowMs: number): V | undefined {
    return this.#find(key, nowMs)?.value;
  }

  /** As `use`, and the entry stays until every holder has disposed what it got. */
  hold(key: string, nowMs: number): Held<V> | undefined {
    const entry = this.#find(key, nowMs);
    if (entry === undefined) return undefined;
    if (entry.holders++ === 0) this.#unlink(entry);
    return new Hold(entry.value, () => {
      if (--entry.holders === 0) this.#append(entry);
    });
  }

  /** Drops up to `max` idle entries, for a host that wants memory back while nothing is asked. @returns how many it dropped. */
  dropIdle(nowMs: number, max: number): number {
    const timeMs = this.#advance(nowMs);
    let dropped = 0;
    for (let looked = 0; looked < max; looked++) {
      const entry = this.#oldest;
      if (entry === undefined || timeMs - entry.usedMs < this.#options.idleMs) break;
      this.#unlink(entry);
      if (this.#options.isSettled(entry.value, timeMs)) {
        this.#entries.delete(entry.key);
        dropped++;
      } else {
        this.#append(entry);
      }
    }
    return dropped;
  }

  /** When the next entry may be dropped, if nobody uses it: Infinity while all are held. */
  get nextIdleAtMs(): number {
    return this.#oldest === undefined ? Number.POSITIVE_INFINITY : this.#oldest.usedMs + this.#options.idleMs;
  }

  #find(key: string, nowMs: number): Entry<V> | undefined {
    const shortKey = key.length > MAX_KEY_LENGTH ? key.slice(0, MAX_KEY_LENGTH) : key;
    this.dropIdle(nowMs, DROPS_PER_CALL);
    const known = this.#entries.get(shortKey);
    if (known === undefined) return this.#add(shortKey);
    if (known.holders === 0) {
      this.#unlink(known);
      this.#append(known);
    }
    return known;
  }

  #add(key: string): Entry<V> | undefined {
    if (this.#entries.size >= this.#options.maxKeys) return undefined;
    const entry = new Entry(ownCopy(key), this.#options.create());
    this.#entries.set(entry.key, entry);
    this.#append(entry);
    return entry;
  }

  /** Time never goes back, so the list stays in order. */
  #advance(nowMs: number): number {
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  #append(entry: Entry<V>): void {
    entry.usedMs = this.#nowMs;
    entry.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry<V>): void {
    if (entry.older === undefined) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}

class Entry<V> {
  readonly key: string;
  readonly value: V;
  /** Linked in the list only while 0. */
  holders = 0;
  usedMs = 0;
  older: Entry<V> | undefined = undefined;
  newer: Entry<V> | undefined = undefined;

  constructor(key: string, value: V) {
    this.key = key;
    this.value = value;
  }
}

class Hold<V> implements Held<V> {
  readonly value: V;
  #release: (() => void) | undefined;

  constructor(value: V, release: () => void) {
    this.value = value;
    this.#release = release;
  }

  [Symbol.dispose](): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/** A key cut out of a long header would keep the whole header alive. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
