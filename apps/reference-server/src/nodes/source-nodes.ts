import { setTimeout as wait } from 'node:timers/promises';
import type { ObjectNode } from '@bulkhead/address-space';
import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** How long the slow variable and the slow method take. */
export const SLOW_MS = 2000;

/** Variables that get their values from callbacks: quick, slow, and failing ones. */
export function addSourceNodes(parent: ObjectNode): void {
  const folder = parent.addFolder({ browseName: 'Sources', nodeId: 's=Source' });
  addAnsweringSources(folder);
  addFailingSources(folder);
}

function addAnsweringSources(folder: ObjectNode): void {
  let synchronousReads = 0;
  folder.addVariable({
    browseName: 'Synchronous',
    nodeId: 's=Source.Synchronous',
    dataType: 'UInt32',
    description: 'Counts its reads.',
    read: () => ++synchronousReads,
  });
  let asynchronousReads = 0;
  folder.addVariable({
    browseName: 'Asynchronous',
    nodeId: 's=Source.Asynchronous',
    dataType: 'UInt32',
    description: 'Counts its reads; answers a little later.',
    read: async ({ signal }) => {
      await wait(5, undefined, { signal });
      return ++asynchronousReads;
    },
  });
  folder.addVariable({
    browseName: 'Slow',
    nodeId: 's=Source.Slow',
    dataType: 'String',
    description: 'Answers after two seconds.',
    minimumSamplingInterval: SLOW_MS,
    read: ({ signal }) => wait(SLOW_MS, 'at last', { signal }),
  });
  folder.addVariable({
    browseName: 'Never',
    nodeId: 's=Source.Never',
    dataType: 'Int32',
    description: "Doesn't answer before the server's deadline for sources.",
    minimumSamplingInterval: SLOW_MS,
    read: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
  });
  let echoed: unknown = 'nothing yet';
  folder.addVariable({
    browseName: 'Echo',
    nodeId: 's=Source.Echo',
    dataType: 'String',
    description: 'Reads what was written.',
    read: () => echoed,
    write: async (value, { signal }) => {
      await wait(1, undefined, { signal });
      echoed = value;
    },
  });
}

function addFailingSources(folder: ObjectNode): void {
  folder.addVariable({
    browseName: 'Throws',
    nodeId: 's=Source.Throws',
    dataType: 'Double',
    read: () => {
      throw new Error('this source always fails');
    },
  });
  folder.addVariable({
    browseName: 'ThrowsStatus',
    nodeId: 's=Source.ThrowsStatus',
    dataType: 'Double',
    read: () => {
      throw new UaStatusError(StatusCodes.BadSensorFailure, 'this sensor is broken');
    },
  });
  folder.addVariable({
    browseName: 'Rejects',
    nodeId: 's=Source.Rejects',
    dataType: 'Double',
    read: async () => {
      await wait(1);
      throw new UaStatusError(StatusCodes.BadDeviceFailure, 'this device is broken');
    },
  });
  folder.addVariable({
    browseName: 'WrongType',
    nodeId: 's=Source.WrongType',
    dataType: 'Double',
    read: () => 'not a number',
  });
  folder.addVariable({
    browseName: 'WriteThrows',
    nodeId: 's=Source.WriteThrows',
    dataType: 'Double',
    value: 1,
    write: () => {
      throw new Error('this sink always fails');
    },
  });
}
