import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { closingLine } from '../closing-line-reporter.mjs';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { runNode, StepError } from './run.mjs';
import { ROOT, readJson } from './workspace.mjs';

const CACHE = 'node_modules/.cache';
const COUNTS = `${CACHE}/test-counts.json`;

/** Where the results of the last full run are kept, in vitest's JSON form. */
export const RESULTS = `${CACHE}/test-results.json`;

export const VITEST = 'node_modules/vitest/vitest.mjs';

/**
 * Installs, builds, runs all checks, then the tests; ends with the line `N passed, N failed`, in which a failed check or step
 * counts as one failure.
 * @param args for vitest; with any, the results are of a part only and are not kept.
 * @returns the exit status.
 */
export async function runTests(args) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  try {
    install();
    build('all');
    const { runChecks } = await import('../checks/index.mjs');
    const failedChecks = await runChecks();
    if (failedChecks > 0) counts.failures.push(`FAILED: ${failedChecks} of the checks above`);
    counts.failed += failedChecks;
    const status = runVitest(args, counts);
    if (status !== 0 && counts.failed === 0) counts.failed = 1;
    if (args.length === 0) await reportRequirements();
  } catch (error) {
    console.error(error instanceof StepError ? `task: ${error.message}` : error);
    counts.failures.push(`FAILED: ${error.message}`);
    counts.failed++;
  }
  process.stdout.write(closingLine(counts));
  return counts.failed > 0 ? 1 : 0;
}

function runVitest(args, counts) {
  mkdirSync(join(ROOT, CACHE), { recursive: true });
  rmSync(join(ROOT, COUNTS), { force: true });
  const keep = args.length > 0 ? [] : ['dot', './scripts/closing-line-reporter.mjs', 'json'].map((name) => `--reporter=${name}`);
  if (keep.length > 0) keep.push(`--outputFile.json=${RESULTS}`);
  const status = runNode(VITEST, ['run', ...keep, ...args], { env: { TEST_COUNTS_FILE: join(ROOT, COUNTS) } });
  if (!existsSync(join(ROOT, COUNTS))) throw new StepError(`the test run broke off (status ${status})`);
  const found = readJson(join(ROOT, COUNTS));
  for (const key of ['passed', 'failed', 'skipped']) counts[key] += found[key];
  counts.failures.push(...found.failures);
  return status;
}

async function reportRequirements() {
  const { requirementsReport } = await import('./requirements.mjs');
  const { total, covered } = requirementsReport(ROOT, readJson(join(ROOT, RESULTS)));
  console.log(`\n${covered.length} of ${total} requirements have a passing test (pnpm requirements lists the others)`);
}
