import { join } from 'node:path';
import { readMembers, readReferences } from '../lib/members.mjs';
import { ROOT, readJson } from '../lib/workspace.mjs';
import { checkLayers, checkRootProjects } from './layers.mjs';
import { checkSansIo } from './sans-io.mjs';
import { checkSizes, measureFiles } from './sizes.mjs';
import { checkWithTool } from './tools.mjs';
import { checkTypesOnly } from './types-only.mjs';

/** Runs every check, prints one line for each and the faults below it. @returns the number of checks that failed. */
export async function runChecks() {
  const tools = ['format', 'lint', 'dependencies'].map(async (name) => ({ name, faults: await checkWithTool(name) }));
  let failed = 0;
  for (const check of [...ownChecks(), ...(await Promise.all(tools))]) {
    if (check.faults.length > 0) failed++;
    console.log(`check ${check.name}: ${check.faults.length > 0 ? 'FAILED' : 'ok'}${check.note ? ` (${check.note})` : ''}`);
    for (const fault of check.faults) console.log(fault);
  }
  return failed;
}

function ownChecks() {
  const layers = readJson(join(ROOT, 'layers.json'));
  const members = readMembers(ROOT, layers.scope);
  const projects = ['tsconfig.json', 'tsconfig.test.json'].flatMap((name) =>
    checkRootProjects(name, readReferences(ROOT, '.', name), members),
  );
  return [
    { name: 'layers', faults: [...checkLayers(layers, members), ...projects] },
    { name: 'sans-io', faults: checkSansIo(layers, members) },
    { name: 'types-only', faults: checkTypesOnly(layers, members) },
    { name: 'sizes', ...checkSizes(measureFiles(ROOT)) },
  ];
}
