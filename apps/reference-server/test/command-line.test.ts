import { describe, expect, it } from 'vitest';
import { CommandLineEnd, parseCommandLine } from '../src/command-line.ts';

function parse(...args: string[]): ReturnType<typeof parseCommandLine> {
  return parseCommandLine(args, { writeOut: () => undefined, writeErr: () => undefined });
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
    expect(new Set(Object.values(parse()))).toEqual(new Set([undefined]));
  });

  it('reads every option', () => {
    const args = '--config c.json --host 0.0.0.0 --port 0 --pki certs --auto-accept --log-format json --log-level debug --bench-tick 50';
    expect(parse(...args.split(' '), '--web-port', '4900', '--no-web', '--no-anonymous', '--no-unsecured', '--print-plan')).toEqual({
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
      printPlan: true,
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
  ])('refuses %s %s with exit code 2 and says why', (...args) => {
    const { exitCode, out, err } = endOf(...args);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('error: ');
    expect(err).toContain('--help');
  });
});
