import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addOpcUa, NodeId } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { CallMethodRequest, CallRequest, CallResponse, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';

const METHOD = NodeId.string(1, 'WaitForAlarm');
const OBJECTS_FOLDER = NodeId.numeric(0, 85);

describe('calls that wait', () => {
  it('RI-26 RI-46 park when the policy selects them, and leave every execution slot to others', async () => {
    let raise = (): void => undefined;
    const alarm = new Promise<readonly unknown[]>((resolve) => {
      raise = () => resolve([]);
    });
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-test-'));
    const server = await addOpcUa()
      .addServer({ applicationName: 'Parking', port: 0, security: { policies: ['None'] }, pki: { folder } })
      .configureResourceIsolation({ mode: 'Balanced', stages: [{ stage: 'RequestExecution', capacity: 4 }] })
      .withRequestParking({
        mayPark: ({ service, decode }) =>
          service === 'Call' && (decode() as CallRequest).methodsToCall?.every(({ methodId }) => methodId.equals(METHOD)) === true,
      })
      .addNodes((space) => {
        space.addMethod({
          browseName: 'WaitForAlarm',
          nodeId: 's=WaitForAlarm',
          call: (_inputs, { parkSink }) => {
            parkSink?.notifyParked();
            return alarm;
          },
        });
      })
      .start();
    const session = await RawSession.open({ port: Number(new URL(server.endpointUrls[0] ?? '').port) });
    const methodsToCall = [CallMethodRequest.create({ objectId: OBJECTS_FOLDER, methodId: METHOD })];
    const calls = [1, 2, 3].map(() => session.send(CallRequest, { methodsToCall }));
    while (server.counts.parkedRequests < calls.length) await new Promise((resolve) => setImmediate(resolve));
    expect(server.resourceIsolation.getUsage(Stage.RequestExecution)).toBe(0);
    expect((await session.read('i=2255')).results?.[0]?.statusCode).toBe(StatusCodes.Good);
    raise();
    for (const id of calls) {
      expect((await session.peer.response(id)).decode(CallResponse).results?.[0]?.statusCode).toBe(StatusCodes.Good);
    }
    await session.close();
    await server.stop();
    expect(server.resourceIsolation.getUsage(Stage.ParkedRequest)).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});
