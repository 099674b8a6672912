import { CreateSubscriptionRequest, StatusCodes, UaStatusError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { deferred, Harness, settled, TestChannel } from './harness.ts';
import { expectEverythingEnded, pendingHandlers, READ_RESULT, timedHarness } from './scenarios.ts';

describe('RI-28 charges and answers in every ending', () => {
  it('RI-28 timeoutHint: a request that expired in the queue is answered BadTimeout without running', async () => {
    const { harness, order } = timedHarness(0);
    const request = harness.read(harness.openSession(), { timeoutHint: 100 });
    harness.runtime.advance(100);
    await harness.runtime.idle();
    expect(request.result).toBe(StatusCodes.BadTimeout);
    expect(order).toEqual([]);
    expectEverythingEnded(harness);
  });

  it('RI-28 timeoutHint: a running request is answered BadTimeout once and keeps its charge until its handler ends', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers);
    const request = harness.read(harness.openSession(), { timeoutHint: 100 });
    await harness.runtime.idle();
    expect(started[0]?.context.deadlineMs).toBe(100);
    harness.runtime.advance(99);
    expect(request.answers).toHaveLength(0);
    harness.runtime.advance(1);
    expect(request.result).toBe(StatusCodes.BadTimeout);
    expect(started[0]?.context.signal.aborted).toBe(true);
    expect(started[0]?.context.signal.reason).toMatchObject({ statusCode: StatusCodes.BadTimeout });
    expect(harness.usage()).toEqual({ RequestQueueBytes: 100, RequestExecution: 1 });
    started[0]?.resolve();
    await harness.runtime.idle();
    expect(request.answers).toHaveLength(1);
    expectEverythingEnded(harness);
  });

  it('RI-28 Cancel ends waiting, running and parked requests of that handle and session, and counts them', async () => {
    const { handlers, started } = pendingHandlers();
    const harness: Harness = new Harness(
      {
        ...handlers,
        Cancel: (request, { session }) => ({ cancelCount: harness.dispatcher.cancel(session as never, request.requestHandle) }),
      },
      { totals: { RequestExecution: 2 } },
    );
    const client = harness.openSession();
    const other = harness.openSession();
    const parked = harness.publish(client, { requestHandle: 5 });
    const running = harness.read(client, { requestHandle: 5 });
    await harness.runtime.idle();
    const keep = harness.read(other, { requestHandle: 5 });
    const kept = harness.read(client, { requestHandle: 6 });
    const cancel = harness.cancelService(client, 5);
    const waiting = harness.read(client, { requestHandle: 5 });
    // Both slots are taken, so the others wait; `Cancel` runs when the first becomes free.
    await harness.runtime.idle();
    expect(cancel.result).toBeUndefined();
    started.find(({ context }) => context.header.requestHandle === 5 && context.session === other.session)?.resolve();
    await harness.runtime.idle();
    expect(keep.result).toBe(StatusCodes.Good);
    started.find(({ context }) => context.header.requestHandle === 6)?.resolve();
    await harness.runtime.idle();
    expect(kept.result).toBe(StatusCodes.Good);
    expect(cancel.answers[0]?.body).toEqual({ cancelCount: 3 });
    for (const request of [parked, running, waiting]) expect(request.result).toBe(StatusCodes.BadRequestCancelledByClient);
    expect(harness.usage()).toMatchObject({ ParkedRequest: 1, RequestExecution: 1 });
    for (const { reject, context } of started) reject(context.signal.reason);
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });

  it('RI-28 channel closed: what waits is dropped, what runs is aborted and released when its handler ends', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 1 } });
    const client = harness.openSession();
    const parked = harness.publish(client);
    await harness.runtime.idle();
    const running = harness.read(client);
    await harness.runtime.idle();
    const waiting = harness.read(client);
    client.channel.isOpen = false;
    harness.dispatcher.channelClosed(client.channel);
    harness.dispatcher.channelClosed(client.channel);
    expect(harness.usage()).toEqual({ RequestQueueBytes: 200, ParkedRequest: 1, RequestExecution: 1 });
    expect(started.map(({ context }) => context.signal.aborted)).toEqual([true, true]);
    for (const { reject } of started) reject(new Error('aborted'));
    await harness.runtime.idle();
    expect([parked, running, waiting].flatMap(({ answers }) => answers)).toEqual([]);
    expectEverythingEnded(harness);
    expect([...harness.dispatcher.owners()]).toEqual([]);
  });

  it('RI-28 session closed: its requests are answered BadSessionClosed, those of others go on', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers);
    const client = harness.openSession();
    const other = harness.openSession('10.0.0.1', client.channel);
    const [parked, others] = [harness.publish(client), harness.publish(other)];
    await harness.runtime.idle();
    const waiting = harness.read(client);
    client.session.isActivated = false;
    harness.dispatcher.sessionClosed(client.session);
    expect([parked.result, waiting.result, others.result]).toEqual([StatusCodes.BadSessionClosed, StatusCodes.BadSessionClosed, undefined]);
    for (const { resolve } of started) resolve();
    await harness.runtime.idle();
    expect(others.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-28 session moved: what it left open on its old channel is answered, the new channel goes on', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers);
    const client = harness.openSession();
    const left = [harness.publish(client), harness.read(client)];
    await harness.runtime.turn();
    const next = new TestChannel(90);
    client.session.channel = next;
    harness.dispatcher.sessionMoved(client.session, client.channel);
    const later = harness.read({ channel: next, token: client.token });
    await harness.runtime.idle();
    for (const { resolve } of started) resolve();
    await harness.runtime.idle();
    expect(left.map((request) => request.result)).toEqual([StatusCodes.BadSecureChannelClosed, StatusCodes.BadSecureChannelClosed]);
    expect(later.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-28 stop: whatever waits, is parked or comes later is answered BadServerHalted; what runs may end', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 1 } });
    const client = harness.openSession();
    const parked = harness.publish(client);
    await harness.runtime.idle();
    const running = harness.read(client);
    await harness.runtime.idle();
    const waiting = harness.read(client);
    harness.dispatcher.stop();
    harness.dispatcher.stop();
    const late = harness.read(client);
    expect([parked, running, waiting, late].map((request) => request.result)).toEqual([
      StatusCodes.BadServerHalted,
      undefined,
      StatusCodes.BadServerHalted,
      StatusCodes.BadServerHalted,
    ]);
    for (const { resolve } of started) resolve();
    await harness.runtime.idle();
    expect(running.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-28 a handler that ends while it has asked for another turn leaves nothing in the queue', async () => {
    const { promise, resolve } = deferred<typeof READ_RESULT>();
    const harness = new Harness({
      Read: (_request, { slice }) => {
        void slice.next();
        return promise;
      },
    });
    const request = harness.read(harness.openSession());
    await harness.runtime.turn();
    resolve(READ_RESULT);
    await settled();
    await harness.runtime.idle();
    expect(request.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'RI-28 random mixes of all endings answer each request at most once and leave every stage at 0 (seed %i)',
    async (seed) => {
      await runRandomMix(seed);
    },
  );
});

async function runRandomMix(seed: number): Promise<void> {
  let state = seed * 7_919;
  const random = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const { handlers, started } = pendingHandlers();
  const harness: Harness = new Harness(
    {
      ...handlers,
      CreateSubscription: async (_request, { slice }) => {
        for (let i = 0; i < 4; i++) {
          if (slice.isSpent()) await slice.next();
          harness.runtime.nowMs += 3;
        }
        throw new UaStatusError(StatusCodes.BadTooManySubscriptions, 'enough');
      },
    },
    { totals: { RequestExecution: 4, RequestQueue: 30, ParkedRequest: 10 }, useFairScheduling: seed % 3 !== 0 },
  );
  const clients = Array.from({ length: 8 }, (_, index) => harness.openSession(`10.0.0.${index % 3}`));
  const closed = new Set<object>();
  for (let step = 0; step < 400; step++) {
    const client = clients[random(clients.length)] as (typeof clients)[0];
    const header = { requestHandle: random(5), timeoutHint: random(2) * random(50) };
    const action = random(12);
    if (action <= 4) harness.read(client, header);
    else if (action <= 6) harness.publish(client, header);
    else if (action === 7) harness.submit(client, CreateSubscriptionRequest, {}, header);
    else if (action === 8) harness.dispatcher.cancel(client.session, random(5));
    else if (action === 9) started.splice(random(started.length), 1)[0]?.resolve();
    else if (action === 10) started.splice(random(started.length), 1)[0]?.reject(new Error('failed'));
    else harness.runtime.advance(random(20));
    if (random(100) === 0) {
      client.channel.isOpen = false;
      closed.add(client.channel);
      harness.dispatcher.channelClosed(client.channel);
    }
    if (random(2) === 0) await harness.runtime.turn();
  }
  while (started.length > 0) {
    started.pop()?.resolve();
    await harness.runtime.idle();
  }
  for (const request of harness.requests) {
    if (closed.has(request.channel)) expect(request.answers.length).toBeLessThanOrEqual(1);
    else expect(request.answers).toHaveLength(1);
  }
  expectEverythingEnded(harness);
}
