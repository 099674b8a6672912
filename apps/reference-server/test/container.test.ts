import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readContainerLimits, readMachineShare } from '../src/memory/container.ts';

const MiB = 1024 * 1024;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bulkhead-cgroup-'));
});
afterEach(() => rm(root, { recursive: true }));

/** A file system with these files. */
async function files(contents: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

describe('the limits of a container', () => {
  it('BX-11 are those of version 2 of control groups', async () => {
    await files({
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/memory.max': '536870912\n',
      'sys/fs/cgroup/cpu.max': '50000 100000\n',
    });
    expect(await readContainerLimits(root)).toEqual({ memoryBytes: 512 * MiB, processors: 0.5 });
  });

  it('are the least of the group and of those above it', async () => {
    await files({
      'proc/self/cgroup': '0::/system.slice/bulkhead.service\n',
      'sys/fs/cgroup/system.slice/bulkhead.service/memory.max': 'max\n',
      'sys/fs/cgroup/system.slice/bulkhead.service/cpu.max': '400000 100000\n',
      'sys/fs/cgroup/system.slice/memory.max': '1073741824\n',
      'sys/fs/cgroup/system.slice/cpu.max': '150000 100000\n',
    });
    expect(await readContainerLimits(root)).toEqual({ memoryBytes: 1024 * MiB, processors: 1.5 });
  });

  it('are those of version 1, also where the path is that of the host', async () => {
    await files({
      'proc/self/cgroup': '5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456\n',
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    });
    expect(await readContainerLimits(root)).toEqual({ memoryBytes: 256 * MiB, processors: 2 });
  });

  it.each([
    [{}],
    [{ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': 'max\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' }],
    [
      {
        'proc/self/cgroup': '5:memory:/\n4:cpu:/\n',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
    ],
    [{ 'proc/self/cgroup': 'nonsense', 'sys/fs/cgroup/memory.max': 'lots', 'sys/fs/cgroup/cpu.max': '0 0' }],
  ])('are unknown where nothing is said: %j', async (contents) => {
    await files(contents);
    expect(await readContainerLimits(root)).toEqual({ memoryBytes: undefined, processors: undefined });
  });

  it('do not lead out of the folder of control groups', async () => {
    await files({ 'proc/self/cgroup': '0::/../../etc\n', 'etc/memory.max': '1048576', 'sys/fs/cgroup/memory.max': '2097152' });
    expect((await readContainerLimits(root)).memoryBytes).toBe(2 * MiB);
  });

  it("make a share together with the machine's and V8's", async () => {
    await files({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': `${100 * MiB}` });
    expect(await readMachineShare(root)).toMatchObject({ memoryBytes: 100 * MiB, isContainer: true });
    await files({ 'sys/fs/cgroup/memory.max': 'max' });
    const { isContainer, heapBytes, processors, memoryBytes } = await readMachineShare(root);
    expect(isContainer).toBe(false);
    expect(Math.min(heapBytes, processors, memoryBytes)).toBeGreaterThan(0);
  });
});
