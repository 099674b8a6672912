import { readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { MachineShare } from './propose-totals.ts';

/** What a container allows; undefined where it doesn't say. */
export interface ContainerLimits {
  readonly memoryBytes: number | undefined;
  readonly processors: number | undefined;
}

/** cgroup v1 says this, rounded to pages, where there is no limit. */
const UNLIMITED_BYTES = 2 ** 62;
/** Groups above each other that are looked at. */
const MAX_DEPTH = 32;

/** What this process may use: of its container, of the machine, of V8. */
export async function readMachineShare(root = '/'): Promise<MachineShare> {
  const { memoryBytes, processors } = await readContainerLimits(root);
  return {
    memoryBytes: Math.min(memoryBytes ?? Number.POSITIVE_INFINITY, totalmem()),
    isContainer: memoryBytes !== undefined && memoryBytes < totalmem(),
    heapBytes: getHeapStatistics().heap_size_limit,
    processors: Math.min(processors ?? Number.POSITIVE_INFINITY, availableParallelism()),
  };
}

/**
 * Reads the limits of the control groups that this process is in, version 2 or 1. The least of a group and those above it counts.
 * @param root of the file system.
 */
export async function readContainerLimits(root = '/'): Promise<ContainerLimits> {
  const groups = parseGroups((await readText(join(root, 'proc/self/cgroup'))) ?? '');
  const mount = join(root, 'sys/fs/cgroup');
  const unified = groups.get('') ?? '/';
  const memory = [
    ...(await readUpwards(mount, unified, 'memory.max', parseBytes)),
    ...(await readUpwards(join(mount, 'memory'), groups.get('memory') ?? '/', 'memory.limit_in_bytes', parseBytes)),
  ];
  const processors = [
    ...(await readUpwards(mount, unified, 'cpu.max', parseQuota)),
    ...(await readProcessorsV1(mount, groups.get('cpu') ?? '/')),
  ];
  return { memoryBytes: least(memory), processors: least(processors) };
}

/** Path of the group by controller; the one without a name is version 2. */
function parseGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/u.exec(line) ?? [];
    for (const controller of controllers?.split(',') ?? []) groups.set(controller, path ?? '/');
  }
  return groups;
}

async function readProcessorsV1(mount: string, group: string): Promise<number[]> {
  const quotas: number[] = [];
  for (const folder of ['cpu', 'cpu,cpuacct']) {
    for (const path of upwards(group)) {
      const quota = await readText(join(mount, folder, path, 'cpu.cfs_quota_us'));
      const period = await readText(join(mount, folder, path, 'cpu.cfs_period_us'));
      const processors = quota === undefined || period === undefined ? undefined : parseQuota(`${quota.trim()} ${period.trim()}`);
      if (processors !== undefined) quotas.push(processors);
    }
  }
  return quotas;
}

/** Inside a container the path may be that of the host: then only the mount itself is there. */
async function readUpwards(mount: string, group: string, file: string, parse: (text: string) => number | undefined): Promise<number[]> {
  const values: number[] = [];
  for (const path of upwards(group)) {
    const text = await readText(join(mount, path, file));
    const value = text === undefined ? undefined : parse(text.trim());
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** `/a/b`, `/a`, `/`. */
function upwards(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '..');
  return Array.from({ length: Math.min(names.length, MAX_DEPTH) + 1 }, (_, up) => names.slice(0, names.length - up).join('/'));
}

function parseBytes(text: string): number | undefined {
  if (!/^\d+$/u.test(text)) return undefined;
  const bytes = Number(text);
  return bytes > 0 && bytes < UNLIMITED_BYTES ? bytes : undefined;
}

/** `200000 100000`: two processors; `max` or -1 in place of the first: no limit. */
function parseQuota(text: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)$/u.exec(text) ?? [];
  const processors = Number(quota) / Number(period);
  return processors > 0 && Number.isFinite(processors) ? processors : undefined;
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
