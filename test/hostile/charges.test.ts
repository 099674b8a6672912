import { stageNames } from '@bulkhead/resource-isolation';
import {
  CallMethodRequest,
  CallRequest,
  CancelRequest,
  CancelResponse,
  NodeId,
  type RequestHeader,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer, usageOf } from '../support/test-server.ts';
import { until } from './bystander.ts';
import { statusName } from './status-names.ts';

let test: TestServer;
/** Ends the calls of the method that hears no signal. */
let releases: (() => void)[];

beforeEach(async () => {
  releases = [];
  test = await startTestServer((space) => {
    const object = space.addObject({ browseName: 'Methods', nodeId: 's=Methods' });
    object.addMethod({ browseName: 'Good', nodeId: 's=Good', call: () => [] });
    object.addMethod({
      browseName: 'Fails',
      nodeId: 's=Fails',
      call: () => Promise.reject(new UaStatusError(StatusCodes.BadOutOfService, '')),
    });
    object.addMethod({
      browseName: 'Deaf',
      nodeId: 's=Deaf',
      call: () => new Promise((resolve) => releases.push(() => resolve([]))),
    });
  });
});

afterEach(() => test.end());

function call(session: RawSession, method: string, init: Partial<RequestHeader> = {}): number {
  const methodsToCall = [
    CallMethodRequest.create({ objectId: NodeId.parse('ns=1;s=Methods'), methodId: NodeId.parse(`ns=1;s=${method}`) }),
  ];
  return session.peer.sendRequest(CallRequest, { requestHeader: session.header(init), methodsToCall });
}

const executing = (): number => usageOf(test.server)['RequestExecution'] ?? 0;

function release(): void {
  for (const end of releases.splice(0)) end();
}

describe('what a request is charged', () => {
  it('RI-28 is given back on completion, failure, cancellation and shutdown, by a handler that ignores cancellation when it really ends', async () => {
    const session = await RawSession.open({ port: test.port });
    for (const method of ['Good', 'Fails']) await session.peer.response(call(session, method));
    await until(() => executing() === 0);

    // Cancelled by the client: answered at once, charged until the handler ends.
    const cancelled = call(session, 'Deaf', { requestHandle: 77 });
    await until(() => releases.length === 1);
    expect((await session.request(CancelRequest, { requestHandle: 77 }, CancelResponse)).cancelCount).toBe(1);
    expect(statusName((await session.peer.response(cancelled)).header.serviceResult)).toBe('BadRequestCancelledByClient');
    expect(executing()).toBe(1);
    release();
    await until(() => executing() === 0);

    // Given up by its timeoutHint.
    const timedOut = call(session, 'Deaf', { timeoutHint: 50 });
    expect(statusName((await session.peer.response(timedOut)).header.serviceResult)).toBe('BadTimeout');
    expect(executing()).toBe(1);

    // Its client goes away.
    call(session, 'Deaf');
    await until(() => executing() === 2);
    await session.peer.destroy();
    await until(() => usageOf(test.server)['connections'] === 0);
    expect(executing()).toBe(2);
    expect(usageOf(test.server)['trackedOwners']).toBe(1);
    release();
    await until(() => executing() === 0);

    // Nobody is left.
    const abandoned = await RawSession.open({ port: test.port });
    call(abandoned, 'Deaf');
    await until(() => executing() === 1);
    await test.server.stop();
    await abandoned.peer.closed;
    expect(executing()).toBe(1);
    release();
    await until(() => executing() === 0);
    for (const stage of [...stageNames, 'trackedOwners']) expect([stage, usageOf(test.server)[stage]]).toEqual([stage, 0]);
  });
});
