import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One input for decoders. */
export interface SeedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The seeds to replay: those of the folder that the environment variable TEST_CORPUS names, and always the project's own,
 * recorded from its tests, one per line as `<kind> <hex>`.
 */
export function seedFiles(): SeedFile[] {
  const folder = process.env['TEST_CORPUS'];
  return [...recordedSeeds(), ...(folder !== undefined && folder !== '' ? corpusFiles(folder) : [])];
}

function recordedSeeds(): SeedFile[] {
  const lines = readFileSync(new URL('seeds/recorded.txt', import.meta.url), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index) => ({ name: `recorded.txt:${index}`, bytes: Buffer.from(line.split(' ')[1] ?? '', 'hex') }));
}

function corpusFiles(folder: string): SeedFile[] {
  if (!existsSync(folder)) throw new Error(`TEST_CORPUS names a folder that isn't there: ${folder}`);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ name: path, bytes: readFileSync(path) }));
}
