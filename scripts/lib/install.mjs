import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureNpm, StepError } from './run.mjs';
import { ROOT, readJson, workspaceFolders } from './workspace.mjs';

const STAMP = 'node_modules/.bulkhead-installed';

/** Installs the packages of the lock file, if anything that decides about them has changed since the last time. */
export function install() {
  const wanted = fingerprint(ROOT);
  const stamp = join(ROOT, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing packages …');
  const pnpm = readJson(join(ROOT, 'package.json')).packageManager.split('+')[0];
  const args = ['exec', '--yes', '--prefer-offline', `--package=${pnpm}`, '--', 'pnpm', 'install', '--frozen-lockfile'];
  // CI=true: never ask, also not before replacing a node_modules folder that another tool made.
  const { status, output } = captureNpm(args, { env: { CI: 'true' } });
  if (status !== 0) {
    console.error(output);
    throw new StepError('installing the packages failed (pnpm install --frozen-lockfile)');
  }
  writeFileSync(stamp, wanted);
}

/** Changes when a manifest, the lock file, the platform or Node's binary interface changes. */
export function fingerprint(root) {
  const manifests = workspaceFolders(root).map((folder) => `${folder}/package.json`);
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}
