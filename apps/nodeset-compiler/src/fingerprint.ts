import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coreNodeSetPath, nodeSetsManifestPath } from './inputs.ts';

/** Code that the output depends on: this app's and the loader's, as they run. */
const CODE_FOLDERS: readonly URL[] = [
  new URL('./', import.meta.url),
  new URL('../../../packages/address-space/dist/', import.meta.url),
  new URL('../../../packages/types/dist/', import.meta.url),
];

/** A hash of everything that the output depends on. */
export async function computeFingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of CODE_FOLDERS) {
    const path = fileURLToPath(folder);
    const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.js'));
    for (const name of names.sort()) hash.update(`${name}\n`).update(await readFile(join(path, name)));
  }
  hash.update(await readFile(nodeSetsManifestPath)).update(String((await stat(coreNodeSetPath)).size));
  return hash.digest('hex');
}
