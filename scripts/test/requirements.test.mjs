import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { coveredIds, driftBetween, parseRequirements } from '../lib/requirements.mjs';
import { ROOT } from '../lib/workspace.mjs';

const page = (...rows) => parseRequirements(rows.map(([id, promise]) => `| ${id} | ${promise} |`).join('\n'));

it('docs/requirements.md states 99 promises', () => {
  const promises = parseRequirements(readFileSync(join(ROOT, 'docs/requirements.md'), 'utf8'));
  expect(promises.size).toBe(99);
  expect([...promises.values()].every((promise) => promise.length > 10)).toBe(true);
});

it('an id that stands twice is an error', () => {
  expect(() => page(['RL-01', 'a'], ['RL-01', 'b'])).toThrow('RL-01 stands twice');
});

it('only the own title of a passing test covers a promise', () => {
  const test = (title, status, ancestorTitles = []) => ({ title, status, ancestorTitles });
  const tests = [
    test('RI-01 and CB-02 hold', 'passed'),
    test('RI-03 fails', 'failed'),
    test('other', 'passed', ['RI-04 block']),
    test('RI-05', 'skipped'),
  ];
  expect([...coveredIds({ testResults: [{ assertionResults: tests }] })]).toEqual(['RI-01', 'CB-02']);
});

it('a missing, a surplus and a reworded promise are reported', () => {
  const own = page(['RL-01', 'a'], ['RL-02', 'b'], ['RL-03', 'c']);
  const other = page(['RL-01', 'a'], ['RL-02', 'B'], ['RL-04', 'd']);
  expect(driftBetween(own, other)).toEqual(['RL-02: worded differently', 'RL-04: missing here', 'RL-03: only here']);
});
