import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load/load.ts';
import { type ProcessUsage, readMachineCpuMs, readProcessUsage } from './process-usage.ts';

/** One run of one scenario against one server. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** User and system time of the server; NaN where it can't be had. */
  readonly cpuMsPer1000: number;
  /** Of the server, at the end; NaN where it can't be had. */
  readonly rssMb: number;
  /** How much of one core the load generator used; near 1 it is the bottleneck. */
  readonly generatorCores: number;
  /** How many cores everything but server and generator used; NaN where it can't be had. */
  readonly otherCores: number;
}

export interface Window {
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** CPU times at one moment. */
interface CpuSample {
  readonly atMs: number;
  readonly server: ProcessUsage | undefined;
  readonly generatorMs: number;
  readonly machineMs: number | undefined;
}

/** Lets the load run, counts during the window, and stops it. @throws Error when the server failed the load. */
export async function measure(load: Load, serverPid: number | undefined, { warmupSeconds, seconds }: Window): Promise<Measurement> {
  try {
    await Promise.race([sleep(warmupSeconds * 1000), load.failed]);
    load.reset();
    const before = sampleCpu(serverPid);
    await Promise.race([sleep(seconds * 1000), load.failed]);
    const measurement = summarize(load, load.count, before, sampleCpu(serverPid));
    await load.stop();
    return measurement;
  } catch (error) {
    // The first error is the one to report; what is left of the load must not disturb the next run.
    await load.stop().catch(() => {});
    throw error;
  }
}

function sampleCpu(serverPid: number | undefined): CpuSample {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    server: serverPid === undefined ? undefined : readProcessUsage(serverPid),
    generatorMs: (user + system) / 1000,
    machineMs: readMachineCpuMs(),
  };
}

function summarize({ latency }: Load, count: number, before: CpuSample, after: CpuSample): Measurement {
  const durationMs = after.atMs - before.atMs;
  const generatorMs = after.generatorMs - before.generatorMs;
  const serverMs = before.server && after.server ? after.server.cpuMs - before.server.cpuMs : Number.NaN;
  const machineMs = (after.machineMs ?? Number.NaN) - (before.machineMs ?? Number.NaN);
  return {
    perSecond: (count * 1000) / durationMs,
    p50Ms: latency.quantileMs(0.5),
    p99Ms: latency.quantileMs(0.99),
    cpuMsPer1000: (serverMs * 1000) / count,
    rssMb: (after.server?.rssBytes ?? Number.NaN) / 2 ** 20,
    generatorCores: generatorMs / durationMs,
    otherCores: (machineMs - serverMs - generatorMs) / durationMs,
  };
}
