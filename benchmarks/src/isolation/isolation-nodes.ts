import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressSpace, VariableNode } from '@bulkhead/opcua';
import { BURN_MS, SLOW_MS, type TargetMethods, VARIABLES } from './abuses/abuse.ts';

/** Where `addIsolationNodes` puts the variables. */
export const NODE_PREFIX = 'ns=1;s=Bench.Double.';
export const METHODS: TargetMethods = { object: 'ns=1;s=Bench', slow: 'ns=1;s=Bench.Slow', burning: 'ns=1;s=Bench.Burning' };

/** The nodes that the abuses use. @returns changes all variables. */
export function addIsolationNodes(space: AddressSpace): () => void {
  const folder = space.addObject({ browseName: 'Bench', nodeId: 's=Bench' });
  const variables = Array.from(
    { length: VARIABLES },
    (_, index): VariableNode =>
      folder.addVariable({ browseName: `Double.${index}`, nodeId: `s=Bench.Double.${index}`, dataType: 'Double', value: index }),
  );
  folder.addMethod({
    browseName: 'Slow',
    nodeId: 's=Bench.Slow',
    call: async () => {
      await sleep(SLOW_MS);
      return [];
    },
  });
  folder.addMethod({
    browseName: 'Burning',
    nodeId: 's=Bench.Burning',
    call: () => {
      burn();
      return [];
    },
  });
  let round = 0;
  return () => {
    round++;
    for (const [index, variable] of variables.entries()) variable.setValue(index + round);
  };
}

/** Computes for `BURN_MS`. */
export function burn(): void {
  const endMs = performance.now() + BURN_MS;
  while (performance.now() < endMs);
}
