import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW = /^\| ((?:RL|CB|RI|CL|LM|BX)-\d\d) \| (.*) \|\s*$/;
const ID = /\b(?:RL|CB|RI|CL|LM|BX)-\d\d\b/g;

/** The promises of a page with tables of `| id | promise |`, in its order. @throws Error where an id stands twice. */
export function parseRequirements(markdown) {
  const promises = new Map();
  for (const line of markdown.split(/\r?\n/)) {
    const [, id, promise] = ROW.exec(line) ?? [];
    if (id === undefined) continue;
    if (promises.has(id)) throw new Error(`${id} stands twice`);
    promises.set(id, promise.trim());
  }
  return promises;
}

/** Ids in the titles of passing tests; a describe block's title proves nothing. @param results vitest's JSON form. */
export function coveredIds(results) {
  const ids = new Set();
  for (const file of results.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') for (const id of test.title.match(ID) ?? []) ids.add(id);
    }
  }
  return ids;
}

/** How two pages of promises differ: one line per promise that is missing, surplus or worded differently. */
export function driftBetween(own, other) {
  const lines = [];
  for (const [id, promise] of other) {
    if (!own.has(id)) lines.push(`${id}: missing here`);
    else if (own.get(id) !== promise) lines.push(`${id}: worded differently`);
  }
  for (const id of own.keys()) if (!other.has(id)) lines.push(`${id}: only here`);
  return lines;
}

/** Compares docs/requirements.md with test results, and with the page it came from where that lies beside the repository. */
export function requirementsReport(root, results) {
  const promises = parseRequirements(readFileSync(join(root, 'docs/requirements.md'), 'utf8'));
  const proven = coveredIds(results);
  const ids = [...promises.keys()];
  const origin = join(root, '../shared/requirements.md');
  return {
    total: ids.length,
    covered: ids.filter((id) => proven.has(id)),
    missing: ids.filter((id) => !proven.has(id)),
    unknown: [...proven].filter((id) => !promises.has(id)),
    drift: existsSync(origin) ? driftBetween(promises, parseRequirements(readFileSync(origin, 'utf8'))) : [],
    promises,
  };
}
