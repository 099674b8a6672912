import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { deferred, Harness } from './harness.ts';
import { expectEverythingEnded, pendingHandlers, READ_RESULT, timedHarness } from './scenarios.ts';

describe('time in the event loop', () => {
  it('stops a turn when the slice is used up and lets others in before it goes on', async () => {
    const { harness, order } = timedHarness(2, { sliceMs: 5 });
    const client = harness.openSession();
    for (let i = 0; i < 10; i++) harness.read(client);
    await harness.runtime.turn();
    expect(order).toHaveLength(3);
    expect(harness.runtime.hasPendingTurn).toBe(true);
    expect(await harness.runtime.idle()).toBe(3);
    expect(order).toHaveLength(10);
    expectEverythingEnded(harness);
  });

  it('BX-01 a client that pipelines hundreds of requests delays another session of its owner by one of them', async () => {
    const { harness, order } = timedHarness(1, { sliceMs: 5 });
    const noisy = harness.openSession();
    const quiet = harness.openSession();
    for (let i = 0; i < 500; i++) harness.read(noisy);
    const request = harness.read(quiet);
    await harness.runtime.turn();
    expect(order.indexOf(request.header.requestHandle)).toBe(1);
  });

  it('starts nothing for a channel that is held back, and nobody else waits for it', async () => {
    const { harness, order } = timedHarness(0);
    const slow = harness.openSession('10.0.0.1');
    const other = harness.openSession('10.0.0.1');
    const waiting = [harness.read(slow), harness.read(slow)];
    harness.dispatcher.channelHeldBack(slow.channel, true);
    const late = harness.read(slow);
    const unaffected = harness.read(other);
    await harness.runtime.idle();
    expect(order).toEqual([unaffected.header.requestHandle]);
    harness.dispatcher.channelHeldBack(slow.channel, false);
    await harness.runtime.idle();
    expect(order.slice(1)).toEqual([...waiting, late].map(({ header }) => header.requestHandle));
    expectEverythingEnded(harness);
  });

  it('holds a slow reader back in arrival order too, and gives its requests their old places', async () => {
    const { harness, order } = timedHarness(0, { useFairScheduling: false });
    const [slow, other] = [harness.openSession('10.0.0.1'), harness.openSession('10.0.0.2')];
    const waiting = [harness.read(slow), harness.read(slow)];
    harness.dispatcher.channelHeldBack(slow.channel, true);
    const unaffected = harness.read(other);
    await harness.runtime.idle();
    expect(order).toEqual([unaffected.header.requestHandle]);
    const late = [harness.read(other), harness.read(slow)];
    harness.dispatcher.channelHeldBack(slow.channel, false);
    await harness.runtime.idle();
    expect(order.slice(1)).toEqual([...waiting, ...late].map(({ header }) => header.requestHandle));
    expectEverythingEnded(harness);
  });

  it('drops what waits for a channel that closes while it is held back', async () => {
    const { harness, order } = timedHarness(0);
    const slow = harness.openSession();
    harness.read(slow);
    harness.dispatcher.channelHeldBack(slow.channel, true);
    harness.dispatcher.channelClosed(slow.channel);
    await harness.runtime.idle();
    expect(order).toEqual([]);
    expectEverythingEnded(harness);
  });

  it('a request that waits for its next turn ends with its channel, even one that is held back', async () => {
    const harness = new Harness({
      Read: async (_request, { slice, signal }) => {
        await slice.next();
        signal.throwIfAborted();
        return READ_RESULT;
      },
    });
    const slow = harness.openSession();
    harness.read(slow);
    harness.dispatcher.channelHeldBack(slow.channel, false);
    await harness.runtime.turn();
    harness.dispatcher.channelHeldBack(slow.channel, true);
    harness.dispatcher.channelClosed(slow.channel);
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });

  it('a request that waits for its next turn gets it while another session of its owner can not start for want of a slot', async () => {
    const harness = new Harness(
      {
        Read: async (_request, { slice }) => {
          for (let step = 0; step < 3; step++) await slice.next();
          return READ_RESULT;
        },
      },
      { totals: { RequestExecution: 1 } },
    );
    const [first, second] = [harness.openSession('10.0.0.1'), harness.openSession('10.0.0.1')];
    const requests = [harness.read(first), harness.read(first), harness.read(second)];
    await harness.runtime.idle();
    expect(requests.map(({ result }) => result)).toEqual([StatusCodes.Good, StatusCodes.Good, StatusCodes.Good]);
    expectEverythingEnded(harness);
  });

  it('RI-09 without fair scheduling requests run in arrival order and none overtakes one that can not start', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { useFairScheduling: false, totals: { RequestExecution: 1 } });
    const clients = [harness.openSession('10.0.0.1'), harness.openSession('10.0.0.2')];
    const requests = [clients[0], clients[0], clients[1]].map((client) => harness.read(client as (typeof clients)[0]));
    await harness.runtime.idle();
    for (const [index, request] of requests.entries()) {
      expect(started.map(({ context }) => context.header.requestHandle)).toEqual(
        requests.slice(0, index + 1).map((r) => r.header.requestHandle),
      );
      started[index]?.resolve();
      await harness.runtime.idle();
      expect(request.result).toBe(StatusCodes.Good);
    }
    expectEverythingEnded(harness);
  });

  it('a handler that yields goes on in turns of its own, between the requests of others', async () => {
    const steps: string[] = [];
    const harness: Harness = new Harness(
      {
        Read: async (_request, { slice, header }) => {
          for (let step = 0; step < 6; step++) {
            if (slice.isSpent()) await slice.next();
            harness.runtime.nowMs += 3;
            steps.push(`${header.requestHandle}`);
          }
          return READ_RESULT;
        },
      },
      { sliceMs: 5 },
    );
    const large = harness.read(harness.openSession('10.0.0.1'), { requestHandle: 1 });
    await harness.runtime.turn();
    expect(steps).toEqual(['1', '1']);
    const other = harness.read(harness.openSession('10.0.0.2'), { requestHandle: 2 });
    await harness.runtime.idle();
    // Two steps fill a slice; from the second turn on the two take turns.
    expect(steps.join('')).toBe('11' + '11' + '22' + '11' + '22' + '22');
    expect([large.result, other.result]).toEqual([StatusCodes.Good, StatusCodes.Good]);
    const total = [...harness.dispatcher.owners()].reduce((sum, { executionMs }) => sum + executionMs, 0);
    expect(total).toBe(36);
    expectEverythingEnded(harness);
  });

  it('keeps the measured time of each owner', async () => {
    const { harness } = timedHarness(2);
    const [first, second] = [harness.openSession('10.0.0.1'), harness.openSession('10.0.0.2')];
    for (let i = 0; i < 3; i++) harness.read(first);
    harness.read(second);
    await harness.runtime.idle();
    const measured = [...harness.dispatcher.owners()].map(({ owner, executionMs }) => [owner.key, executionMs]);
    expect(measured).toEqual([
      ['address:10.0.0.1', 6],
      ['address:10.0.0.2', 2],
    ]);
    harness.dispatcher.channelClosed(first.channel);
    harness.dispatcher.channelClosed(second.channel);
    expect([...harness.dispatcher.owners()]).toEqual([]);
  });

  it('runs registered flushers once at the end of the turn that answered, and in a turn of their own otherwise', async () => {
    const flushed: string[] = [];
    const harness: Harness = new Harness({
      Read: () => {
        harness.dispatcher.onTurnEnd(() => flushed.push('read'));
        return READ_RESULT;
      },
    });
    harness.dispatcher.onTurnEnd(() => {
      throw new Error('broken connection');
    });
    harness.dispatcher.onTurnEnd(() => flushed.push('idle'));
    expect(flushed).toEqual([]);
    await harness.runtime.turn();
    expect(flushed).toEqual(['idle']);
    harness.read(harness.openSession());
    await harness.runtime.turn();
    await harness.runtime.idle();
    expect(flushed).toEqual(['idle', 'read']);
  });

  it('gives waiting requests a turn when an execution slot becomes free outside of a turn', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 2 } });
    const clients = [1, 2, 3].map((n) => harness.openSession(`10.0.0.${n}`));
    for (let i = 0; i < 4; i++) for (const client of clients) harness.read(client);
    await harness.runtime.idle();
    for (let answered = 0; answered < 12; answered++) {
      expect(harness.dispatcher.executingCount).toBe(Math.min(2, 12 - answered));
      started[answered]?.resolve();
      await harness.runtime.idle();
    }
    expect(harness.requests.map((request) => request.result)).toEqual(harness.requests.map(() => StatusCodes.Good));
    expectEverythingEnded(harness);
  });
});

