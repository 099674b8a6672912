import { readFileSync } from 'node:fs';

/** Unit of the times in /proc/<pid>/stat: fixed at 1/100 s in Linux' interface to programs. */
const TICK_MS = 10;
const UTIME = 14;
const STIME = 15;

export interface ProcessUsage {
  /** User and system time of all threads since the process started. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** What a process used so far; undefined on anything but Linux, which has no /proc. @throws Error when the process is gone. */
export function readProcessUsage(pid: number): ProcessUsage | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpuMs: (field(UTIME) + field(STIME)) * TICK_MS, rssBytes: Number(rss?.[1] ?? Number.NaN) * 1024 };
}

/** Busy time of all processors since the machine started, in ms; undefined on anything but Linux. */
export function readMachineCpuMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // user nice system idle iowait irq softirq steal
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}
