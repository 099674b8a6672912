import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkWithTool } from '../checks/tools.mjs';
import { ROOT } from '../lib/workspace.mjs';

const SOUND = 'export function twice(x: number): number {\n  return x * 2;\n}\n';

let folder;

/** A workspace with the real configurations and one package. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulkhead-tools-'));
  for (const file of ['biome.json', '.oxlintrc.json', 'knip.json', 'tsconfig.base.json', 'pnpm-workspace.yaml'])
    copyFileSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  write('package.json', manifest({ name: 'root', private: true }));
  write('packages/a/package.json', manifest({ name: '@bulkhead/a', exports: './src/index.ts' }));
  write('packages/a/tsconfig.json', '{ "extends": "../../tsconfig.base.json", "include": ["src"] }\n');
  write('packages/a/src/index.ts', SOUND);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file, text) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const manifest = (fields) => `${JSON.stringify({ type: 'module', ...fields }, null, 2)}\n`;

const planted = (file, text) => write(`packages/a/src/${file}`, text);

it('sound code passes format, lint and dependencies', async () => {
  for (const name of ['format', 'lint', 'dependencies']) expect(await checkWithTool(name, folder)).toEqual([]);
}, 30_000);

it('format finds a layout of its own, an unused variable and a value import of a type', async () => {
  planted('layout.ts', 'export const a: string = "x"\n');
  planted('unused.ts', 'const a = 1;\nexport const b: number = 2;\n');
  planted('import.ts', "import { Buffer } from 'node:buffer';\n\nexport type B = Buffer;\n");
  const found = (await checkWithTool('format', folder)).join();
  expect(found).toMatch(/layout\.ts: format/);
  expect(found).toMatch(/unused\.ts\S* lint\/correctness\/noUnusedVariables/);
  expect(found).toMatch(/import\.ts\S* lint\/style\/useImportType/);
});

it('lint finds lost promises, a switch that forgets a case, a function of 61 lines and a circle of imports', async () => {
  planted('floating.ts', 'export function f(): void {\n  g();\n}\nasync function g(): Promise<void> {}\n');
  planted('misused.ts', 'export function f(): void {\n  [1].forEach(async () => {});\n}\n');
  planted('switch.ts', "export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      return;\n  }\n}\n");
  planted('long.ts', `export function f(): void {\n${'  f();\n'.repeat(59)}}\n`);
  planted('one.ts', "import { b } from './two.ts';\n\nexport const a: number = b;\n");
  planted('two.ts', "import { a } from './one.ts';\n\nexport const b: number = a;\n");
  const found = (await checkWithTool('lint', folder)).join().split(/\n\n/);
  const expected = ['no-floating-promises', 'no-misused-promises', 'switch-exhaustiveness-check', 'max-lines-per-function', 'no-cycle'];
  for (const [index, file] of ['floating', 'misused', 'switch', 'long', 'one'].entries()) {
    expect(found.some((entry) => entry.includes(`(${expected[index]})`) && entry.includes(`${file}.ts`))).toBe(true);
  }
}, 30_000);

it('dependencies finds an orphan file, an unused dependency and one that is not declared', async () => {
  planted('orphan.ts', SOUND);
  planted('index.ts', "export { SaxesParser } from 'saxes';\n");
  write('packages/a/package.json', manifest({ name: '@bulkhead/a', exports: './src/index.ts', dependencies: { 'fast-check': '1' } }));
  const found = (await checkWithTool('dependencies', folder)).join();
  expect(found).toMatch(/Unused files[\s\S]*orphan\.ts/);
  expect(found).toMatch(/Unused dependencies[\s\S]*fast-check/);
  expect(found).toMatch(/Unlisted dependencies[\s\S]*saxes/);
}, 30_000);
