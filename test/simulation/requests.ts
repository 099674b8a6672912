import type { SeededRandom } from '@bulkhead/testkit';
import { AttributeIds, CallMethodRequest, type CallRequest, type ReadRequest, ReadValueId, TimestampsToReturn } from '@bulkhead/types';
import { machineId, methodNames, nodeIdOf, readableNodes } from './simulated-nodes.ts';

/** A Read of the values of these nodes. */
export function readOf(names: readonly string[]): Pick<ReadRequest, 'timestampsToReturn' | 'nodesToRead'> {
  return {
    timestampsToReturn: TimestampsToReturn.Both,
    nodesToRead: names.map((name) => ReadValueId.create({ nodeId: nodeIdOf(name), attributeId: AttributeIds.Value })),
  };
}

/** A Read of up to `maxNodes` nodes of any kind. */
export function anyRead(random: SeededRandom, maxNodes: number): ReturnType<typeof readOf> {
  const name = random.nextBoolean() ? 'Costly' : random.pick(readableNodes);
  return readOf(Array.from({ length: 1 + random.nextInt(maxNodes) }, () => (random.nextInt(8) === 0 ? random.pick(readableNodes) : name)));
}

/** A call of any method. */
export function anyCall(random: SeededRandom): Pick<CallRequest, 'methodsToCall'> {
  return { methodsToCall: [CallMethodRequest.create({ objectId: machineId, methodId: nodeIdOf(random.pick(methodNames)) })] };
}
