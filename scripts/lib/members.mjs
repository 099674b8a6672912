import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importsOf, lineAt, parse } from './source.mjs';
import { filesBelow, readJson, workspaceFolders } from './workspace.mjs';

/**
 * Reads the workspace for the checks.
 * @returns one entry per member: `{ name, folder, isPackage, manifest, references, sources, tests }` where `name` has no scope,
 *   `references` are the folders its tsconfig refers to, and `sources` and `tests` are parsed files (generated ones left out).
 */
export function readMembers(root, scope) {
  return workspaceFolders(root).map((folder) => {
    const manifest = readJson(join(root, folder, 'package.json'));
    const files = filesBelow(root, folder, (name) => /\.[cm]?[jt]s$/.test(name)).filter((file) => !file.includes('/generated/'));
    const isSource = (file) => file.startsWith(`${folder}/src/`);
    return {
      name: manifest.name?.startsWith(`${scope}/`) ? manifest.name.slice(scope.length + 1) : manifest.name,
      folder,
      isPackage: folder.startsWith('packages/'),
      manifest,
      references: readReferences(root, folder),
      sources: files.filter(isSource).map((file) => readSource(root, file)),
      tests: files.filter((file) => !isSource(file)).map((file) => readSource(root, file)),
    };
  });
}

/** Folders that the project file of a folder refers to; undefined where there is none. */
export function readReferences(root, folder, name = 'tsconfig.json') {
  const path = join(root, folder, name);
  if (!existsSync(path)) return undefined;
  return (readJson(path).references ?? []).map((reference) => posix.join(folder, reference.path));
}

function readSource(root, file) {
  return sourceFile(file, readFileSync(join(root, file), 'utf8'));
}

/** A parsed file: `{ file, text, program, imports, at(offset) }`. */
export function sourceFile(file, text) {
  const program = parse(file, text);
  return { file, text, program, imports: importsOf(program), at: (offset) => `${file}:${lineAt(text, offset)}` };
}
