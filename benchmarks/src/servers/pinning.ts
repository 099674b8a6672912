import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Puts processes on one core, with all their threads; needs Linux and `taskset`.
 * @returns a function that lets them go everywhere again.
 * @throws Error when that is not possible here.
 */
export function pinTogether(pids: readonly number[]): () => void {
  for (const pid of pids) setAffinity(pid, '0');
  const all = `0-${cpus().length - 1}`;
  return () => {
    for (const pid of pids) setAffinity(pid, all);
  };
}

function setAffinity(pid: number, cores: string): void {
  const { error, status, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`taskset: ${error?.message ?? stderr}`);
}
