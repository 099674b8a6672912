const STEP_LIMIT_MS = 20_000;

/** The library has no way to do what the step asks for. */
export class Cannot extends Error {}

/** @throws Error with that message, unless the condition holds. */
export function check(condition, message) {
  if (!condition) throw new Error(typeof message === 'function' ? message() : message);
}

/** Runs one step and prints its line; whatever goes wrong ends up in it. */
export async function play(step, run) {
  const startedMs = performance.now();
  let report;
  try {
    report = { step, result: 'ok', detail: (await within(STEP_LIMIT_MS, run())) ?? '' };
  } catch (error) {
    report = { step, result: error instanceof Cannot ? 'cannot' : 'fails', detail: String(error.message).split('\n')[0] };
    if (report.result === 'fails') process.stderr.write(`${error.stack}\n`);
  }
  process.stderr.write(`${step}: ${((performance.now() - startedMs) / 1000).toFixed(2)} s\n`);
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

export function within(limitMs, promise, message = 'no answer in time') {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until something holds. @throws Error with that message after the limit. */
export async function until(condition, limitMs, message) {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    check(performance.now() < endMs, message);
    await pause(20);
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Does something for each entry; what failed for some is told together. */
export async function each(entries, label, act) {
  const failures = [];
  for (const entry of entries) {
    try {
      await act(entry);
    } catch (error) {
      failures.push(`${label(entry)}: ${String(error.message).split('\n')[0]}`.slice(0, 200));
    }
  }
  check(failures.length === 0, `${failures.length} of ${entries.length}: ${failures.slice(0, 6).join('; ')}`);
  return `${entries.length} done`;
}
