import { writeFileSync } from 'node:fs';

/**
 * Prints `N passed, N failed` as the very last line of a run, after any coverage table, and before it a line per failure: where
 * only the end of a log is kept, that end says what failed. A task that adds its own results to the line names a file in
 * TEST_COUNTS_FILE and gets the numbers and lines there instead.
 */
export default class ClosingLine {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0, failures: [] };
    for (const error of errors) counts.failures.push(failureLine('an error outside of any test', error));
    for (const testModule of modules) countModule(testModule, counts);
    const file = process.env.TEST_COUNTS_FILE;
    if (file) writeFileSync(file, JSON.stringify(counts));
    else process.once('exit', () => process.stdout.write(closingLine(counts)));
  }
}

export function closingLine({ passed, failed, skipped, failures }) {
  const lines = [...failures];
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failed} failed`);
  return `\n${lines.join('\n')}\n`;
}

/** @returns one line, however long the error's message is. */
function failureLine(what, error) {
  const message = String(error?.message ?? error ?? 'no reason given').replace(/\s+/g, ' ');
  return `FAILED: ${what}: ${message.slice(0, 500)}`;
}

function countModule(testModule, counts) {
  let failedHere = 0;
  for (const test of testModule.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') counts.passed++;
    else if (state === 'failed') {
      failedHere++;
      counts.failures.push(failureLine(`${testModule.relativeModuleId}: ${test.fullName}`, test.result().errors?.[0]));
    } else counts.skipped++;
  }
  // A file that doesn't load has no tests but counts as a failure.
  if (failedHere === 0 && testModule.state() === 'failed') {
    failedHere = 1;
    counts.failures.push(failureLine(testModule.relativeModuleId, testModule.errors()[0]));
  }
  counts.failed += failedHere;
}
