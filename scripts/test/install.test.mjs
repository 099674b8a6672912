import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fingerprint } from '../lib/install.mjs';

it('the fingerprint changes with the lock file and with a manifest, and with nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-install-'));
  try {
    mkdirSync(join(root, 'packages/a/src'), { recursive: true });
    for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages/a/package.json'])
      writeFileSync(join(root, file), '{}');
    const seen = [fingerprint(root)];
    writeFileSync(join(root, 'packages/a/src/index.ts'), 'export {};');
    expect(fingerprint(root)).toBe(seen[0]);
    for (const file of ['pnpm-lock.yaml', 'packages/a/package.json']) {
      writeFileSync(join(root, file), '{ }');
      seen.push(fingerprint(root));
    }
    expect(new Set(seen).size).toBe(3);
  } finally {
    rmSync(root, { recursive: true });
  }
});
