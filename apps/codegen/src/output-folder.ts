import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FINGERPRINT_FILE = '.fingerprint';

/** True when the folder was written from the same inputs and none of its files is missing. */
export async function isUpToDate(folder: string, fingerprint: string): Promise<boolean> {
  const [written, ...fileNames] = (await readIfPresent(join(folder, FINGERPRINT_FILE)))?.trimEnd().split('\n') ?? [];
  if (written !== fingerprint) return false;
  const present = await Promise.all(
    fileNames.map((fileName) =>
      access(join(folder, fileName)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return present.every(Boolean);
}

/**
 * Makes the folder hold exactly these modules. Files that already have the right text keep their time stamp, so that
 * builds which look at it have nothing to do.
 * @returns the number of files written
 */
export async function writeModules(folder: string, modules: ReadonlyMap<string, string>, fingerprint: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  // An interrupted run must not look finished.
  await rm(join(folder, FINGERPRINT_FILE), { force: true });
  let written = 0;
  for (const [fileName, text] of modules) {
    if ((await readIfPresent(join(folder, fileName))) === text) continue;
    await writeFile(join(folder, fileName), text);
    written++;
  }
  for (const fileName of await readdir(folder)) {
    if (!modules.has(fileName)) await rm(join(folder, fileName), { recursive: true });
  }
  await writeFile(join(folder, FINGERPRINT_FILE), `${[fingerprint, ...modules.keys()].join('\n')}\n`);
  return written;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
