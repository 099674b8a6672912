import { readFileSync } from 'node:fs';

/** Written at build time; the same relative path from `src` and from `dist`. */
const FILE: URL = new URL('../generated/core-namespace.bin', import.meta.url);

/** The packed namespace 0 that belongs to this package. @throws Error ENOENT when the package was not built. */
export function readCoreNamespaceFile(): Buffer {
  return readFileSync(FILE);
}
