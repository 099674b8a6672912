import { readProcessUsage } from '../process-usage.ts';
import type { RunningServer } from '../servers/server-process.ts';
import { SessionStorm } from './session-storm.ts';
import { type StormServerOptions, startStormServer } from './storm-server.ts';
import { Subscriber } from './subscriber.ts';

const COUNTER = 'ns=2;s=Counter.1000ms';

export interface ClientStormOptions {
  readonly workDir: string;
  readonly sessions: number;
}

export async function runClientStorm(options: ClientStormOptions): Promise<void> {
  for (const limit of [undefined, 8]) await runStorm(options.workDir, { sessions: options.sessions, maxConcurrentSessionEstablishment: limit });
}

async function runStorm(workDir: string, options: StormServerOptions): Promise<void> {
  const server = await startStormServer(workDir, options);
  try {
    await measure(workDir, server, options);
  } finally {
    await server.stop();
  }
}

async function measure(workDir: string, server: RunningServer, options: StormServerOptions): Promise<void> {
  const subscriber = await Subscriber.start(server.url, workDir);
  const storm = new SessionStorm(workDir);
  await storm.application.certificateStore();
  const before = readProcessUsage(server.pid as number);
  const own = process.cpuUsage();
  const started = performance.now();
  subscriber.begin();
  await storm.connect(server.url, options.sessions);
  const wall = performance.now() - started;
  await Promise.all(storm.sessions.map(async (s) => (await s.subscribe({ publishingIntervalMs: 1000 })).monitor(COUNTER, { samplingIntervalMs: 1000 })));
  const all = performance.now() - started;
  const figures = await subscriber.end();
  const after = readProcessUsage(server.pid as number);
  const used = process.cpuUsage(own);
  console.log(options, { wall, all, connected: storm.connectedCount, ...storm.attempts }, figures, { serverCpu: (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0), clientCpu: (used.user + used.system) / 1000 });
  await storm.close();
}
