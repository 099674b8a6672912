import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandLine, parseCommandLine } from '../src/command-line.ts';
import { ConfigurationError, defaultConfiguration, loadConfiguration, parseConfiguration } from '../src/configuration.ts';

function commandLine(...args: string[]): CommandLine {
  return parseCommandLine(args);
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
    [{ prot: 4840 }, 'c.json: prot: no such option'],
    [{ limits: { maxSesionCount: 3 } }, 'c.json: limits.maxSesionCount: no such option'],
    [{ users: [{ name: 'a', password: 'b', role: 'Operator' }] }, 'c.json: users.0.role: no such option'],
  ])('may not have a key that nobody reads: %j', (content, fault) => {
    expect(faultOf(content)).toBe(fault);
  });

  it.each([
    [{ port: 70_000 }, 'c.json: port: '],
    [{ port: '4840' }, 'c.json: port: '],
    [{ limits: { maxMessageSize: 100 } }, 'c.json: limits.maxMessageSize: '],
    [{ users: [{ name: 'a', password: 'b' }, { name: '' }] }, 'c.json: users.1.name: '],
    [{ users: [{ name: 'a', password: 'b', roles: ['Captain'] }] }, 'c.json: users.0.roles.0: '],
    [{ securityPolicies: ['None', 'Basic256'] }, 'c.json: securityPolicies.1: '],
    [{ securityPolicies: [] }, 'c.json: securityPolicies: '],
    [{ logFormat: 'xml' }, 'c.json: logFormat: '],
    [[], 'c.json: (top): '],
  ])('says where it is wrong, on one line: %j', (content, start) => {
    expect(faultOf(content)).toMatch(new RegExp(`^${start.replaceAll(/[.()]/gu, '\\$&')}\\S`, 'u'));
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
  });
});

describe('the configuration', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bulkhead-configuration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(content: unknown, ...args: string[]): ReturnType<typeof loadConfiguration> {
    const file = join(folder, 'c.json');
    await writeFile(file, JSON.stringify(content));
    return loadConfiguration(commandLine('--config', file, ...args));
  }

  it('is the default without file and arguments', async () => {
    expect(await loadConfiguration(commandLine())).toEqual(defaultConfiguration);
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
      'users.1.name: "a"',
    ],
  ])('is refused where no client could get in or two users are one: %j %j', async (content, args, start) => {
    await expect(load(content, ...args)).rejects.toThrow(start);
    await expect(load(content, ...args)).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('names the file that is not there', async () => {
    const file = join(folder, 'missing.json');
    await expect(loadConfiguration(commandLine('--config', file))).rejects.toThrow(`${file}: cannot be read (ENOENT)`);
  });
});
