import { join } from 'node:path';
import { captureNode } from '../lib/run.mjs';
import { ROOT } from '../lib/workspace.mjs';

/** The checks that are other people's programs: where each one's script is and how it is called. */
const TOOLS = {
  format: {
    script: 'node_modules/@biomejs/biome/bin/biome',
    args: ['ci', '--error-on-warnings', '--colors=off', '--reporter=concise', '--max-diagnostics=50'],
  },
  lint: { script: 'node_modules/oxlint/bin/oxlint', args: ['--type-aware', '--deny-warnings'] },
  dependencies: { script: 'node_modules/knip/bin/knip.js', args: ['--no-progress', '--no-config-hints'] },
};

/**
 * Runs one tool in a folder that holds its configuration.
 * @param name 'format' | 'lint' | 'dependencies'
 * @returns what it printed, where it found something; otherwise nothing.
 */
export async function checkWithTool(name, folder = ROOT) {
  const { script, args } = TOOLS[name];
  const { status, output } = await captureNode(join(ROOT, script), args, { cwd: folder });
  return status === 0 ? [] : [output];
}
