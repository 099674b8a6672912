import { describe, expect, it } from 'vitest';
import { CommandLineEnd, type Invocation, parseCommandLine } from '../src/command-line.ts';

const quiet = { writeOut: () => undefined, writeErr: () => undefined };

function parse(...args: string[]): Extract<Invocation, { command: 'serve' }> {
  const invocation = parseCommandLine(args, quiet);
  if (invocation.command !== 'serve') throw new Error(`${invocation.command} instead of serve`);
  return invocation;
}

/** How the arguments end the program, and what is printed. */
function endOf(...args: string[]): { exitCode: number; out: string; err: string } {
  let out = '';
  let err = '';
  try {
    parseCommandLine(args, { writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
  } catch (error) {
    if (error instanceof CommandLineEnd) return { exitCode: error.exitCode, out, err };
    throw error;
  }
  throw new Error('the arguments were accepted');
}

describe('the command line', () => {
  it('leaves everything open that is not given', () => {
    expect(new Set(Object.values(parse().flags))).toEqual(new Set([undefined]));
    expect(parse()).toEqual(parse('serve'));
  });

  it('reads every option', () => {
    const args = '--config c.json --host 0.0.0.0 --port 0 --pki certs --auto-accept --log-format json --log-level debug --bench-tick 50';
    const more = '--web-port 4900 --no-web --no-anonymous --no-unsecured --rate 5 --throttle 1000 --concurrent 20 --timeout 0';
    expect(parse(...args.split(' '), ...more.split(' '), '--print-plan', '--check').printouts).toEqual(['plan', 'check']);
    expect(parse(...args.split(' '), ...more.split(' ')).flags).toEqual({
      config: 'c.json',
      host: '0.0.0.0',
      port: 0,
      webPort: 4900,
      noWeb: true,
      pki: 'certs',
      autoAccept: true,
      allowAnonymous: false,
      allowUnsecured: false,
      logFormat: 'json',
      logLevel: 'debug',
      benchTickMs: 50,
      rate: 5,
      throttle: 1000,
      concurrent: 20,
      timeout: 0,
    });
  });

  it('prints all options and ends with 0 when help is asked for', () => {
    const { exitCode, out } = endOf('--help');
    expect(exitCode).toBe(0);
    for (const option of [
      '--config',
      '--host',
      '--port',
      '--web-port',
      '--no-web',
      '--pki',
      '--auto-accept',
      '--no-anonymous',
      '--log-format',
      '--bench-tick',
      '--print-plan',
      '--rate',
      '--throttle',
      '--concurrent',
      '--timeout',
      'plan',
      'check',
      'pki',
      'top',
      'hash-password',
      'Exit codes',
    ]) {
      expect(out).toContain(option);
    }
  });

  it.each([
    ['--port', '65536'],
    ['--port', '-1'],
    ['--port', '4840.5'],
    ['--port', '0x10'],
    ['--port', ''],
    ['--port'],
    ['--bench-tick', '3600001'],
    ['--log-format', 'xml'],
    ['--log-level', 'loud'],
    ['--host', ''],
    ['--pki', ''],
    ['--prot', '4840'],
    ['extra'],
    ['--rate', '-1'],
    ['--timeout', '1.5'],
    ['pki', 'trust'],
    ['pki', 'burn', 'AB12'],
    ['hash-password', '--cost', '30'],
    ['hash-password', 'secret'],
    ['top', '--interval', '1'],
  ])('refuses %s %s with exit code 2 and says why', (...args) => {
    const { exitCode, out, err } = endOf(...args);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('error: ');
    expect(err).toContain('--help');
  });

  it.each(['plan', 'check'])('takes the options of a server with %s', (command) => {
    expect(parse(command, '--config', 'c.json', '--rate', '7')).toMatchObject({
      flags: { config: 'c.json', rate: 7 },
      printouts: [command],
    });
  });

  it('reads what to do with certificates', () => {
    expect(parseCommandLine(['pki', 'trust', 'AB12', 'client.der', '--pki', 'certs', '--users'], quiet)).toEqual({
      command: 'pki',
      action: 'trust',
      flags: { config: undefined, pki: 'certs' },
      certificates: ['AB12', 'client.der'],
      ofUsers: true,
    });
  });

  it.each([
    ['top', '--rate', '5'],
    ['pki', 'list', '--concurrent', '5'],
    ['hash-password', '--timeout=5'],
    ['schema', '--throttle', '0'],
  ])('LM-11 refuses a limit with a command that starts no server, and says why: %s', (...args) => {
    const { exitCode, err } = endOf(...args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/error: option '--\w+' makes no sense for "[\w-]+": it \w+/u);
  });
});
