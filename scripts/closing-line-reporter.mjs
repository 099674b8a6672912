import { writeFileSync } from 'node:fs';

/**
 * Prints `N passed, N failed` as the very last line of a run, after any coverage table. A task that adds its own results to the
 * line names a file in BULKHEAD_COUNTS_FILE and gets the numbers there instead.
 */
export default class ClosingLine {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const testModule of modules) countModule(testModule, counts);
    const file = process.env.BULKHEAD_COUNTS_FILE;
    if (file) writeFileSync(file, JSON.stringify(counts));
    else process.once('exit', () => process.stdout.write(closingLine(counts)));
  }
}

export function closingLine({ passed, failed, skipped }) {
  return `\n${skipped > 0 ? `${skipped} skipped\n` : ''}${passed} passed, ${failed} failed\n`;
}

function countModule(testModule, counts) {
  let failedHere = 0;
  for (const test of testModule.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') counts.passed++;
    else if (state === 'failed') failedHere++;
    else counts.skipped++;
  }
  // A file that doesn't load has no tests but counts as a failure.
  if (failedHere === 0 && testModule.state() === 'failed') failedHere = 1;
  counts.failed += failedHere;
}
