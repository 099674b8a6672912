import { readFile } from 'node:fs/promises';
import { AddressSpace, packCoreNamespace } from '@bulkhead/address-space';
import { DateTime } from '@bulkhead/types';
import { coreNodeSetPath } from './inputs.ts';

export interface CompiledNamespace {
  readonly bytes: Buffer;
  readonly nodeCount: number;
}

/**
 * Loads the official NodeSet and packs it.
 * @throws Error when a reference of it leads nowhere or a value can't be read.
 */
export async function compileCoreNamespace(): Promise<CompiledNamespace> {
  const space = new AddressSpace({
    runtime: {
      clock: { nowMs: () => 0, utcNow: () => DateTime.MIN },
      timers: { after: () => ({ cancel: () => {} }) },
    },
    applicationUri: 'urn:bulkhead:nodeset-compiler',
  });
  const result = await space.loadNodeSet(await readFile(coreNodeSetPath, 'utf8'));
  if (result.missingTargets.length > 0 || result.problems.length > 0) {
    const missing = result.missingTargets.map(({ source, target }) => `${source.toString()} refers to ${target.toString()}`);
    throw new Error(`the official NodeSet is not complete: ${[...missing, ...result.problems].slice(0, 10).join('; ')}`);
  }
  return { bytes: packCoreNamespace(space), nodeCount: result.nodeCount };
}
