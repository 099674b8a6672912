import { computeFingerprint } from './fingerprint.ts';
import { isUpToDate, writeOutput } from './output.ts';

const fingerprint = await computeFingerprint();
if (!(await isUpToDate(fingerprint))) {
  // Loaded only when there is work.
  const { compileCoreNamespace } = await import('./compile.ts');
  const { bytes, nodeCount } = await compileCoreNamespace();
  await writeOutput(bytes, fingerprint);
  console.log(`nodeset-compiler: ${nodeCount} nodes, ${bytes.length} bytes`);
}
