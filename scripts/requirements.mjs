import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { requirementsReport } from './lib/requirements.mjs';
import { RESULTS, VITEST } from './lib/test.mjs';
import { filesBelow, ROOT, readJson } from './lib/workspace.mjs';

/** `pnpm requirements [--json]`: which promises of docs/requirements.md a passing test carries. It informs; it never fails. */
function main(args) {
  if (isStale()) runTests();
  const report = requirementsReport(ROOT, readJson(join(ROOT, RESULTS)));
  const { total, covered, missing } = report;
  if (args.includes('--json')) {
    console.log(JSON.stringify({ total, covered, missing }));
    return;
  }
  for (const id of missing) console.log(`${id}  ${report.promises.get(id)}`);
  for (const id of report.unknown) console.log(`${id}: in a test's title, but not in docs/requirements.md`);
  for (const line of report.drift) console.log(`docs/requirements.md differs from its origin: ${line}`);
  console.log(`${covered.length} of ${total} requirements have a passing test, ${missing.length} have none`);
}

/** The results are older than a file they depend on. */
function isStale() {
  const results = join(ROOT, RESULTS);
  if (!existsSync(results)) return true;
  const { mtimeMs } = statSync(results);
  const isInput = (name) => /\.([cm]?[jt]s|json)$/.test(name);
  const inputs = ['packages', 'apps', 'test', 'scripts'].flatMap((folder) => filesBelow(ROOT, folder, isInput));
  return inputs.some((file) => statSync(join(ROOT, file)).mtimeMs > mtimeMs);
}

function runTests() {
  console.error('Running the tests first …');
  const args = [VITEST, 'run', '--reporter=json', `--outputFile.json=${RESULTS}`];
  spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

main(process.argv.slice(2));
