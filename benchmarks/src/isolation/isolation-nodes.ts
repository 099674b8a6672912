import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressSpace, RequestParkingPolicy, VariableNode } from '@bulkhead/opcua';
import { type CallRequest, NodeId } from '@bulkhead/types';
import { BURN_MS, SLOW_MS, type TargetMethods, VARIABLES } from './abuses/abuse.ts';

/** Where `addIsolationNodes` puts the variables. */
export const NODE_PREFIX = 'ns=1;s=Bench.Double.';
export const METHODS: TargetMethods = {
  object: 'ns=1;s=Bench',
  slow: 'ns=1;s=Bench.Slow',
  waiting: 'ns=1;s=Bench.Waiting',
  burning: 'ns=1;s=Bench.Burning',
};
const WAITING = NodeId.parse(METHODS.waiting);

/** Lets calls of the method `waiting` park. */
export const isolationParking: RequestParkingPolicy = {
  mayPark: ({ service, decode }) =>
    service === 'Call' && (decode() as CallRequest).methodsToCall?.every(({ methodId }) => methodId.equals(WAITING)) === true,
};

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
    browseName: 'Waiting',
    nodeId: 's=Bench.Waiting',
    call: async (_inputs, { parkSink }) => {
      parkSink?.notifyParked();
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
