import type { IncomingRequest, ParkSink, RequestParkingPolicy } from '@bulkhead/contracts';
import { Stage } from '@bulkhead/resource-isolation';
import { CallMethodRequest, CallRequest, CallResponse, NodeId, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { deferred, Harness } from './harness.ts';
import { expectEverythingEnded, pendingHandlers } from './scenarios.ts';

const WAIT_METHOD = NodeId.string(2, 'WaitForAlarm');
const OTHER_METHOD = NodeId.string(2, 'Reset');

/** A single call of the method that waits. */
const waitPolicy: RequestParkingPolicy = {
  mayPark: ({ service, decode }) => {
    if (service !== 'Call') return false;
    const { methodsToCall } = decode() as CallRequest;
    return methodsToCall?.length === 1 && methodsToCall[0]?.methodId.equals(WAIT_METHOD) === true;
  },
};

const callOf = (methodId: NodeId): Partial<CallRequest> => ({ methodsToCall: [CallMethodRequest.create({ methodId })] });

/** Calls that wait until the test ends them. */
function callHarness(
  policy: RequestParkingPolicy,
  isNotifying = true,
): { harness: Harness; sinks: (ParkSink | undefined)[]; end: () => void } {
  const { promise, resolve } = deferred<CallResponse>();
  const sinks: (ParkSink | undefined)[] = [];
  const harness = new Harness(
    {
      Call: (_request, { parkSink }) => {
        sinks.push(parkSink);
        if (isNotifying) for (let i = 0; i < 3; i++) parkSink?.notifyParked();
        return promise;
      },
    },
    { parkingPolicy: policy, totals: { RequestExecution: 1 } },
  );
  return { harness, sinks, end: () => resolve(CallResponse.create()) };
}

describe('a parking policy', () => {
  it('RI-26 selects requests that take a parked slot before they are queued and give only execution back when they wait', async () => {
    const { harness, sinks, end } = callHarness(waitPolicy);
    const client = harness.openSession();
    const requests = [harness.submit(client, CallRequest, callOf(WAIT_METHOD)), harness.submit(client, CallRequest, callOf(WAIT_METHOD))];
    expect(harness.usage()).toEqual({ RequestQueue: 2, RequestQueueBytes: 200, ParkedRequest: 2 });
    await harness.runtime.idle();
    expect(sinks).toHaveLength(2);
    expect(harness.usage()).toEqual({ RequestQueueBytes: 200, ParkedRequest: 2 });
    sinks[0]?.notifyParked();
    end();
    await harness.runtime.idle();
    sinks[0]?.notifyParked();
    expect(requests.map(({ result }) => result)).toEqual([StatusCodes.Good, StatusCodes.Good]);
    expectEverythingEnded(harness);
  });

  it('RI-26 keeps the parked slot of a selected request that never says that it waits, and its execution slot', async () => {
    const { harness, end } = callHarness(waitPolicy, false);
    harness.submit(harness.openSession(), CallRequest, callOf(WAIT_METHOD));
    await harness.runtime.idle();
    expect(harness.usage()).toEqual({ RequestQueueBytes: 100, ParkedRequest: 1, RequestExecution: 1 });
    end();
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });

  it('RI-26 a request that is not selected has no sink and keeps its execution slot', async () => {
    const { harness, sinks, end } = callHarness(waitPolicy);
    harness.submit(harness.openSession(), CallRequest, callOf(OTHER_METHOD));
    await harness.runtime.idle();
    expect([sinks, harness.usage()]).toEqual([[undefined], { RequestQueueBytes: 100, RequestExecution: 1 }]);
    end();
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });

  it('RI-26 selection is no permission: the Session is checked all the same, and a full stage refuses', async () => {
    const { harness, end } = callHarness(waitPolicy);
    const client = harness.openSession();
    expect(harness.submit({ ...client, token: 99 }, CallRequest, callOf(WAIT_METHOD)).result).toBe(StatusCodes.BadSessionIdInvalid);
    const selected = Array.from({ length: 101 }, () => harness.submit(client, CallRequest, callOf(WAIT_METHOD)));
    expect(selected.map(({ result }) => result)).toEqual([...selected.slice(1).map(() => undefined), StatusCodes.BadServerTooBusy]);
    end();
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });

  it('RI-26 a policy that throws, or can not decode the request, selects nothing', async () => {
    const { harness, end } = callHarness({
      mayPark: () => {
        throw new Error('broken');
      },
    });
    const request = harness.submit(harness.openSession(), CallRequest, callOf(WAIT_METHOD));
    expect(harness.provider.getUsage(Stage.ParkedRequest)).toBe(0);
    expect(harness.runtime.logged.map(({ event }) => event)).toEqual(['dispatcher.parking-policy-failed']);
    end();
    await harness.runtime.idle();
    expect(request.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-26 requests that come in by a listener of the host park through the same port', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 1 } });
    const template = harness.publish(harness.openSession());
    const answers: number[] = [];
    const own: IncomingRequest = {
      channel: template.channel,
      requestId: 7,
      typeId: template.typeId,
      header: template.header,
      message: template.message,
      bodyStart: template.bodyStart,
      receivedAtMs: 0,
      respond: (_type, header) => void answers.push(header.serviceResult),
      leftQueue: () => {},
      releaseMessage: () => {},
    };
    harness.dispatcher.submit(own);
    await harness.runtime.idle();
    expect(harness.usage()).toEqual({ RequestQueueBytes: 200, ParkedRequest: 2 });
    for (const { resolve } of started) resolve();
    await harness.runtime.idle();
    expect(answers).toEqual([StatusCodes.Good]);
    expectEverythingEnded(harness);
  });
});
