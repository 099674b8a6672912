import { readProcessUsage } from '../process-usage.ts';
import type { RunningServer } from '../servers/server-process.ts';
import { measureRestart, type RestartResult } from './restart.ts';
import { SessionStorm } from './session-storm.ts';
import { renderRestart, renderStorm, type StormResult } from './storm-report.ts';
import { type StormServerOptions, startStormServer } from './storm-server.ts';
import { Subscriber } from './subscriber.ts';

export interface ClientStormOptions {
  /** Holds certificates and configurations. */
  readonly workDir: string;
  readonly sessions: number;
}

/** So few at a time that many are refused at first. */
const FEW_ESTABLISHMENTS = 8;
const RESTART_SESSIONS = 200;

/** Many managed sessions connect at once without a connect gate, then come back at once. Prints what they and a subscriber met. */
export async function runClientStorm({ workDir, sessions }: ClientStormOptions): Promise<void> {
  const storms: StormResult[] = [];
  for (const maxConcurrentSessionEstablishment of [undefined, FEW_ESTABLISHMENTS]) {
    storms.push(await runStorm(workDir, { sessions, maxConcurrentSessionEstablishment }));
  }
  console.log(`${renderStorm(storms)}\n`);
  const restart: RestartResult = await measureRestart(workDir, Math.min(sessions, RESTART_SESSIONS));
  console.log(renderRestart(restart));
  const isComplete = storms.every(({ sessions: wanted, connected }) => connected === wanted) && restart.back === restart.sessions;
  if (!isComplete) throw new Error('not every session is connected');
}

async function runStorm(workDir: string, options: StormServerOptions): Promise<StormResult> {
  const server = await startStormServer(workDir, options);
  let subscriber: Subscriber | undefined;
  try {
    subscriber = await Subscriber.start(server.url, workDir);
    return await measureStorm(workDir, server, subscriber, options);
  } finally {
    subscriber?.kill();
    await server.stop();
  }
}

async function measureStorm(
  workDir: string,
  server: RunningServer,
  subscriber: Subscriber,
  { sessions, maxConcurrentSessionEstablishment }: StormServerOptions,
): Promise<StormResult> {
  const storm = new SessionStorm(workDir);
  await storm.application.certificateStore();
  const serverBeforeMs = serverCpuMs(server);
  const ownBefore = process.cpuUsage();
  const startMs = performance.now();
  subscriber.begin();
  await storm.connect(server.url, sessions);
  const connectMs = performance.now() - startMs;
  await storm.monitorEach();
  const figures = await subscriber.end();
  const own = process.cpuUsage(ownBefore);
  const result: StormResult = {
    sessions,
    maxConcurrentSessionEstablishment,
    connected: storm.connectedCount,
    attempts: storm.attempts,
    connectMs,
    monitoredMs: performance.now() - startMs,
    serverCpuMs: serverCpuMs(server) - serverBeforeMs,
    clientCpuMs: (own.user + own.system) / 1000,
    subscriber: figures,
  };
  await storm.close();
  return result;
}

function serverCpuMs({ pid }: RunningServer): number {
  return (pid === undefined ? undefined : readProcessUsage(pid)?.cpuMs) ?? Number.NaN;
}
