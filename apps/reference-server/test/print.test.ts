import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configurationJsonSchema } from '../src/configuration/json-schema.ts';
import { run } from '../src/run.ts';
import { hideOwnVariables } from './environment-variables.ts';

let folder: string;
let exitCode: typeof process.exitCode;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulkhead-print-'));
  ({ exitCode } = process);
  hideOwnVariables();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = exitCode;
  await rm(folder, { recursive: true });
});

async function bulkhead(
  content: unknown,
  ...args: string[]
): Promise<{ readonly out: string; readonly err: string; readonly exitCode: unknown }> {
  const printed = { log: '', error: '' };
  for (const name of ['log', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((text: string) => void (printed[name] += `${text}\n`));
  }
  process.exitCode = 0;
  const file = join(folder, 'c.json');
  await writeFile(file, JSON.stringify(content));
  await run([...args, '--config', file]);
  return { out: printed.log, err: printed.error.replaceAll(folder, ''), exitCode: process.exitCode };
}

describe('bulkhead check', () => {
  it('ends with 0 for what a server would start with, and warns of what is no good in a plant', async () => {
    const { out, err, exitCode: code } = await bulkhead({ port: 1 }, 'check');
    expect([out, code]).toEqual(['A server would start with this configuration.\n', 0]);
    expect(err).toContain('warning: Anonymous users are allowed.\n');
  });

  it('ends with 1 and a line for everything that is wrong', async () => {
    const { out, err, exitCode: code } = await bulkhead({ port: -1, prot: 1, logLevel: 'loud' }, 'check');
    expect([out, code]).toEqual(['', 1]);
    expect(err.trim().split('\n')).toEqual([
      'error: /c.json: port: -1, expected an integer from 0 to 65535',
      'error: /c.json: logLevel: "loud", expected one of debug, info, warn, error, silent',
      'error: /c.json: prot: no such option, did you mean port?',
    ]);
  });

  it.each([
    [{ limits: { maxSessionCount: 100, maxChannelCount: 101 } }, 'maxChannelCount'],
    [
      { web: { certificateFile: '/no/such.pem', privateKeyFile: '/no/such.key' } },
      'web.certificateFile: "/no/such.pem" cannot be read (ENOENT)',
    ],
    [{ web: { certificateFile: '/no/such.pem' } }, 'web.certificateFile and web.privateKeyFile: both are needed'],
    [{ users: [], allowAnonymous: false }, 'users: at least one'],
  ])('finds what a start would fail with: %j', async (content, problem) => {
    for (const args of [['check'], ['--check']]) {
      const { err, exitCode: code } = await bulkhead(content, ...args);
      expect(code).toBe(1);
      expect(err).toContain(problem);
    }
  });
});

describe('--print-config', () => {
  it('prints what file and options together make, in the form of a file that makes the same', async () => {
    const content = { port: 5, limits: { maxSessionCount: 9 }, OpcUa: { Server: { RateLimits: { ConnectionsPerSecond: 44 } } } };
    const { out } = await bulkhead(content, 'serve', '--print-config', '--host', '127.0.0.7', '--throttle', '9000');
    const printed = JSON.parse(out) as Record<string, unknown>;
    expect(printed).toMatchObject({
      host: '127.0.0.7',
      port: 5,
      limits: { maxSessionCount: 9 },
      rateLimits: { connectionsPerSecond: 44 },
      bandwidth: { perConnection: { read: { bytesPerSecond: 9000 }, write: { bytesPerSecond: 9000 } } },
    });
    const again = await bulkhead(printed, '--print-config');
    expect(JSON.parse(again.out)).toEqual(printed);
  });

  it('masks passwords and their hashes', async () => {
    const passwordHash = `$scrypt$ln=15,r=8,p=1$${'S'.repeat(22)}$${'H'.repeat(43)}`;
    const users = [
      { name: 'ann', password: 'swordfish' },
      { name: 'bob', passwordHash },
    ];
    const { out } = await bulkhead({ users }, '--print-config');
    expect(out).not.toMatch(/swordfish|SSSS|HHHH/u);
    expect(JSON.parse(out)).toMatchObject({
      users: [
        { name: 'ann', password: '***' },
        { name: 'bob', passwordHash: '***' },
      ],
    });
  });

  it('comes before the plan where both are asked for', async () => {
    const { out } = await bulkhead({}, '--print-plan', '--print-config');
    expect(out.indexOf('"logLevel"')).toBeGreaterThan(0);
    expect(out.indexOf('mode Balanced')).toBeGreaterThan(out.indexOf('"logLevel"'));
  });
});

describe('bulkhead schema', () => {
  it('prints the JSON Schema of the configuration file', async () => {
    let printed = '';
    vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed += text));
    await run(['schema']);
    expect(JSON.parse(printed)).toEqual(configurationJsonSchema());
  });
});
