import { ResourceIsolationOptionsError } from '../options-error.ts';
import { parseDurationMs } from './duration.ts';

/** One object of a configuration file, read strictly: each key once, of the right type, and none that nobody asked for. */
export class JsonSection {
  readonly path: string;
  /** By key in camelCase. */
  readonly #entries: Map<string, { readonly path: string; readonly value: unknown }> = new Map();
  readonly #asked: Set<string> = new Set();

  /**
   * @param path as configuration spells it, with `:` between keys.
   * @throws ResourceIsolationOptionsError for what is no object, and for a key that is there in both spellings.
   */
  constructor(path: string, json: unknown) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new ResourceIsolationOptionsError(path, 'an object', json);
    this.path = path;
    for (const [key, value] of Object.entries(json)) {
      const name = key.charAt(0).toLowerCase() + key.slice(1);
      const entryPath = `${path}:${key}`;
      if (this.#entries.has(name)) throw new ResourceIsolationOptionsError(entryPath, 'one spelling of the key', key);
      this.#entries.set(name, { path: entryPath, value });
    }
  }

  integer(name: string): number | undefined {
    return this.#read(name, 'an integer', (value) => (Number.isSafeInteger(value) ? (value as number) : undefined));
  }

  string(name: string): string | undefined {
    return this.#read(name, 'text', (value) => (typeof value === 'string' ? value : undefined));
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  /** Milliseconds, or text such as `00:00:30`. */
  durationMs(name: string): number | undefined {
    return this.#read(name, 'milliseconds or hh:mm:ss', (value) => {
      if (typeof value === 'string') return parseDurationMs(value);
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    });
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    return this.#read(name, `one of ${values.join(', ')}`, (value) => values.find((candidate) => candidate === value));
  }

  /** @param read makes an item of its JSON and its path. */
  list<Item>(name: string, read: (json: unknown, path: string) => Item): Item[] | undefined {
    const items = this.#read(name, 'a list', (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));
    return items?.map((item, at) => read(item, `${this.pathOf(name)}:${at}`));
  }

  /** @throws ResourceIsolationOptionsError when the key is missing. */
  required<Value>(name: string, value: Value | undefined): Value {
    if (value !== undefined) return value;
    throw new ResourceIsolationOptionsError(this.pathOf(name), 'a value', undefined);
  }

  pathOf(name: string): string {
    return this.#entries.get(name)?.path ?? `${this.path}:${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  }

  /** Everything was asked for. @throws ResourceIsolationOptionsError for the first key that wasn't. */
  end(): void {
    for (const [name, { path }] of this.#entries) {
      if (this.#asked.has(name)) continue;
      throw new ResourceIsolationOptionsError(path, `one of ${[...this.#asked].join(', ')}`, name);
    }
  }

  #read<Value>(name: string, expected: string, convert: (value: unknown) => Value | undefined): Value | undefined {
    this.#asked.add(name);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const value = convert(entry.value);
    if (value === undefined) throw new ResourceIsolationOptionsError(entry.path, expected, entry.value);
    return value;
  }
}
