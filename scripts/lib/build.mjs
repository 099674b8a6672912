import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runNode, StepError } from './run.mjs';
import { ROOT } from './workspace.mjs';

const TSC = 'node_modules/typescript/bin/tsc';

/** What `npm start` needs, and the benchmarks beside it: no test is compiled for them. */
const PRODUCT = ['apps/reference-server', 'apps/nodeset-compiler'];
const PROJECTS = { product: PRODUCT, benchmarks: [...PRODUCT, 'benchmarks'], all: [] };

/**
 * Generates and compiles. Each step is incremental and does nothing when its inputs have not changed.
 * @param scope 'product' for what the reference server needs, 'benchmarks' for that and the benchmarks, 'all' for every project
 *   and the types of the tests.
 */
export function build(scope) {
  compile(['apps/codegen']);
  generate('apps/codegen', 'generating the types');
  // Without a list, tsc takes the root's tsconfig.json, which refers to every project.
  compile(PROJECTS[scope].filter((folder) => existsSync(join(ROOT, folder, 'tsconfig.json'))));
  generate('apps/nodeset-compiler', 'compiling the core namespace');
}

function compile(projects) {
  if (runNode(TSC, ['-b', ...projects]) !== 0) throw new StepError(`compiling failed (tsc -b${projects.map((p) => ` ${p}`).join('')})`);
}

function generate(app, what) {
  if (!existsSync(join(ROOT, app, 'src/main.ts'))) return;
  const main = `${app}/dist/main.js`;
  if (runNode(main) !== 0) throw new StepError(`${what} failed (node ${main})`);
}
