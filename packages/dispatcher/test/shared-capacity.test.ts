import { type Lease, type Refusal, Stage } from '@bulkhead/resource-isolation';
import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness } from './harness.ts';
import { smallProvider } from './isolation-provider.ts';
import { expectEverythingEnded, pendingHandlers } from './scenarios.ts';

describe('servers that share a provider', () => {
  it.each(['SharedOnly', 'TrustedReservations'])(
    'one waits for the slot that the other has, and wakes when that ends (%s)',
    async (mode) => {
      const [first, second] = [pendingHandlers(), pendingHandlers()];
      const options = { totals: { RequestExecution: 1 } };
      const other =
        mode === 'SharedOnly' ? new Harness(first.handlers, options) : new Harness(first.handlers, { provider: smallProvider() });
      const harness = new Harness(second.handlers, { provider: other.provider });
      other.read(other.openSession());
      await other.runtime.idle();
      const waiting = harness.read(harness.openSession());
      await harness.runtime.idle();
      expect([waiting.result, harness.dispatcher.executingCount, harness.dispatcher.queuedCount]).toEqual([undefined, 0, 1]);
      first.started[0]?.resolve();
      await other.runtime.idle();
      await harness.runtime.idle();
      expect(second.started).toHaveLength(1);
      second.started[0]?.resolve();
      await harness.runtime.idle();
      expect(waiting.result).toBe(StatusCodes.Good);
      expectEverythingEnded(harness);
    },
  );

  it('a request that nobody can make room for is refused rather than left to wait', async () => {
    const { handlers } = pendingHandlers();
    const harness = new Harness(handlers);
    const { provider } = harness;
    const inner = provider.tryAcquire.bind(provider);
    provider.tryAcquire = (stage, owner, amount): Lease | Refusal =>
      stage === Stage.RequestExecution
        ? { kind: 'refusal', id: 9, stage, reason: 'Capacity', usage: 0, limit: 0 }
        : inner(stage, owner, amount);
    const request = harness.read(harness.openSession());
    await harness.runtime.idle();
    expect(request.result).toBe(StatusCodes.BadServerTooBusy);
    expectEverythingEnded(harness);
  });
});
