import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** What a `WatchedFolder` reads, and its bounds. */
export interface WatchedFolderOptions<T> {
  readonly path: string;
  /** File name extensions taken, in lower case with the dot. */
  readonly extensions: readonly string[];
  /** What a file holds; a file for which it throws is passed over. */
  readonly parse: (bytes: Buffer) => readonly T[];
  /** Files read; more are passed over. */
  readonly maxFiles: number;
  /** Longer files are passed over. */
  readonly maxFileBytes: number;
  /** Whether files are overwritten in place, which a folder's time doesn't show: they are then looked at every second. */
  readonly filesChangeInPlace: boolean;
}

interface FileEntry<T> {
  readonly stamp: string;
  readonly items: readonly T[];
}

/** Two changes within a file system's time step look like one: what changed this recently is read again. */
const UNSETTLED_MS = 2000;
const RECHECK_FILES_MS = 1000;
const FILES_AT_A_TIME = 16;

/**
 * The parsed files of a folder, read again when they have changed. There is no watcher and no timer: each question costs one `stat`,
 * and unchanged files aren't read twice.
 */
export class WatchedFolder<T> {
  readonly #options: WatchedFolderOptions<T>;
  #files: ReadonlyMap<string, FileEntry<T>> = new Map();
  #items: readonly T[] = [];
  #loadedFolderMs = Number.NaN;
  #loadedAtMs = 0;
  /** Something could not be read at the last load: no reason to forget what it held, nor to wait for a change of the folder. */
  #isIncomplete = false;
  #loading: Promise<void> | undefined;

  constructor(options: WatchedFolderOptions<T>) {
    this.#options = options;
  }

  /** The present content. The same array as before if nothing has changed. A folder that isn't there counts as empty. */
  async items(): Promise<readonly T[]> {
    const folderMs = await modifiedMs(this.#options.path);
    // A load that another caller started may have begun before the change: at most one more is needed.
    for (let attempt = 0; attempt < 2 && !this.#isFresh(folderMs); attempt++) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
      if (this.#loadedFolderMs === folderMs) break;
    }
    return this.#items;
  }

  #isFresh(folderMs: number): boolean {
    if (this.#loadedFolderMs !== folderMs || this.#loadedAtMs - folderMs < UNSETTLED_MS) return false;
    return (!this.#options.filesChangeInPlace && !this.#isIncomplete) || Date.now() - this.#loadedAtMs < RECHECK_FILES_MS;
  }

  async #load(): Promise<void> {
    const { path, extensions, maxFiles } = this.#options;
    const atMs = Date.now();
    const folderMs = await modifiedMs(path);
    this.#isIncomplete = false;
    const all = await readdir(path).catch((error) => this.#orKnown(error, [...this.#files.keys()], []));
    const names = all.filter((name) => extensions.includes(extname(name).toLowerCase())).sort();
    names.length = Math.min(names.length, maxFiles);
    const files = new Map<string, FileEntry<T>>();
    for (let from = 0; from < names.length; from += FILES_AT_A_TIME) {
      const batch = names.slice(from, from + FILES_AT_A_TIME);
      const entries = await Promise.all(batch.map((name) => this.#read(name)));
      for (const [i, entry] of entries.entries()) if (entry !== undefined) files.set(batch[i] as string, entry);
    }
    const isSame = files.size === this.#files.size && [...files].every(([name, entry]) => this.#files.get(name) === entry);
    if (!isSame) this.#items = [...files.values()].flatMap((entry) => entry.items);
    this.#files = files;
    this.#loadedFolderMs = folderMs;
    this.#loadedAtMs = atMs;
  }

  async #read(name: string): Promise<FileEntry<T> | undefined> {
    try {
      const path = join(this.#options.path, name);
      const { size, mtimeMs, ctimeMs, ino, isFile } = await fileStamp(path);
      if (!isFile || size > this.#options.maxFileBytes) return undefined;
      const stamp = `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
      const known = this.#files.get(name);
      if (known?.stamp === stamp) return known;
      return { stamp, items: this.#parse(await readFile(path)) };
    } catch (error) {
      return this.#orKnown(error, this.#files.get(name), undefined);
    }
  }

  #parse(bytes: Buffer): readonly T[] {
    try {
      return this.#options.parse(bytes);
    } catch {
      return [];
    }
  }

  /** What is gone is gone; what can't be read now, for want of file handles perhaps, stays as it was known. */
  #orKnown<V>(error: unknown, known: V, gone: V): V {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    this.#isIncomplete = true;
    return known;
  }
}

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return -1;
  }
}

async function fileStamp(path: string): Promise<{ size: number; mtimeMs: number; ctimeMs: number; ino: number; isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs, ino: stats.ino, isFile: stats.isFile() };
}
