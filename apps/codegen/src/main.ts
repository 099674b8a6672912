import { fileURLToPath } from 'node:url';
import { computeFingerprint } from './fingerprint.ts';
import { isUpToDate, writeModules } from './output-folder.ts';

const codeFolder = fileURLToPath(new URL('.', import.meta.url));
const outputFolder = fileURLToPath(new URL('../../../packages/types/src/generated/', import.meta.url));

const fingerprint = await computeFingerprint(codeFolder);
if (!(await isUpToDate(outputFolder, fingerprint))) {
  // Loaded only when there is work: the inputs take most of the time.
  const { generateModules } = await import('./generate.ts');
  const modules = await generateModules();
  const written = await writeModules(outputFolder, modules, fingerprint);
  console.log(`codegen: ${modules.size} modules, ${written} written`);
}
