import { describe, expect, it } from 'vitest';
import { checkLayers, checkRootProjects } from '../checks/layers.mjs';
import { layers, member } from './members.mjs';

const low = member('low');

describe('the layer check', () => {
  it('accepts declared, allowed imports through the index', () => {
    const src = "import { a } from '@bulkhead/low'; import './other.ts'; import 'node:net'; export * from 'saxes';";
    const test = "import '../src/other.ts'; import { it } from 'vitest'; import '@bulkhead/kit';";
    const high = member('high', { dependencies: ['low', 'saxes'], devDependencies: ['kit'], src, test });
    expect(checkLayers(layers, [low, high, member('kit')])).toEqual([]);
  });

  it('finds a dependency against the direction', () => {
    const faults = checkLayers(layers, [member('low', { dependencies: ['high'] }), member('high')]);
    expect(faults).toEqual(['packages/low/package.json: low may not depend on high (layers.json)']);
  });

  it('finds a member without a line in layers.json', () => {
    expect(checkLayers(layers, [member('stray')])).toEqual(['packages/stray: "stray" has no line in layers.json']);
  });

  it('finds project references that differ from the dependencies', () => {
    const high = member('high', { dependencies: ['low'], references: ['packages/kit'] });
    expect(checkLayers(layers, [low, member('kit'), high])).toEqual([
      'packages/high/tsconfig.json: no reference to the dependency packages/low',
      'packages/high/tsconfig.json: refers to packages/kit, which is no dependency',
    ]);
  });

  it.each([
    ["import { a } from '@bulkhead/low';", 'imports @bulkhead/low, which package.json does not list as a dependency'],
    ["export type { A } from '@bulkhead/low';", 'imports @bulkhead/low, which package.json does not list as a dependency'],
    ["export type A = import('@bulkhead/low').A;", 'imports @bulkhead/low, which package.json does not list as a dependency'],
    ["export const load = () => import('@bulkhead/low');", 'imports @bulkhead/low, which package.json does not list as a dependency'],
    ["import x from 'saxes';", 'imports saxes, which package.json does not list as a dependency'],
    ["import { a } from '@bulkhead/ports/src/a.ts';", 'deep import @bulkhead/ports/src/a.ts: import @bulkhead/ports'],
    ["import { a } from '../../low/src/a.ts';", 'relative import out of packages/high/src: ../../low/src/a.ts'],
    ["import { a } from '../test/a.ts';", 'relative import out of packages/high/src: ../test/a.ts'],
    ["import { a } from '@bulkhead/high';", 'imports its own package by name: @bulkhead/high'],
    ["import { a } from '@bulkhead/kit';", '@bulkhead/kit is for tests only'],
  ])('finds %s', (src, fault) => {
    const high = member('high', { dependencies: ['ports'], src: `\n${src}` });
    const faults = checkLayers(layers, [low, member('ports'), member('kit'), high]);
    expect(faults.map((line) => line.slice(line.indexOf(': ') + 2))).toEqual([fault]);
    expect(faults[0]).toMatch(/^packages\/high\/src\/index\.ts:2: /);
  });

  it('finds a test that leaves its package', () => {
    const high = member('high', { test: "import '../../low/src/a.ts';" });
    expect(checkLayers(layers, [low, high])).toEqual([
      'packages/high/test/index.test.ts:1: relative import out of packages/high: ../../low/src/a.ts',
    ]);
  });

  it('finds a circle even where each of its edges is allowed', () => {
    const open = { ...layers, allowed: { low: ['high'], high: ['low'] } };
    const faults = checkLayers(open, [member('low', { dependencies: ['high'] }), member('high', { dependencies: ['low'] })]);
    expect(faults).toEqual(['circle of dependencies: low -> high -> low']);
  });

  it('finds a project that the root leaves out', () => {
    const references = ['packages/low'];
    const noProject = { ...member('app', { folder: 'test' }), references: undefined };
    expect(checkRootProjects('tsconfig.json', references, [low, member('high'), noProject])).toEqual([
      'tsconfig.json: no reference to packages/high',
    ]);
  });
});
