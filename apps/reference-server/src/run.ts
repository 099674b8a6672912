import { CommandLineEnd, type Invocation, parseCommandLine } from './command-line.ts';
import { printHash } from './commands/hash-password.ts';
import { print } from './commands/print.ts';
import { serve } from './commands/serve.ts';
import { configurationJsonSchema } from './configuration/json-schema.ts';
import { defaultConfiguration } from './configuration.ts';
import { startFailureText } from './start-failure.ts';

const FAILED = 1;

/**
 * The program. `serve` returns once the server listens; a signal stops it, and the process ends by itself.
 * `process.exitCode` is 0 when what was asked for is done, or after a clean stop; 1 when it failed; 2 for a wrong command line.
 */
export async function run(args: readonly string[]): Promise<void> {
  let invocation: Invocation | undefined;
  try {
    invocation = parseCommandLine(args);
    await runCommand(invocation);
  } catch (error) {
    if (error instanceof CommandLineEnd) {
      process.exitCode = error.exitCode;
      return;
    }
    complain(error, invocation);
    process.exitCode = FAILED;
  }
}

/** What a server doesn't need is loaded when it is asked for. */
async function runCommand(invocation: Invocation): Promise<void> {
  switch (invocation.command) {
    case 'serve':
      return invocation.printouts.length === 0 ? serve(invocation.flags) : print(invocation.printouts, invocation.flags);
    case 'pki':
      return (await import('./commands/pki.ts')).runPki(invocation);
    case 'top':
      return (await import('./commands/top.ts')).runTop(invocation.top);
    case 'hash-password':
      return printHash(invocation.logCost);
    case 'schema':
      console.log(JSON.stringify(configurationJsonSchema(), undefined, 2));
      return undefined;
  }
}

function complain(error: unknown, invocation: Invocation | undefined): void {
  const flags = invocation?.command === 'serve' ? invocation.flags : {};
  const { host = defaultConfiguration.host, port = defaultConfiguration.port, logLevel } = flags;
  const task = invocation?.command === 'serve' ? 'cannot start' : `${invocation?.command} failed`;
  console.error(`bulkhead: ${task}: ${startFailureText(error, host, port)}`);
  if (logLevel === 'debug') console.error(error);
}
