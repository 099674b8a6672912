import type { Printout, ServerFlags } from '../command-line.ts';
import type { ConfigurationJson } from '../configuration/file-schema.ts';
import { type LoadedConfiguration, loadConfiguration } from '../configuration/load-configuration.ts';
import { ConfigurationError } from '../configuration/problems.ts';
import { memoryWarnings } from '../memory/peak-memory.ts';
import { planTable } from '../plan-table.ts';
import { readTlsFiles } from '../serve.ts';
import { memoryTotals, planReferenceServer } from '../server-options.ts';
import { configurationWarnings } from '../warnings.ts';

const INVALID = 1;
const MASK = '***';

/**
 * Prints what a server would be started with, without starting it.
 * @throws ConfigurationError, or the error of a limit that doesn't fit
 */
export async function print(printouts: readonly Printout[], flags: ServerFlags): Promise<void> {
  if (printouts.includes('check')) {
    await printCheck(printouts, flags);
    return;
  }
  printAll(printouts, await loadConfiguration({ flags, environment: process.env }));
}

function printAll(printouts: readonly Printout[], { configuration, json }: LoadedConfiguration): void {
  if (printouts.includes('config')) console.log(JSON.stringify(masked(json), undefined, 2));
  if (printouts.includes('plan')) console.log(planTable(planReferenceServer(configuration)));
}

/** One line for each problem. */
async function printCheck(printouts: readonly Printout[], flags: ServerFlags): Promise<void> {
  try {
    const loaded = await loadConfiguration({ flags, environment: process.env });
    const { configuration, share } = loaded;
    const plan = planReferenceServer(configuration);
    await readTlsFiles(configuration);
    printAll(printouts, loaded);
    const warnings = [
      ...configurationWarnings(configuration).map(({ text }) => text),
      ...memoryWarnings(plan, memoryTotals(configuration), share),
    ];
    for (const warning of warnings) console.error(`warning: ${warning}`);
    console.log('A server would start with this configuration.');
  } catch (error) {
    const problems = error instanceof ConfigurationError ? error.problems : [(error as Error).message];
    for (const problem of problems) console.error(`error: ${problem}`);
    process.exitCode = INVALID;
  }
}

/** The same without secrets. */
function masked(json: ConfigurationJson): ConfigurationJson {
  const { users } = json;
  if (users === undefined) return json;
  const mask = (secret: string | undefined): string | undefined => (secret === undefined ? undefined : MASK);
  return {
    ...json,
    users: users.map(({ password, passwordHash, ...user }) => ({ ...user, password: mask(password), passwordHash: mask(passwordHash) })),
  };
}
