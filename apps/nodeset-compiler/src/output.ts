import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const OUTPUT_FOLDER = new URL('../../../packages/address-space/generated/', import.meta.url);
const OUTPUT: string = fileURLToPath(new URL('core-namespace.bin', OUTPUT_FOLDER));
const FINGERPRINT: string = fileURLToPath(new URL('.fingerprint', OUTPUT_FOLDER));

/** True when the output was made from the same inputs. */
export async function isUpToDate(fingerprint: string): Promise<boolean> {
  try {
    await access(OUTPUT);
    return (await readFile(FINGERPRINT, 'utf8')) === fingerprint;
  } catch {
    return false;
  }
}

/** Replaces the output in one step, so that a reader never sees half of it. */
export async function writeOutput(bytes: Buffer, fingerprint: string): Promise<void> {
  await mkdir(OUTPUT_FOLDER, { recursive: true });
  await writeFile(`${OUTPUT}.tmp`, bytes);
  await rename(`${OUTPUT}.tmp`, OUTPUT);
  await writeFile(FINGERPRINT, fingerprint);
}
