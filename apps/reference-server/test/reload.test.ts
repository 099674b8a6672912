import { describe, expect, it } from 'vitest';
import type { ConfigurationJson } from '../src/configuration/file-schema.ts';
import type { LoadedConfiguration } from '../src/configuration/load-configuration.ts';
import { type Configuration, defaultConfiguration } from '../src/configuration.ts';
import { type AdjustableLogger, createJsonLogger } from '../src/log.ts';
import { onReloadSignal } from '../src/reload-signal.ts';
import { RunningConfiguration } from '../src/running-configuration.ts';
import type { ReferenceServer } from '../src/serve.ts';

const share = { memoryBytes: 1, heapBytes: 1, processors: 1, isContainer: false };
const loaded = (json: ConfigurationJson): LoadedConfiguration => ({
  json,
  configuration: { ...defaultConfiguration, ...json } as Configuration,
  share,
});

/** A server that takes every configuration, and its log. */
function running(json: ConfigurationJson, level: 'info' | 'warn' = 'info') {
  const lines: string[] = [];
  const taken: Configuration[] = [];
  const log: AdjustableLogger = createJsonLogger(level, { write: (line: string) => void lines.push(line) });
  const next: { load: () => Promise<LoadedConfiguration> } = { load: async () => loaded(json) };
  const server: ReferenceServer = {
    endpointUrls: [],
    reload: async (configuration) => void taken.push(configuration),
    stop: async () => undefined,
  };
  const configuration = new RunningConfiguration(loaded(json), { load: () => next.load(), server: Promise.resolve(server), log });
  const reload = async (json2: ConfigurationJson): Promise<object> => {
    next.load = async () => loaded(json2);
    await configuration.reload();
    return JSON.parse(lines.at(-1) ?? '{}') as object;
  };
  return { configuration, reload, taken, log, next, lines };
}

describe('the configuration of a running server', () => {
  it('tells what was taken over, and goes on telling what waits for the next start', async () => {
    const { reload, taken } = running({ port: 1, users: [] });
    const users = [{ name: 'a', password: 'b', roles: [] }];
    expect(await reload({ port: 2, users, limits: { maxSessionCount: 5 } })).toMatchObject({
      level: 'info',
      event: 'configuration.reloaded',
      changed: ['users'],
      waitForRestart: ['port', 'limits'],
    });
    expect(await reload({ port: 2, users })).toMatchObject({ changed: [], waitForRestart: ['port'] });
    expect(await reload({ port: 1, users })).not.toHaveProperty('waitForRestart');
    expect(taken.at(-1)?.users).toEqual(users);
  });

  it('changes the level of the log, and says so at the level that says more', async () => {
    const { reload, log } = running({ logLevel: 'info' });
    expect(await reload({ logLevel: 'error' })).toMatchObject({ changed: ['logLevel'] });
    expect(log.isEnabled('warn')).toBe(false);
    expect(await reload({ logLevel: 'debug' })).toMatchObject({ changed: ['logLevel'] });
    expect(log.isEnabled('debug')).toBe(true);
  });

  it('refuses what cannot be read or started with, on one line, and stays as it is', async () => {
    const { configuration, next, lines, taken } = running({ users: [] });
    next.load = () => Promise.reject(new Error('c.json: port:\n  too large'));
    await configuration.reload();
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      level: 'error',
      event: 'configuration.refused',
      reason: 'c.json: port: too large',
    });
    expect(taken).toEqual([]);
  });

  it('does nothing for a server that did not start', async () => {
    const lines: string[] = [];
    const log = createJsonLogger('info', { write: (line: string) => void lines.push(line) });
    const server = Promise.reject<ReferenceServer>(new Error('in use'));
    await new RunningConfiguration(loaded({}), { load: async () => loaded({}), server, log }).reload();
    expect(lines).toEqual([]);
  });
});

describe('SIGHUP', () => {
  it('reloads one time after the other, and once more for those that came meanwhile', async () => {
    let signal = (): void => undefined;
    let listeners = 0;
    const program = {
      on: (_: string, listener: () => void) => {
        signal = listener;
        listeners++;
      },
      off: () => listeners--,
    };
    const finish: (() => void)[] = [];
    const forget = onReloadSignal(() => new Promise<void>((resolve) => finish.push(resolve)), program);
    for (let sent = 0; sent < 5; sent++) signal();
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(finish).toHaveLength(2);
    finish[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(finish).toHaveLength(2);
    signal();
    expect(finish).toHaveLength(3);
    forget();
    expect(listeners).toBe(0);
  });
});
