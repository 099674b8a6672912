import type { ServerFlags } from '../command-line.ts';
import { type ConfigurationSources, type LoadedConfiguration, loadConfiguration } from '../configuration/load-configuration.ts';
import type { Configuration } from '../configuration.ts';
import { type AdjustableLogger, createJsonLogger, createPrettyLogger } from '../log.ts';
import { memoryWarnings } from '../memory/peak-memory.ts';
import { MEMORY_ADVICE, readyLine, readyText } from '../ready-message.ts';
import { onReloadSignal } from '../reload-signal.ts';
import { RunningConfiguration } from '../running-configuration.ts';
import { startReferenceServer } from '../serve.ts';
import { memoryTotals, planReferenceServer } from '../server-options.ts';
import { onStopSignal } from '../stop-signal.ts';
import { configurationWarnings } from '../warnings.ts';

/**
 * Starts the server and returns once it listens. SIGHUP reads the configuration again; SIGINT and SIGTERM stop the server.
 * @throws ConfigurationError, or whatever keeps the server from listening
 */
export async function serve(flags: ServerFlags): Promise<void> {
  const sources: ConfigurationSources = { flags, environment: process.env };
  const loaded = await loadConfiguration(sources);
  const { configuration } = loaded;
  const log = createLogger(configuration);
  // From here on a signal stops the server, also one that comes before it listens.
  const starting = startReferenceServer(configuration, log);
  const running = new RunningConfiguration(loaded, { load: () => loadConfiguration(sources), server: starting, log });
  const forgetReload = onReloadSignal(() => running.reload());
  const forgetStop = onStopSignal(async () => {
    forgetReload();
    // A start that fails says so itself.
    const server = await starting.catch(() => undefined);
    await server?.stop();
  });
  try {
    const { endpointUrls } = await starting;
    announce(loaded, endpointUrls, log);
  } catch (error) {
    forgetReload();
    forgetStop();
    throw error;
  }
}

function createLogger({ logFormat, logLevel }: Configuration): AdjustableLogger {
  return logFormat === 'json' ? createJsonLogger(logLevel) : createPrettyLogger(logLevel, (line) => console.log(line));
}

function announce({ configuration, share }: LoadedConfiguration, endpointUrls: readonly string[], log: AdjustableLogger): void {
  const memory = memoryWarnings(planReferenceServer(configuration), memoryTotals(configuration), share);
  if (configuration.logFormat === 'pretty') {
    console.log(readyText(configuration, endpointUrls, memory));
    return;
  }
  for (const { event, text, howToChange } of configurationWarnings(configuration)) log.log('warn', event, { text, howToChange });
  for (const text of memory) log.log('warn', 'memory.planExceedsContainer', { text, howToChange: MEMORY_ADVICE });
  console.log(readyLine(endpointUrls));
}
