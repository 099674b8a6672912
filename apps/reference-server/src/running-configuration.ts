import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationJson } from './configuration/file-schema.ts';
import type { LoadedConfiguration } from './configuration/load-configuration.ts';
import { onOneLine } from './configuration/problems.ts';
import type { AdjustableLogger } from './log.ts';
import type { ReferenceServer } from './serve.ts';

/** What a running server takes over; the rest waits for its next start. */
const reloadable: ReadonlySet<string> = new Set<keyof ConfigurationJson>(['users', 'logLevel']);
/** Says nothing to a server. */
const ignored: ReadonlySet<string> = new Set<keyof ConfigurationJson>(['$schema']);

/** What the running server's configuration depends on. */
export interface RunningParts {
  /** Reads everything again. */
  readonly load: () => Promise<LoadedConfiguration>;
  readonly server: Promise<ReferenceServer>;
  readonly log: AdjustableLogger;
}

/** The configuration of a running server, and how it takes over another one. */
export class RunningConfiguration {
  readonly #parts: RunningParts;
  #json: ConfigurationJson;

  constructor({ json }: LoadedConfiguration, parts: RunningParts) {
    this.#parts = parts;
    this.#json = json;
  }

  /**
   * Reads the configuration again and takes over what can change while the server runs. One that is wrong changes nothing. Never rejects:
   * the outcome is logged, with what was changed, what waits for the next start, and why one was refused.
   */
  async reload(): Promise<void> {
    const { load, log } = this.#parts;
    const server = await this.#parts.server.catch(() => undefined);
    if (server === undefined) return;
    try {
      const { configuration, json } = await load();
      const different = differences(this.#json, json);
      await server.reload(configuration);
      const changed = different.filter((name) => reloadable.has(name));
      const waiting = different.filter((name) => !reloadable.has(name));
      this.#json = { ...this.#json, ...Object.fromEntries(changed.map((name) => [name, json[name as keyof ConfigurationJson]])) };
      // Said at the level that says more.
      if (!log.isEnabled('info')) log.setLevel(configuration.logLevel);
      log.log('info', 'configuration.reloaded', { changed, ...(waiting.length === 0 ? {} : { waitForRestart: waiting }) });
      log.setLevel(configuration.logLevel);
    } catch (error) {
      log.log('error', 'configuration.refused', { reason: onOneLine((error as Error).message) });
    }
  }
}

/** Names of the members that aren't the same. */
function differences(before: ConfigurationJson, after: ConfigurationJson): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => {
    const key = name as keyof ConfigurationJson;
    return !ignored.has(name) && !isDeepStrictEqual(before[key], after[key]);
  });
}
