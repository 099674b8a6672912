import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

/**
 * What is remembered of a stack from its last accepted run: `{ title, steps: { id: { result, detail } } }`. The detail of what
 * is ok varies from run to run and is left out.
 */
export async function readStored(file) {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
}

export async function writeStored(file, stored) {
  await writeFile(file, `${JSON.stringify(stored, undefined, 2)}\n`);
}

/** A run in the form in which it is remembered; a step without a report failed. */
export function summarize(stack, run, steps) {
  const entries = steps.map(({ id }) => {
    const { result, detail } = run.lines.get(id) ?? { result: 'fails', detail: run.problem ?? 'no report' };
    return [id, result === 'ok' ? { result } : { result, detail: oneLine(detail) }];
  });
  return { title: stack.title, steps: Object.fromEntries(entries) };
}

/** Steps that were ok and are so no more. */
export function regressions(before, now) {
  if (before === undefined) return [];
  return Object.entries(now.steps).filter(([id, { result }]) => before.steps[id]?.result === 'ok' && result !== 'ok');
}

/** Ports, process ids and folders change with each run. */
function oneLine(detail) {
  return detail
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:…')
    .replaceAll(/\/tmp\/\S+/gu, '/tmp/…')
    .slice(0, 300)
    .trim();
}
