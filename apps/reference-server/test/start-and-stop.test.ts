import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, defaultConfiguration } from '../src/configuration.ts';
import { readyLine, readyText } from '../src/ready-message.ts';
import { startFailureText } from '../src/start-failure.ts';
import { onStopSignal } from '../src/stop-signal.ts';

describe('what is printed when the server listens', () => {
  const endpoints = ['opc.tcp://127.0.0.1:4840'];

  it('is exactly one JSON line for programs', () => {
    expect(readyLine(endpoints)).toBe(`{"event":"ready","pid":${process.pid},"endpoints":["opc.tcp://127.0.0.1:4840"]}`);
  });

  it('tells people where to connect, where certificates are and how to trust a client', () => {
    const text = readyText({ ...defaultConfiguration, pki: '/var/pki' }, endpoints);
    for (const part of [...endpoints, 'operator / operator-password', '/var/pki/rejected', '/var/pki/trusted/certs', 'ns=2;s=']) {
      expect(text).toContain(part);
    }
  });

  it('warns that anonymous users and None are allowed, and says how to switch them off', () => {
    const text = readyText(defaultConfiguration, endpoints);
    expect(text).toMatch(/Warning: Anonymous users are allowed\.\n.*--no-anonymous, or "allowAnonymous": false/u);
    expect(text).toMatch(/Warning: .*\(None\).*\n.*--no-unsecured, or "securityPolicies"/u);
  });

  it('warns of nothing when there is nothing to warn of, and shows no password of the configuration', () => {
    const users = [{ name: 'captain', passwordHash: '$scrypt$ahoy-ahoy', roles: [] }];
    const text = readyText({ ...defaultConfiguration, allowAnonymous: false, securityPolicies: ['Basic256Sha256'], users }, endpoints);
    expect(text).not.toContain('Warning');
    expect(text).not.toContain('ahoy-ahoy');
  });

  it('warns of passwords in plain text and of limits that memory is too small for, and shows no password', () => {
    const users = [{ name: 'captain', password: 'ahoy-ahoy', roles: [] }];
    const text = readyText({ ...defaultConfiguration, users }, endpoints, ['The limits allow too much.']);
    expect(text).toMatch(/Warning: The configuration has the password of captain in plain text\.\n.*"passwordHash"/u);
    expect(text).toMatch(/Warning: The limits allow too much\.\n.*"memory": "auto"/u);
    expect(text).not.toContain('ahoy-ahoy');
  });

  it('warns when every certificate is trusted', () => {
    expect(readyText({ ...defaultConfiguration, autoAccept: true }, endpoints)).toMatch(/Warning: Every client certificate is trusted/u);
  });
});

describe('a start that fails', () => {
  it('names the port that is in use and the way out', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as { port: number };
    const second = createServer();
    const error = await new Promise<Error>((resolve) => second.once('error', resolve).listen(port, '127.0.0.1'));
    const text = startFailureText(new Error('cannot listen', { cause: error }), '127.0.0.1', port);
    expect(text).toBe(`port ${port} on 127.0.0.1 is in use (EADDRINUSE): stop the other program, or choose another port with --port`);
    await new Promise((resolve) => holder.close(resolve));
  });

  it('gives the reason of anything else on one line', () => {
    expect(startFailureText(new ConfigurationError('c.json: port: too large'), 'h', 1)).toBe('c.json: port: too large');
    expect(startFailureText(new Error('first\n   second'), 'h', 1)).toBe('first second');
    const denied = Object.assign(new Error('no permission'), { code: 'EACCES', syscall: 'open' });
    expect(startFailureText(denied, 'h', 1)).toBe('no permission (EACCES)');
    expect(startFailureText(Object.assign(new Error('x'), { code: 'EACCES', syscall: 'listen' }), 'h', 80)).toContain('port 80');
  });
});

describe('a stop signal', () => {
  type Listener = (signal: 'SIGINT' | 'SIGTERM') => void;

  function createProcess() {
    const listeners = new Map<string, Listener>();
    return {
      exitCode: undefined as number | undefined,
      exits: [] as number[],
      on: (signal: string, listener: Listener) => listeners.set(signal, listener),
      off: (signal: string) => listeners.delete(signal),
      exit(code: number) {
        this.exits.push(code);
      },
      send: (signal: 'SIGINT' | 'SIGTERM') => listeners.get(signal)?.(signal),
      listeners,
    };
  }

  it('stops once and lets the process end by itself with 0', async () => {
    const program = createProcess();
    const stop = vi.fn(async () => undefined);
    onStopSignal(stop, program);
    program.send('SIGTERM');
    await Promise.resolve();
    expect(stop).toHaveBeenCalledOnce();
    expect([program.exits, program.exitCode]).toEqual([[], undefined]);
  });

  it('ends the process at once when it comes a second time', () => {
    const program = createProcess();
    onStopSignal(() => new Promise(() => undefined), program);
    program.send('SIGINT');
    expect(program.exits).toEqual([]);
    program.send('SIGINT');
    program.send('SIGTERM');
    expect(program.exits).toEqual([130, 143]);
  });

  it('leaves exit code 1 and a line when the stop fails', async () => {
    const program = createProcess();
    const lines: string[] = [];
    onStopSignal(
      () => Promise.reject(new Error('stuck')),
      program,
      (line) => lines.push(line),
    );
    program.send('SIGTERM');
    await vi.waitFor(() => expect(program.exitCode).toBe(1));
    expect(lines).toEqual(['bulkhead: cannot stop cleanly: stuck']);
  });

  it('ends a process that something keeps alive after the stop', async () => {
    vi.useFakeTimers();
    try {
      const program = createProcess();
      onStopSignal(
        () => Promise.resolve(),
        program,
        () => undefined,
      );
      program.send('SIGTERM');
      await vi.advanceTimersByTimeAsync(5000);
      expect(program.exits).toEqual([1]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is nobody’s business after listening ended', () => {
    const program = createProcess();
    onStopSignal(() => Promise.resolve(), program)();
    expect(program.listeners.size).toBe(0);
  });
});
