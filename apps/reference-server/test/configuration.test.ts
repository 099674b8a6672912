import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCommandLine, type ServerFlags } from '../src/command-line.ts';
import { loadConfiguration } from '../src/configuration/load-configuration.ts';
import { type Configuration, ConfigurationError, defaultConfiguration, parseConfiguration } from '../src/configuration.ts';

function flagsOf(...args: string[]): ServerFlags {
  const invocation = parseCommandLine(args);
  return invocation.command === 'serve' ? invocation.flags : {};
}

function faultOf(content: unknown): string {
  try {
    parseConfiguration(typeof content === 'string' ? content : JSON.stringify(content), 'c.json');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error('the configuration was accepted');
}

describe('a configuration file', () => {
  it.each([
    [{ prot: 4840 }, 'c.json: prot: no such option, did you mean port?'],
    [{ limits: { maxSesionCount: 3 } }, 'c.json: limits.maxSesionCount: no such option, did you mean maxSessionCount?'],
    [{ users: [{ name: 'a', password: 'b', role: 'Operator' }] }, 'c.json: users[0].role: no such option, did you mean roles?'],
    [{ requestScheduling: { fast: true } }, 'c.json: requestScheduling.fast: no such option, there are useFairScheduling, schedulingCost'],
  ])('may not have a key that nobody reads: %j', (content, fault) => {
    expect(faultOf(content)).toBe(fault);
  });

  it.each([
    [{ port: 70_000 }, 'port: 70000, expected an integer from 0 to 65535'],
    [{ port: '4840' }, 'port: "4840", expected an integer from 0 to 65535'],
    [{ limits: { maxMessageSize: 100 } }, 'limits.maxMessageSize: 100, expected an integer >= 8192'],
    [{ users: [{ password: 'b' }] }, 'users[0].name: missing, expected a text of 1 to 256 characters'],
    [{ users: [{ name: 'a', password: 'b', roles: ['Captain'] }] }, 'users[0].roles[0]: "Captain", expected one of Observer, Operator, '],
    [{ users: [{ name: 'a' }] }, 'users[0]: passwordHash or password is wanted'],
    [
      { users: [{ name: 'a', passwordHash: 'abc' }] },
      'users[0].passwordHash: what is there, expected what "bulkhead hash-password" prints',
    ],
    [{ securityPolicies: ['None', 'Basic256'] }, 'securityPolicies[1]: "Basic256", expected one of None, Basic256Sha256, '],
    [{ securityPolicies: [] }, 'securityPolicies: a list of 0, expected a list of at least 1'],
    [{ logFormat: 'xml' }, 'logFormat: "xml", expected one of pretty, json'],
    [{ autoAccept: 1 }, 'autoAccept: 1, expected true or false'],
    [{ memory: 'all' }, 'memory: "all", expected auto, or an integer >= 67108864'],
    [{ https: { rateLimits: { routes: { '/read': 0 } } } }, 'https.rateLimits.routes./read: 0, expected an integer from 1 to 1000000000'],
    [[], '(top): a list of 0, expected an object'],
  ])('says where it is wrong, what is there and what would be right, on one line: %j', (content, start) => {
    expect(faultOf(content)).toContain(`c.json: ${start}`);
    expect(faultOf(content)).not.toContain('\n');
  });

  it('names all faults at once', () => {
    expect(faultOf({ port: -1, host: '', colour: 'red' })).toMatch(/port: .*; .*host: .*|host: .*; .*port: .*/u);
    expect(faultOf({ port: -1, host: '', colour: 'red' })).toContain('colour: no such option');
  });

  it('must be JSON', () => {
    expect(faultOf('{ port: 4840 }')).toMatch(/^c\.json: not JSON: /u);
  });

  it('never repeats a password', () => {
    expect(faultOf({ users: [{ name: 'a', password: 'x-secret-x'.repeat(200) }] })).not.toContain('secret');
    expect(faultOf({ users: [{ name: 'a', passwordHash: 'secret' }] })).not.toContain('secret');
    for (const users of ['secret', ['a', 'secret']]) expect(faultOf({ users })).not.toContain('secret');
  });
});

describe('the configuration', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bulkhead-configuration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(content: unknown, ...args: string[]): Promise<Configuration> {
    const file = join(folder, 'c.json');
    await writeFile(file, JSON.stringify(content));
    return (await loadConfiguration({ flags: flagsOf('--config', file, ...args) })).configuration;
  }

  it('is the default without file and arguments', async () => {
    expect((await loadConfiguration({ flags: flagsOf() })).configuration).toEqual(defaultConfiguration);
  });

  it('listens on the loopback address and asks for trust unless told otherwise', () => {
    expect(defaultConfiguration).toMatchObject({ host: '127.0.0.1', port: 4840, autoAccept: false });
  });

  it('takes the command line before the file and the file before the defaults', async () => {
    const configuration = await load({ port: 1111, host: '::1', benchTickMs: 7 }, '--port', '2222');
    expect(configuration).toEqual({ ...defaultConfiguration, port: 2222, host: '::1', benchTickMs: 7 });
  });

  it('loses None with --no-unsecured, whatever the file says', async () => {
    const { securityPolicies } = await load({ securityPolicies: ['None', 'Basic256Sha256'] }, '--no-unsecured');
    expect(securityPolicies).toEqual(['Basic256Sha256']);
  });

  it.each([
    [{ securityPolicies: ['None'] }, ['--no-unsecured'], 'securityPolicies: '],
    [{ users: [] }, ['--no-anonymous'], 'users: '],
    [{ users: [], allowAnonymous: false }, [], 'users: '],
    [
      {
        users: [
          { name: 'a', password: 'b' },
          { name: 'a', password: 'c' },
        ],
      },
      [],
      'users[1].name: "a"',
    ],
  ])('is refused where no client could get in or two users are one: %j %j', async (content, args, start) => {
    await expect(load(content, ...args)).rejects.toThrow(start);
    await expect(load(content, ...args)).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('names the file that is not there', async () => {
    const file = join(folder, 'missing.json');
    await expect(loadConfiguration({ flags: flagsOf('--config', file) })).rejects.toThrow(`${file}: cannot be read (ENOENT)`);
  });
});
