import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { compileFunction } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as limits from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!);

/** What an example says it prints: the comments behind `console.log`, `|` between the lines of one statement. */
function promisedOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].flatMap(([, comment]) => comment!.split(' | '));
}

async function run(code: string): Promise<string[]> {
  const printed: string[] = [];
  const console = {
    log: (...values: unknown[]) => {
      printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
    },
  };
  const body = code.replace(/^import (\{.*\}) from '@bulkhead\/limits';$/gm, 'const $1 = limits;');
  await compileFunction(`return (async () => {\n${body}\n})();`, ['limits', 'console'])(limits, console);
  return printed;
}

describe('README', () => {
  it('has an example for everything it offers', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
    const offered = [...readme.split('## Token bucket')[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    for (const name of offered.filter((name) => name in limits)) {
      expect(
        examples.some((code) => code.includes(name)),
        name,
      ).toBe(true);
    }
  });

  it.each(examples.map((code, index) => [index + 1, code] as const))('example %i prints what it says', async (_number, code) => {
    const promised = promisedOutput(code);
    expect(promised.length).toBeGreaterThan(0);
    expect(await run(code)).toEqual(promised);
  });
});
