import { expect, it } from 'vitest';
import { checkTypesOnly } from '../checks/types-only.mjs';
import { layers, member } from './members.mjs';

const faultsIn = (name, src) => checkTypesOnly(layers, [member(name, { src })]);

it.each([
  'export const a = 1;',
  'export class A {}',
  "export * from './a.ts';",
  "export { type A } from './a.ts';",
  "import { type A } from './a.ts';",
  "import './a.ts';",
  'Object.freeze({});',
])('a package of types may not hold %s', (src) => {
  expect(faultsIn('ports', src)).toEqual(['packages/ports/src/index.ts:1: emits code; ports holds types only']);
  expect(faultsIn('low', src)).toEqual([]);
});

it('a package of types may hold types', () => {
  const src = `import type { A } from './a.ts'; export type { A } from './a.ts'; export type * from './b.ts'; export interface B {}
    type C = A; export type D = C; export declare const brand: unique symbol; declare const other: unique symbol; export {};`;
  expect(faultsIn('ports', src)).toEqual([]);
});
