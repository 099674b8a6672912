import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../lib/workspace.mjs';

/** A file that no longer fits in one head. */
const MAX_LINES = 500;

/** Above this a file should have a good reason. */
const LONG_LINES = 300;

const FOLDERS = ['packages', 'apps', 'test', 'benchmarks', 'scripts'];

/** Lines of every written source file: `{ file, lines }`. */
export function measureFiles(root) {
  const files = FOLDERS.flatMap((folder) => filesBelow(root, folder, (name) => /\.[cm]?[jt]s$/.test(name)));
  return files
    .filter((file) => !file.includes('/generated/'))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length }));
}

/** Finds files that are too long, and counts those that are getting there. The length of functions is the linter's business. */
export function checkSizes(files) {
  const faults = files
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file}: ${lines} lines, ${MAX_LINES} are allowed`);
  const long = files.filter(({ lines }) => lines > LONG_LINES && lines <= MAX_LINES);
  return { faults, note: long.length > 0 ? `${long.length} of ${files.length} files have more than ${LONG_LINES} lines` : '' };
}
