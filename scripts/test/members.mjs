import { sourceFile } from '../lib/members.mjs';

/** layers.json of a small workspace: `low` is sans-IO, `ports` holds types only, `high` may use both. */
export const layers = {
  scope: '@bulkhead',
  any: '*',
  allowed: { low: [], ports: ['low'], high: ['low', 'ports'], kit: ['low'], app: '*' },
  typesOnly: ['ports'],
  testOnly: ['kit'],
  sansIo: ['low'],
  nodeCryptoOnlyIn: ['high'],
};

/** A member as `readMembers` gives it. `dependencies` are names without scope or names of external packages. */
export function member(
  name,
  { dependencies = [], devDependencies = [], references, src = '', test = '', folder = `packages/${name}` } = {},
) {
  const list = (names) => Object.fromEntries(names.map((n) => [n in layers.allowed ? `@bulkhead/${n}` : n, '*']));
  const inWorkspace = dependencies.filter((n) => n in layers.allowed).map((n) => `packages/${n}`);
  return {
    name,
    folder,
    isPackage: folder.startsWith('packages/'),
    manifest: { name: `@bulkhead/${name}`, dependencies: list(dependencies), devDependencies: list(devDependencies) },
    references: references ?? inWorkspace,
    sources: [sourceFile(`${folder}/src/index.ts`, src)],
    tests: [sourceFile(`${folder}/test/index.test.ts`, test)],
  };
}
