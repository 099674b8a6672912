import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerFlags } from '../src/command-line.ts';
import { CONFIG_VARIABLE, readEnvironment } from '../src/configuration/environment.ts';
import { configurationMembers } from '../src/configuration/json-schema.ts';
import { loadConfiguration } from '../src/configuration/load-configuration.ts';
import { ConfigurationError } from '../src/configuration.ts';

describe('variables of the environment', () => {
  it('are one for each member, by its path, and none twice', () => {
    const members = configurationMembers();
    const names = members.map(({ environment }) => environment).filter((name) => name !== undefined);
    expect(names).toHaveLength(members.length - 1);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('BULKHEAD_PORT');
    expect(names).toContain('BULKHEAD_LIMITS__MAX_SESSION_COUNT');
    expect(names).toContain('BULKHEAD_HTTPS__SESSIONLESS__MAX_REQUESTS');
  });

  it('may be numbers, flags, texts, lists and JSON', () => {
    const { json } = readEnvironment({
      PATH: '/bin',
      BULKHEAD_PORT: '4850',
      BULKHEAD_NO_WEB: 'true',
      BULKHEAD_APPLICATION_NAME: 'Plant 4',
      BULKHEAD_SECURITY_POLICIES: 'Basic256Sha256, Aes256_Sha256_RsaPss',
      BULKHEAD_USERS: '[{"name":"ann","password":"a"}]',
      BULKHEAD_MEMORY: 'auto',
      BULKHEAD_HTTPS__RATE_LIMITS__ROUTES: '{"/read":20}',
      BULKHEAD_LIMITS__MAX_SESSION_COUNT: '30',
      BULKHEAD_LIMITS__MAX_MESSAGE_SIZE: '1048576',
    });
    expect(json).toEqual({
      port: 4850,
      noWeb: true,
      applicationName: 'Plant 4',
      securityPolicies: ['Basic256Sha256', 'Aes256_Sha256_RsaPss'],
      users: [{ name: 'ann', password: 'a' }],
      memory: 'auto',
      https: { rateLimits: { routes: { '/read': 20 } } },
      limits: { maxSessionCount: 30, maxMessageSize: 1_048_576 },
    });
    expect(readEnvironment({ BULKHEAD_MEMORY: '536870912' }).json).toEqual({ memory: 536_870_912 });
  });

  it.each([
    [{ BULKHEAD_LIMITS__MAX_SESION_COUNT: '3' }, /no such variable, did you mean BULKHEAD_LIMITS__MAX_SESSION_COUNT\?/u],
    [{ BULKHEAD_COLOUR_OF_THE_CASE: 'red' }, /BULKHEAD_COLOUR_OF_THE_CASE: no such variable; docs/u],
    [{ BULKHEAD_PORT: 'http' }, /BULKHEAD_PORT: "http", expected an integer from 0 to 65535/u],
    [{ BULKHEAD_NO_WEB: 'yes' }, /BULKHEAD_NO_WEB: "yes", expected true or false/u],
    [{ BULKHEAD_PORT: 'a', BULKHEAD_NO_WEB: 'b' }, /BULKHEAD_PORT.*; BULKHEAD_NO_WEB/u],
  ])('are errors where nobody reads them or their form is wrong: %j', (environment, message) => {
    expect(() => readEnvironment(environment as Record<string, string>)).toThrow(ConfigurationError);
    expect(() => readEnvironment(environment as Record<string, string>)).toThrow(message);
  });

  it('never repeat a password', () => {
    expect(() => readEnvironment({ BULKHEAD_USERS: '[{"name":"a","password":"swordfish"' })).toThrow(/^(?!.*swordfish)/u);
  });
});

describe('a configuration of several sources', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bulkhead-sources-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(file: unknown, environment: Record<string, string>, flags: ServerFlags = {}) {
    const path = join(folder, 'c.json');
    await writeFile(path, JSON.stringify(file));
    return loadConfiguration({ flags, environment: { [CONFIG_VARIABLE]: path, ...environment } });
  }

  it('takes flags before the environment before the file, member by member', async () => {
    const { configuration } = await load(
      { port: 1, host: '::1', logLevel: 'warn', limits: { maxSessionCount: 10, maxBufferSize: 16_384 } },
      { BULKHEAD_PORT: '2', BULKHEAD_LOG_LEVEL: 'error', BULKHEAD_LIMITS__MAX_SESSION_COUNT: '20' },
      { port: 3 },
    );
    expect(configuration).toMatchObject({ port: 3, host: '::1', logLevel: 'error' });
    expect(configuration.limits).toEqual({ maxSessionCount: 20, maxBufferSize: 16_384 });
  });

  it('puts what the environment says into sections of OpcUa too', async () => {
    const { configuration } = await load(
      { OpcUa: { Server: { RateLimits: { ConnectionsPerSecond: 5, ConnectionBurst: 50 } } } },
      { BULKHEAD_RATE_LIMITS__CONNECTIONS_PER_SECOND: '9' },
    );
    expect(configuration.rateLimits).toEqual({ connectionsPerSecond: 9, connectionBurst: 50 });
  });

  it('names the variable where its value is not allowed', async () => {
    await expect(load({}, { BULKHEAD_LIMITS__MAX_MESSAGE_SIZE: '5', BULKHEAD_LOG_FORMAT: 'xml' })).rejects.toThrow(
      /BULKHEAD_LOG_FORMAT: "xml", expected one of pretty, json/u,
    );
    await expect(load({}, { BULKHEAD_LIMITS__MAX_MESSAGE_SIZE: '5' })).rejects.toThrow(
      /BULKHEAD_LIMITS__MAX_MESSAGE_SIZE: 5, expected an integer >= 8192/u,
    );
  });

  it('BX-11 gets proposals for what it leaves open, where it asks for them', async () => {
    const { configuration } = await load({ memory: 536_870_912, limits: { maxSessionCount: 12 } }, {});
    expect(configuration.limits.maxSessionCount).toBe(12);
    expect(configuration.limits.maxRetainedBytes).toBeLessThan(200 * 1024 * 1024);
    const share = { memoryBytes: 300 * 1024 * 1024, heapBytes: 2 ** 30, processors: 2, isContainer: true };
    const path = join(folder, 'auto.json');
    await writeFile(path, JSON.stringify({ memory: 'auto' }));
    const auto = await loadConfiguration({ flags: { config: path }, readShare: async () => share });
    expect(auto.configuration.limits.maxReassemblyBytes).toBeLessThan(64 * 1024 * 1024);
    expect(auto.share).toBe(share);
  });
});
