import { CreateSessionRequest, HistoryReadRequest, StatusCodes, UaStatusError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { deferred, Harness } from './harness.ts';
import { READ_RESULT } from './scenarios.ts';

describe('what the dispatcher counts', () => {
  it('of a Session: the requests of each service, and those that ended with a fault', async () => {
    const failures = [undefined, StatusCodes.BadNothingToDo, StatusCodes.BadUserAccessDenied];
    const harness = new Harness({
      Read: () => {
        const code = failures.shift();
        if (code !== undefined) throw new UaStatusError(code, 'refused');
        return READ_RESULT;
      },
    });
    const client = harness.openSession();
    const other = harness.openSession();
    for (let i = 0; i < 3; i++) harness.read(client);
    await harness.runtime.idle();
    harness.read(other);
    await harness.runtime.idle();
    const counts = harness.dispatcher.diagnostics.ofSession(client.session);
    expect(counts.of('Read')).toEqual({ total: 3, errors: 2 });
    expect(counts.of('Write')).toEqual({ total: 0, errors: 0 });
    expect([counts.all, counts.unauthorized]).toEqual([{ total: 3, errors: 2 }, 1]);
    expect(harness.dispatcher.diagnostics.ofSession(other.session).all).toEqual({ total: 1, errors: 0 });
    expect(harness.dispatcher.diagnostics).toMatchObject({ rejectedRequests: 2, securityRejectedRequests: 1, rejectedSessions: 0 });
  });

  it('of requests that get into no Session: unknown services, wrong tokens, refused Sessions', async () => {
    const codes = [StatusCodes.BadTooManySessions, StatusCodes.BadNonceInvalid];
    const harness = new Harness({
      Read: () => READ_RESULT,
      CreateSession: () => Promise.reject(new UaStatusError(codes.shift() ?? StatusCodes.BadInternalError, 'refused')),
    });
    const client = harness.openSession();
    harness.submit(client, HistoryReadRequest);
    harness.read({ channel: client.channel, token: 99 });
    harness.submit(client, CreateSessionRequest);
    harness.submit(client, CreateSessionRequest);
    await harness.runtime.idle();
    expect(harness.dispatcher.diagnostics).toMatchObject({
      rejectedRequests: 4,
      securityRejectedRequests: 2,
      rejectedSessions: 2,
      securityRejectedSessions: 1,
    });
  });

  it('of requests that were cancelled: that they came, not that they were rejected', async () => {
    const handler = deferred<never>();
    const harness = new Harness({ Read: () => handler.promise });
    const client = harness.openSession();
    const request = harness.read(client, { requestHandle: 5 });
    await harness.runtime.turn();
    expect(harness.dispatcher.cancel(client.session, 5)).toBe(1);
    handler.reject(new UaStatusError(StatusCodes.BadTimeout, 'given up'));
    await harness.runtime.idle();
    expect(request.result).toBe(StatusCodes.BadRequestCancelledByClient);
    expect(harness.dispatcher.diagnostics.rejectedRequests).toBe(0);
    expect(harness.dispatcher.diagnostics.ofSession(client.session).all).toEqual({ total: 1, errors: 0 });
  });
});
