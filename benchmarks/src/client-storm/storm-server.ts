import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningServer, startServerProcess } from '../servers/server-process.ts';

const REFERENCE_SERVER = fileURLToPath(new URL('../../../apps/reference-server/dist/main.js', import.meta.url));
/** The subscriber, and room for those who come back before their old Session is gone. */
const SPARE_SESSIONS = 100;

/** What the server of a storm is told; all else is its default, mode Balanced too. */
export interface StormServerOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  readonly sessions: number;
  /** CreateSession and ActivateSession in flight; default: the server's. */
  readonly maxConcurrentSessionEstablishment: number | undefined;
}

/** Starts the reference server in a process of its own. @param workDir holds its certificates and configuration. */
export function startStormServer(workDir: string, options: StormServerOptions): Promise<RunningServer> {
  if (!existsSync(REFERENCE_SERVER)) throw new Error(`${REFERENCE_SERVER} is not built`);
  const maxSessionCount = options.sessions + SPARE_SESSIONS;
  const { maxConcurrentSessionEstablishment } = options;
  const configuration = {
    limits: { maxSessionCount, maxChannelCount: maxSessionCount + SPARE_SESSIONS, maxQueuedRequestCount: 4 * maxSessionCount },
    ...(maxConcurrentSessionEstablishment === undefined
      ? {}
      : { OpcUa: { Server: { RateLimits: { maxConcurrentSessionEstablishment } } } }),
  };
  const file = join(workDir, 'client-storm.json');
  writeFileSync(file, JSON.stringify(configuration));
  const args = [
    '--no-web',
    '--port',
    String(options.port ?? 0),
    '--log-format',
    'json',
    '--auto-accept',
    '--pki',
    join(workDir, 'client-storm-server'),
  ];
  return startServerProcess([process.execPath, REFERENCE_SERVER, ...args, '--config', file]);
}
