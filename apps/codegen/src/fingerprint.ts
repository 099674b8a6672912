import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bsdPath, inputPackages, nodesetPath, packageVersion } from './inputs.ts';

/**
 * A hash of all that the output depends on: the generator's own code, the versions of the input packages and the sizes of
 * the schema files.
 * @param codeFolder folder with the generator's modules as they run
 */
export async function computeFingerprint(codeFolder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const fileName of (await readdir(codeFolder)).sort()) {
    if (!/\.[jt]s$/u.test(fileName) || fileName.endsWith('.d.ts')) continue;
    hash.update(`${fileName}\n`).update(await readFile(join(codeFolder, fileName)));
  }
  for (const name of inputPackages) hash.update(`${await packageVersion(name)}\n`);
  for (const path of [bsdPath, nodesetPath]) hash.update(`${(await stat(path)).size}\n`);
  return hash.digest('hex');
}
