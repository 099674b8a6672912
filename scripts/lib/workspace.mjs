import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, whatever the working directory is. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', '.cache', '.git']);

/** Reads a JSON file. Comments are not allowed in any of ours. */
export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Folders of all workspace members, relative to `root`, sorted: packages/*, apps/*, test, benchmarks. */
export function workspaceFolders(root = ROOT) {
  const found = [];
  for (const parent of ['packages', 'apps']) {
    for (const entry of folderEntries(join(root, parent))) {
      if (entry.isDirectory()) found.push(`${parent}/${entry.name}`);
    }
  }
  found.push('test', 'benchmarks');
  return found.filter((folder) => existsSync(join(root, folder, 'package.json'))).sort();
}

/** Files below `folder` for which `wanted(name)` holds, relative to `root`, with forward slashes, sorted. */
export function filesBelow(root, folder, wanted) {
  const found = [];
  const visit = (path) => {
    for (const entry of folderEntries(path)) {
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) visit(join(path, entry.name));
      } else if (wanted(entry.name)) {
        found.push(relative(root, join(path, entry.name)).split(sep).join('/'));
      }
    }
  };
  visit(join(root, folder));
  return found.sort();
}

function folderEntries(path) {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
}
