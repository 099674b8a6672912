import type { TopFlags } from '../command-line.ts';

export async function runTop(_flags: TopFlags): Promise<void> {
  throw new Error('not yet');
}