describe('parking', () => {
  it('RI-25 a parked Publish gives its execution slot back and keeps its parked slot and bytes until it is done', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 1 } });
    const client = harness.openSession();
    const publishes = [1, 2, 3].map(() => harness.publish(client));
    await harness.runtime.idle();
    expect(started).toHaveLength(3);
    expect(harness.usage()).toEqual({ RequestQueueBytes: 300, ParkedRequest: 3 });
    expect(harness.dispatcher.parkedCount).toBe(3);
    for (const { resolve } of started) resolve();
    await harness.runtime.idle();
    expect(publishes.map((request) => request.result)).toEqual(publishes.map(() => StatusCodes.Good));
    expectEverythingEnded(harness);
  });

  it('RI-25 keeps the execution slot of a parked Publish when decoupleHeldPublishRequests is false', async () => {
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(handlers, { totals: { RequestExecution: 1 }, decoupleHeldPublishRequests: false });
    const client = harness.openSession();
    harness.publish(client);
    harness.publish(client);
    await harness.runtime.idle();
    expect(started).toHaveLength(1);
    expect(harness.usage()).toMatchObject({ RequestExecution: 1 });
    started[0]?.resolve();
    await harness.runtime.idle();
    expect(started).toHaveLength(2);
  });

  it('a request that has no parked slot keeps its execution slot whatever it says', async () => {
    const { promise, resolve } = deferred<typeof READ_RESULT>();
    const harness = new Harness({
      Read: (_request, context) => {
        context.notifyParked();
        return promise;
      },
    });
    harness.read(harness.openSession());
    await harness.runtime.idle();
    expect(harness.usage()).toEqual({ RequestQueueBytes: 100, RequestExecution: 1 });
    resolve(READ_RESULT);
    await harness.runtime.idle();
    expectEverythingEnded(harness);
  });
});
