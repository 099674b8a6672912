import { mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUpToDate, writeModules } from '../src/output-folder.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codegen-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('output folder', () => {
  it('is up to date only for the fingerprint it was written with and while all files exist', async () => {
    expect(await isUpToDate(folder, 'f1')).toBe(false);
    await writeModules(folder, new Map([['a.ts', 'a']]), 'f1');
    expect(await isUpToDate(folder, 'f1')).toBe(true);
    expect(await isUpToDate(folder, 'f2')).toBe(false);
    await rm(join(folder, 'a.ts'));
    expect(await isUpToDate(folder, 'f1')).toBe(false);
  });

  it('leaves files alone whose text is right and removes files that are no longer made', async () => {
    await writeModules(
      folder,
      new Map([
        ['a.ts', 'a'],
        ['b.ts', 'b'],
        ['old.ts', 'x'],
      ]),
      'f1',
    );
    const longAgo = new Date(0);
    await utimes(join(folder, 'a.ts'), longAgo, longAgo);
    expect(
      await writeModules(
        folder,
        new Map([
          ['a.ts', 'a'],
          ['b.ts', 'changed'],
        ]),
        'f2',
      ),
    ).toBe(1);
    expect((await stat(join(folder, 'a.ts'))).mtimeMs).toBe(0);
    expect(await readFile(join(folder, 'b.ts'), 'utf8')).toBe('changed');
    expect((await readdir(folder)).sort()).toEqual(['.fingerprint', 'a.ts', 'b.ts']);
  });

  it('does not look finished when writing was interrupted', async () => {
    await writeModules(folder, new Map([['a.ts', 'a']]), 'f1');
    const broken = new Map([['no-such-folder/a.ts', 'a']]);
    await expect(writeModules(folder, broken, 'f1')).rejects.toThrow();
    expect(await isUpToDate(folder, 'f1')).toBe(false);
  });
});
