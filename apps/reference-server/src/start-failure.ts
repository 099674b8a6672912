import { ConfigurationError } from './configuration.ts';

/** One line that says why the server did not start. */
export function startFailureText(error: unknown, host: string, port: number): string {
  if (error instanceof ConfigurationError) return error.message;
  const code = findCode(error);
  switch (code) {
    case 'EADDRINUSE':
      return portInUse(portOf(error) ?? port, host, port, code);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host} (${code}): choose another with --host`;
    default:
      return isListenRefused(error, code) ? `not allowed to listen on port ${port} (${code})` : describe(error, code);
  }
}

function isListenRefused(error: unknown, code: string | undefined): boolean {
  if (code !== 'EACCES' && code !== 'EPERM') return false;
  return causes(error).some((cause) => (cause as NodeJS.ErrnoException).syscall === 'listen');
}

function describe(error: unknown, code: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replaceAll(/\s+/gu, ' ').trim();
  return code === undefined || line.includes(code) ? line : `${line} (${code})`;
}

function portInUse(inUse: number, host: string, port: number, code: string): string {
  const option = inUse === port ? '--port' : '--web-port';
  return `port ${inUse} on ${host} is in use (${code}): stop the other program, or choose another port with ${option}`;
}

/** The port that an error of listening is about. */
function portOf(error: unknown): number | undefined {
  return causes(error)
    .map((cause) => (cause as { readonly port?: unknown }).port)
    .find((port) => typeof port === 'number');
}

/** The system's own error code, which may be some causes down. */
function findCode(error: unknown): string | undefined {
  const codes = causes(error).map((cause) => (cause as NodeJS.ErrnoException).code);
  return codes.find((code) => typeof code === 'string' && /^E[A-Z]+$/u.test(code));
}

const MAX_CAUSES = 8;

function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let next = error; next instanceof Error && found.length < MAX_CAUSES; next = next.cause) found.push(next);
  return found;
}
