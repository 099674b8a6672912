import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerQueue } from '../src/timer-queue.ts';

/** One runtime timer over a clock that the test moves. */
function manualQueue() {
  let nowMs = 0;
  let pending: { dueMs: number; run: () => void } | undefined;
  const errors: unknown[] = [];
  const queue = new TimerQueue(
    () => nowMs,
    (delayMs, run) => {
      const mine = { dueMs: nowMs + delayMs, run };
      pending = mine;
      return () => {
        if (pending === mine) pending = undefined;
      };
    },
    (error) => errors.push(error),
  );
  return {
    queue,
    errors,
    isIdle: () => pending === undefined,
    advanceTo: (targetMs: number) => {
      while (pending !== undefined && pending.dueMs <= targetMs) {
        const { dueMs, run } = pending;
        pending = undefined;
        nowMs = dueMs;
        run();
      }
      nowMs = targetMs;
    },
  };
}

describe('TimerQueue', () => {
  it('runs timers by due time and, among equals, in the order they were made', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.boolean()), { maxLength: 60 }), (plans) => {
        const { queue, advanceTo, isIdle } = manualQueue();
        const ran: number[] = [];
        const timers = plans.map(([delayMs], i) => queue.after(delayMs, () => ran.push(i)));
        for (const [i, [, cancelled]] of plans.entries()) if (cancelled) timers[i]?.cancel();
        advanceTo(100);
        const expected = plans
          .map(([delayMs, cancelled], i) => ({ delayMs, cancelled, i }))
          .filter((plan) => !plan.cancelled)
          .sort((a, b) => a.delayMs - b.delayMs || a.i - b.i)
          .map((plan) => plan.i);
        expect(ran).toEqual(expected);
        expect(queue.size).toBe(0);
        expect(isIdle()).toBe(true);
      }),
    );
  });

  it('keeps running after a callback threw, and reports it', () => {
    const { queue, advanceTo, errors } = manualQueue();
    let ran = false;
    queue.after(1, () => {
      throw new Error('planted');
    });
    queue.after(1, () => {
      ran = true;
    });
    advanceTo(5);
    expect(ran).toBe(true);
    expect(errors).toHaveLength(1);
  });

  it('lets a callback set and cancel timers', () => {
    const { queue, advanceTo } = manualQueue();
    const ran: string[] = [];
    const never = queue.after(10, () => ran.push('never'));
    queue.after(5, () => {
      ran.push('first');
      never.cancel();
      queue.after(5, () => ran.push('second'));
    });
    advanceTo(20);
    expect(ran).toEqual(['first', 'second']);
  });

  it('leaves no timer of the runtime behind when cleared', () => {
    const { queue, isIdle } = manualQueue();
    queue.after(5, () => undefined);
    queue.clear();
    expect(queue.size).toBe(0);
    expect(isIdle()).toBe(true);
  });
});
