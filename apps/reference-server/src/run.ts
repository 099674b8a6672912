import type { Logger } from '@bulkhead/contracts';
import { CommandLineEnd, parseCommandLine } from './command-line.ts';
import { type Configuration, defaultConfiguration, loadConfiguration } from './configuration.ts';
import { createJsonLogger, createPrettyLogger } from './log.ts';
import { planTable } from './plan-table.ts';
import { readyLine, readyText } from './ready-message.ts';
import { planReferenceServer, startReferenceServer } from './serve.ts';
import { startFailureText } from './start-failure.ts';
import { onStopSignal } from './stop-signal.ts';
import { configurationWarnings } from './warnings.ts';

const START_FAILED = 1;

/**
 * The program: starts the server and returns once it listens; a signal stops it, and the process ends by itself.
 * `process.exitCode` is 0 after a clean stop, 1 when the start or the stop failed, 2 for a wrong command line. With `--print-plan`
 * it prints the plan only, and 1 means that there is none.
 */
export async function run(args: readonly string[]): Promise<void> {
  let configuration: Configuration = defaultConfiguration;
  try {
    const commandLine = parseCommandLine(args);
    configuration = await loadConfiguration(commandLine);
    if (commandLine.printPlan === true) console.log(planTable(planReferenceServer(configuration)));
    else await serve(configuration);
  } catch (error) {
    if (error instanceof CommandLineEnd) {
      process.exitCode = error.exitCode;
      return;
    }
    console.error(`bulkhead: cannot start: ${startFailureText(error, configuration.host, configuration.port)}`);
    if (configuration.logLevel === 'debug') console.error(error);
    process.exitCode = START_FAILED;
  }
}

async function serve(configuration: Configuration): Promise<void> {
  const log = createLogger(configuration);
  // From here on a signal stops the server, also one that comes before it listens.
  const starting = startReferenceServer(configuration, log);
  const forget = onStopSignal(async () => {
    // A start that fails says so itself.
    const server = await starting.catch(() => undefined);
    await server?.stop();
  });
  try {
    const { endpointUrls } = await starting;
    announce(configuration, endpointUrls, log);
  } catch (error) {
    forget();
    throw error;
  }
}

function createLogger({ logFormat, logLevel }: Configuration): Logger {
  return logFormat === 'json' ? createJsonLogger(logLevel) : createPrettyLogger(logLevel, (line) => console.log(line));
}

function announce(configuration: Configuration, endpointUrls: readonly string[], log: Logger): void {
  if (configuration.logFormat === 'pretty') {
    console.log(readyText(configuration, endpointUrls));
    return;
  }
  for (const { event, text, howToChange } of configurationWarnings(configuration)) log.log('warn', event, { text, howToChange });
  console.log(readyLine(endpointUrls));
}
