import { AdditionalParametersType, HistoryReadRequest, ReadResponse, ServiceFault, StatusCodes, UaStatusError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness, settled, TestChannel, TestRequest } from './harness.ts';
import { expectEverythingEnded, pendingHandlers, READ_RESULT, timedHarness } from './scenarios.ts';

describe('a request that runs', () => {
  it('is answered in the turn after it came, once, with its handle', async () => {
    const { harness } = timedHarness(0);
    const client = harness.openSession();
    const request = harness.read(client, { requestHandle: 77 });
    expect(request.answers).toHaveLength(0);
    expect(harness.usage()).toEqual({ RequestQueue: 1, RequestQueueBytes: 100 });
    await harness.runtime.turn();
    expect(request.answers).toHaveLength(1);
    expect(request.answers[0]).toMatchObject({ type: ReadResponse, header: { requestHandle: 77, serviceResult: StatusCodes.Good } });
    expect(request.answers[0]?.body).toBe(READ_RESULT);
    expect(harness.runtime.hasPendingTurn).toBe(false);
    expectEverythingEnded(harness);
  });

  it('gets its queue slot back when it runs and keeps its bytes until its asynchronous handler ends', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers);
    const request = harness.read(harness.openSession());
    await harness.runtime.turn();
    expect(request.leftQueueCount).toBe(1);
    expect(harness.usage()).toEqual({ RequestQueueBytes: 100, RequestExecution: 1 });
    started[0]?.resolve();
    await settled();
    expect(request.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('answers the code of a UaStatusError, and BadInternalError without any text for anything else', async () => {
    const errors: unknown[] = [
      new UaStatusError(StatusCodes.BadNothingToDo, 'secret text'),
      new Error('secret text'),
      'secret text',
      new UaStatusError(StatusCodes.Good, 'not an error code'),
    ];
    for (const isAsync of [false, true]) {
      const harness: Harness = new Harness({
        Read: (_request, context) => {
          const error = errors[context.header.requestHandle];
          if (isAsync) return Promise.reject(error);
          throw error;
        },
      });
      const client = harness.openSession();
      const requests = errors.map((_, index) => harness.read(client, { requestHandle: index }));
      await harness.runtime.idle();
      expect(requests.map((request) => request.result)).toEqual([
        StatusCodes.BadNothingToDo,
        StatusCodes.BadInternalError,
        StatusCodes.BadInternalError,
        StatusCodes.BadInternalError,
      ]);
      expect(requests.every((request) => request.answers[0]?.type === ServiceFault)).toBe(true);
      expect(JSON.stringify(requests.map((request) => request.answers[0]?.header))).not.toContain('secret');
      expect(harness.runtime.logged.filter(({ event }) => event === 'dispatcher.internal-error')).toHaveLength(3);
      expectEverythingEnded(harness);
    }
  });

  it('answers BadDecodingError for a body that is cut off or too long', async () => {
    const { harness, order } = timedHarness(0);
    const client = harness.openSession();
    const good = harness.read(client);
    const { message: whole } = good;
    for (const message of [whole.subarray(0, whole.length - 1), Buffer.concat([whole, Buffer.alloc(1)])]) {
      const bad = new TestRequest(client.channel, good.typeId, good.header, message, good.bodyStart, 0);
      harness.requests.push(bad);
      harness.dispatcher.submit(bad);
    }
    await harness.runtime.idle();
    expect(harness.requests.map((request) => request.result)).toEqual([
      StatusCodes.Good,
      StatusCodes.BadDecodingError,
      StatusCodes.BadDecodingError,
    ]);
    expect(order).toHaveLength(1);
    expect(good.message).toHaveLength(0);
    expectEverythingEnded(harness);
  });

  it('answers with a fault when the response does not fit, and survives a fault that does not go out either', async () => {
    const { harness } = timedHarness(0);
    const client = harness.openSession();
    const tooLarge = harness.read(client);
    tooLarge.respondErrors.push(new UaStatusError(StatusCodes.BadResponseTooLarge, 'too large'));
    const unsendable = harness.read(client);
    unsendable.respondErrors.push(
      new UaStatusError(StatusCodes.BadResponseTooLarge, 'x'),
      new UaStatusError(StatusCodes.BadInternalError, 'x'),
    );
    const last = harness.read(client);
    await harness.runtime.idle();
    expect([tooLarge.result, unsendable.result, last.result]).toEqual([StatusCodes.BadResponseTooLarge, undefined, StatusCodes.Good]);
    expectEverythingEnded(harness);
  });
});

describe('a request that can not run', () => {
  it('answers BadServiceUnsupported to services without a handler and to unknown types', () => {
    const { harness } = timedHarness(0);
    const client = harness.openSession();
    const history = harness.submit(client, HistoryReadRequest);
    const unknown = new TestRequest(client.channel, 999_999, history.header, history.message, history.bodyStart, 0);
    harness.dispatcher.submit(unknown);
    expect([history.result, unknown.result]).toEqual([StatusCodes.BadServiceUnsupported, StatusCodes.BadServiceUnsupported]);
    expectEverythingEnded(harness);
  });

  it('answers what the session look-up says, before anything is charged', () => {
    const { harness } = timedHarness(0);
    const client = harness.openSession();
    const unknownToken = harness.read({ channel: client.channel, token: 99 });
    const otherChannel = harness.read({ channel: new TestChannel(9), token: client.token });
    client.session.isActivated = false;
    const notActivated = harness.read(client);
    expect([unknownToken.result, otherChannel.result, notActivated.result]).toEqual([
      StatusCodes.BadSessionIdInvalid,
      StatusCodes.BadSecureChannelIdInvalid,
      StatusCodes.BadSessionNotActivated,
    ]);
    expectEverythingEnded(harness);
  });

  it('RL-08 a request over capacity is answered BadServerTooBusy with RetryAfterMs, without asking for diagnostics', () => {
    const { harness } = timedHarness(0, { totals: { RequestQueue: 2 }, busyRetryAfterMs: 250 });
    const client = harness.openSession();
    harness.read(client);
    harness.read(client);
    const refused = harness.read(client, { returnDiagnostics: 0 });
    expect(refused.result).toBe(StatusCodes.BadServerTooBusy);
    expect(refused.leftQueueCount).toBe(1);
    const parameters = refused.answers[0]?.header.additionalHeader.decode(AdditionalParametersType).parameters;
    expect(parameters?.[0]?.key.name).toBe('RetryAfterMs');
    expect(parameters?.[0]?.value.value).toBe(250n);
    expect(harness.usage()).toEqual({ RequestQueue: 2, RequestQueueBytes: 200 });
  });

  it('RL-08 takes RetryAfterMs from the error when that knows better', async () => {
    const busy = Object.assign(new UaStatusError(StatusCodes.BadServerTooBusy, 'busy'), { retryAfterMs: 1_499.2 });
    const harness = new Harness({
      Read: () => {
        throw busy;
      },
    });
    const request = harness.read(harness.openSession());
    await harness.runtime.idle();
    expect(request.answers[0]?.header.additionalHeader.decode(AdditionalParametersType).parameters?.[0]?.value.value).toBe(1_500n);
  });

  it('a session that was closed or moved while its request waited does not run it', async () => {
    const { harness, order } = timedHarness(0);
    const closed = harness.openSession();
    const moved = harness.openSession();
    const requests = [harness.read(closed), harness.read(moved)];
    harness.sessions.byToken.delete(closed.token);
    closed.session.isActivated = false;
    moved.session.channel = new TestChannel(50);
    await harness.runtime.idle();
    expect(requests.map((request) => request.result)).toEqual([StatusCodes.BadSessionIdInvalid, StatusCodes.BadSecureChannelIdInvalid]);
    expect(order).toEqual([]);
    expectEverythingEnded(harness);
  });

  it('ignores a request whose channel is closed already', () => {
    const { harness } = timedHarness(0);
    const client = harness.openSession();
    client.channel.isOpen = false;
    const request = harness.read(client);
    expect(request.answers).toHaveLength(0);
    expectEverythingEnded(harness);
  });
});
